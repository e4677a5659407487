/* violated: safety
   A bitmap of 512 blocks with a hint where to look first; freeing moves the hint back and one too far. */
#define BLOCKS 512
bit used[BLOCKS];
short hint, held;
active proctype Allocator() {
  short at;
  do
  :: held < 400 ->
       atomic { at = hint; do :: at < BLOCKS && used[at] -> at++ :: else -> break od };
       assert(at < BLOCKS);
       used[at] = 1; held++; hint = at + 1
  :: held > 0 ->
       atomic { at = hint - 1; assert(used[at]); used[at] = 0; held--; hint = at - 1 }
  od
}
