/* Sends and receives of all forms, polls and queries. */
mtype = { ping, pong };
chan q = [2] of { mtype, byte, bit };
chan r = [0] of { byte };
byte x, y;

active proctype P() {
  q!ping, x, 1;
  q!!pong(x + 1, y);
  q?ping, x, _;
  q??eval(x), y, 1;
  q?<ping, x, y>;
  q??<pong, 3, y>;
  q?[ping, _, eval(y)] && q??[pong, 1, 1];
  nfull(q) || empty(r);
  r!len(q);
  r?x
}
