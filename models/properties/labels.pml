/*
 * Cycles that labels ask for.
 *
 * Shows: accept labels (is there a run that passes one of them again and again?) and progress labels (is there a run
 * that passes none of them from some moment on?). The accept label is a question by itself; the progress label has to
 * be asked for with --property non-progress.
 *
 * A sender repeats a message for as long as it has no answer. An impatient one does not wait for it, and so may repeat
 * the message for ever.
 *
 * Options: -DPATIENT  the sender waits for the answer
 * Properties: accept (there is no run with endless repetitions), non-progress (in every run messages get through
 * again and again). They hold for PATIENT only.
 *
 * expect: holds property=safety
 * expect: violated(acceptance-cycle) property=accept
 * expect: violated(non-progress-cycle) property=non-progress
 * expect: holds property=accept with -DPATIENT
 * expect: holds property=non-progress with -DPATIENT
 */
chan line = [1] of { bit };
chan answers = [1] of { bit };

active proctype sender() {
  bit number, repetitions;
  do
  :: line ! number;
     do
     :: answers ? _ -> break
#ifndef PATIENT
     :: line ! number ->
accept_repetition:
          repetitions = 1 - repetitions
#endif
     od;
progress:
     number = 1 - number
  od
}

active proctype receiver() {
  bit number;
  do
  :: line ? number ->
       if
       :: answers ! number
       :: full(answers)  /* one answer is enough */
       fi
  od
}
