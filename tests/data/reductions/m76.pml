/* The same with an index. */
chan c = [1] of {byte}; byte a[3]; byte i=3;
active proctype P() { byte x; c?x }
active proctype Q() { (nfull(c) && a[i] == 0) || a[0] == 0 -> assert(false) }
init { c!1 }
