/* What link.py does: a sender with one bit, who waits for an answer before the next message. */

mtype = { data, ack };
chan line = [4] of { mtype, bit };
chan back = [4] of { mtype, bit };

//@ event send(bit) at Sender : line ! data, bit
//@ event acked(bit) at Sender : back ? ack, bit
//@ event got(bit) at Receiver : line ? data, bit
//@ event answer(bit) at Receiver : back ! ack, bit

active proctype Sender() {
  bit now, answer;
end:
  do
  :: line ! data(now);
     back ? ack(answer);
     if
     :: answer == now -> now = 1 - now
     :: else
     fi
  od
}

active proctype Receiver() {
  bit which;
end:
  do
  :: line ? data(which); back ! ack(which)
  od
}
