/* The function notation of messages, with mtype first; constants that select.
 * expect: violated(end-state) states=32 transitions=34 errors=1
 */
mtype = { msg, ack, nak };
chan to = [1] of { mtype, byte, bit };
chan from = [1] of { mtype, bit };

active proctype sender() {
  byte n;
  bit s;
  do
  :: n < 3 -> to!msg(n, s);
    if
    :: from?ack(s) -> n++; s = 1 - s
    :: from?ack(eval(1 - s))
    :: from?nak(_)
    fi
  :: n == 3 -> break
  od
}
active proctype receiver() {
  byte v;
  bit s;
  end: do
  :: to?msg(v, s) ->
    if
    :: from!ack(s)
    :: v == 1 -> from!nak(s); break
    fi
  od
}
