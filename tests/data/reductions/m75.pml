/* An operand that can fail is evaluated only if the channel is not empty. */
chan c = [1] of {byte};
byte z = 0, g;
active proctype P() { c!1 }
active proctype Q() { (nempty(c) && (1/z > 0)) || (z == 0) -> g = 1; assert(false) }
