/* Escapes that begin with rendezvous sends.
 * expect: holds states=11 transitions=11
 */
chan r=[0] of {byte};
chan s=[0] of {byte};
byte x;

active proctype P(){
  {
    x=1;
    x=2;
    x=3
  } unless {
    if
    :: r!1
    :: s!2
    :: x==2
    fi;
    x=20
  }
}

active proctype Q(){
  byte k;
  if
  :: r?k
  :: x==3 -> s?k
  fi;
  x=0
}
