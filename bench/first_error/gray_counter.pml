/* violated: safety
   Sixteen bits are flipped one at a time in Gray code; the last word was thought to be unreachable. */
bit g[16];
int count;
active proctype Gray() {
  byte i;
  do
  :: d_step {
       count++;
       i = 0;
       do :: (count >> i) % 2 == 0 -> i++ :: else -> break od;
       g[i % 16] = 1 - g[i % 16];
       i = 0
     };
     assert(!(count > 40000 && g[15] && g[3]));
     if :: count == 65535 -> break :: else fi
  od
}
