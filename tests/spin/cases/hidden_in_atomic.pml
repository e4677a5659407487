/* Inside atomic, a hidden variable is scratch as long as the process cannot block.
 * expect: holds states=27 transitions=126
 */
byte x, y;
hidden byte kept;
chan q = [2] of { byte };

active [2] proctype p() {
  do
  :: atomic { x < 3 -> kept = x; x = y; y = kept + 1; if :: kept > 1 -> y = 0 :: else fi; assert(kept < 4) }
  :: atomic { q?kept -> x = kept }
  :: q!2
  od
}
