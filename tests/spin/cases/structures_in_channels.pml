/* Structures with arrays as message fields, in an array of channels.
 * expect: holds states=15 transitions=16
 */
typedef Pkt {
  byte src;
  byte data[2];
  mtype t
};
mtype={X,Y};
chan net[2]=[1] of {Pkt, byte};
Pkt g;

active proctype A(){
  Pkt p;
  p.src=1;
  p.data[1]=7;
  p.t = X;
  net[0]!p,3;
  net[1]?p,_;
  g.data[0]=p.data[1]
}

active proctype B(){
  Pkt r;
  byte k;
  net[0]?r,k;
  r.t=Y;
  r.data[1]++;
  net[1]!r,k
}
