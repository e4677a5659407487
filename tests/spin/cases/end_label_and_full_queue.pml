/* Valid end states by labels while messages are left in a channel.
 * expect: holds states=8 transitions=8
 */
chan q=[1] of {byte};

active proctype P(){
  byte k;
  end: q?k;
  goto end
}

active proctype Q(){
  q!1;
  q!2;
  end2: do
  :: q!3
  od
}
