/* A trace: patterns, selections, loops and labels. */
mtype = { req, ack };
typedef T { byte f; byte g };
chan q = [2] of { mtype, byte };
chan many[2] = [0] of { byte, byte };
byte x;
T t;

active proctype A() { do :: q!req(x) :: many[1]!1,2 :: q!ack,1 od }
active proctype B() { mtype m; byte v; do :: q?m,v :: many[1]?v,_ od }

trace {
  do
  :: q!req; q!ack(1)
  :: q?_,eval(x) -> break
  :: if :: many[1]!1,t.f :: q?req,2; goto last fi
  od;
end: accept:
  q!_,x;
  do :: many[0]?_ ; progress: many[1]?t :: q!ack -> goto end od unless q!req,7;
last:
  q?req,_
}
