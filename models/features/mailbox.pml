/*
 * Buffered channels with all their operations: an office with one mailbox.
 *
 * Shows: sorted send (!!), which keeps the queue in order; random receive (??), which takes the first message that
 * matches wherever it stands; reading without taking (?<>); polls (?[ ], ??[ ]); len, full, empty, nfull, nempty;
 * constants, eval and _ in a receive.
 *
 * Options: -DQSZ=...  capacity of the mailbox
 * Properties: the clerk never leaves a more urgent message behind, and takes the one looked at; kinds and urgencies
 * belong together; a bill is taken out of turn only from a full box (assertions); no deadlock.
 *
 * expect: holds states=92 transitions=223
 * expect: holds states=245 transitions=667 with -DQSZ=3
 */
#ifndef QSZ
#define QSZ 2
#endif

mtype = { BILL, LETTER, ALARM };

chan mailbox = [QSZ] of { byte, mtype };  /* urgency, kind */

active [2] proctype customer() {
  do
  :: nfull(mailbox) -> mailbox !! 2, LETTER
  :: len(mailbox) < QSZ - 1 -> mailbox !! 1 + _pid, BILL
  :: empty(mailbox) -> mailbox !! 0, ALARM
  od
}

active proctype clerk() {
  byte urgency, looked_at;
  mtype kind;

  do
  :: atomic { mailbox ?? [_, ALARM] -> mailbox ?? urgency, ALARM; assert(urgency == 0) }
  :: atomic {  /* the most urgent one */
       nempty(mailbox) && !(mailbox ?? [_, ALARM]) ->
         mailbox ? <looked_at, _>;
         mailbox ? urgency, kind;
         assert(urgency == looked_at && urgency >= 1 && kind != ALARM);
         assert(kind == BILL || urgency == 2);
         assert(!(mailbox ?? [0, _]) && (urgency == 1 || !(mailbox ?? [1, _])));
         urgency = 0; looked_at = 0; kind = 0
     }
  :: atomic {  /* when it is full, the bills first, of any urgency */
       full(mailbox) && mailbox ?? [_, BILL] ->
         mailbox ?? _, BILL;
         assert(len(mailbox) == QSZ - 1)
     }
  od
}
