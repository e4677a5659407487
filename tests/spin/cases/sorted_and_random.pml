/* Sorted sends, random receives, copies and polls.
 * expect: holds states=206 transitions=340
 */
chan q=[4] of {byte,byte};
byte a,b;

active proctype P(){
  q!!3,1;
  q!!1,2;
  q!!3,0;
  q!!2,2
}

active proctype Q(){
  do
  :: q??[2,a] -> q??2,b
  :: q?<a,b> -> q?a,b
  :: q??3,eval(a) -> b=9
  :: q??<1,b> -> a=b
  :: q?[1,_] -> q?1,a
  :: timeout -> break
  od
}
