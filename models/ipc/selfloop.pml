/*
 * A sends numbered requests through a queue and expects the answers in another one.
 *
 * Shows: why a measurement looks at who answered. A program that opens both ends of one queue by mistake (a PULL socket
 * that is connected to its own PUSH) gets every message back with the right number, and faster than any peer could
 * answer. Only the sender's name in the message tells.
 *
 * Options: -DSELF  both ends are in A; if B takes a request first, nobody answers and A waits for ever
 * Properties: each answer has the request's number and is the peer's (assertions), nobody waits for ever.
 *
 * expect: holds states=42 transitions=41
 * expect: violated(assertion,end-state) states=42 transitions=41 errors=10 with -DSELF
 */
#define ROUNDS 5

mtype = { of_a, of_b };

chan requests = [2] of { byte, mtype };
chan answers = [2] of { byte, mtype };

#ifdef SELF
#define FROM requests
#else
#define FROM answers
#endif

active proctype A() {
  byte number, answered;
  mtype who;

  do
  :: number < ROUNDS ->
     requests ! number, of_a;
     FROM ? answered, who;
     assert(answered == number);
     assert(who == of_b);
     number++
  :: else -> break
  od
}

active proctype B() {
  byte number;
  mtype who;

end:
  do
  :: requests ? number, who -> answers ! number, of_b
  od
}
