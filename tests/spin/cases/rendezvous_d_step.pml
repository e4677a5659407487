/* A d_step that begins with a rendezvous receive; prints in d_step.
 * expect: holds states=55 transitions=91
 */
chan r=[0] of {byte};
byte x;

active proctype P(){
  r!1;
  r!2;
  r!3
}

active proctype Q(){
  byte k;
  d_step {
    r?k;
    x=k;
    k++
  };
  d_step {
    if
    :: r?2 -> x=9
    :: x>100 -> x=8
    fi;
    x++
  };
  d_step {
    printf("hi");
    x = 3;
  };
  r?k
}

active proctype R(){
  d_step {
    assert(x<100);
    x++
  };
  x-- ;
  d_step {
    printf("x");
    x=x+2
  }
}
