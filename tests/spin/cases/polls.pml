/* Polls, negated too, with mtype and wildcard; full, empty and len.
 * expect: holds states=11 transitions=10
 */
chan q=[2] of {mtype,byte};
mtype={a,b};
byte x;

active proctype P(){
  q!a,1;
  q!b(2);
  do
  :: q?[a,_] && x<5 -> q?a,x
  :: !q?[a,_] -> q?b(eval(2));
    break
  od;
  (len(q)==0 && empty(q)) -> x=7;
  nfull(q) && (x==7 || full(q))
}
