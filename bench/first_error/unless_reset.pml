/* violated: safety
   A pump counts strokes unless a reset comes; the reset at the last stroke is lost. */
short strokes;
bit reset, lost;
active proctype Pump() {
  do
  :: { do :: strokes < 20000 -> strokes++ :: strokes == 20000 -> lost = 1; strokes = 0 od } unless { reset == 1 -> reset = 0; strokes = 0 }
  od
}
active proctype Button() { byte n; do :: n < 3 -> reset == 0; reset = 1; n++ :: else -> break od; assert(lost == 0) }
