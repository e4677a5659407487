/* Implied semicolons behind macro calls, blocks, selections and loops.
 * expect: holds states=15 transitions=14
 */
#define PUT(c,v) c!v
#define SEQ(a,b) a; \
   b
chan in = [2] of {byte}; byte out;
active proctype P() {
 byte x = 'a'
 PUT(in, x)
 SEQ(out = 1, out = 2)
 if
 :: out == 2 ->
   in?x
 :: else
   skip
 fi
 do
 :: x > 'b' -> break
 :: else
   x++
   out++
 od
 atomic
 {
  x = 1
  out = x
 }
}

