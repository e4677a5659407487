/*
 * The alternating bit protocol (Bartlett, Scantlebury, Wilkinson 1969): is a new message taken again and again?
 *
 * Shows: fairness as an option, and fairness as a premise of the formula. Another process uses the machine, too; only
 * a weakly fair scheduler keeps it from having the machine for itself. A thief takes messages from the channels
 * (LOSS). No scheduler stops him from taking all of them, so the formula has to say that some get through.
 *
 * Options: -DLOSS  the channels lose messages
 * Properties: goes_on (holds under weak fairness, without LOSS), unless_all_is_lost (holds under weak fairness).
 *
 * expect: holds property=safety
 * expect: violated(acceptance-cycle) property=goes_on
 * expect: holds property=goes_on fairness=weak
 * expect: violated(acceptance-cycle) property=goes_on fairness=weak with -DLOSS
 * expect: violated(acceptance-cycle) property=unless_all_is_lost with -DLOSS
 * expect: holds property=unless_all_is_lost fairness=weak with -DLOSS
 */
chan forth = [1] of { bit };
chan back = [1] of { bit };
bit others;

active proctype sender() {
  bit mine, theirs;
  do
  :: forth ! mine
  :: back ? theirs ->
answered:
       if
       :: theirs == mine -> mine = 1 - mine
       :: else  /* the answer to a repetition */
       fi
  od
}

active proctype receiver() {
  bit theirs, awaited;
  do
  :: forth ? theirs ->
arrived:
       if
       :: theirs == awaited ->
taken:
            awaited = 1 - awaited
       :: else
       fi;
       back ! theirs
  od
}

active proctype other() {
  do
  :: others = 1 - others
  od
}

#ifdef LOSS
active proctype thief() {
  do
  :: forth ? _
  :: back ? _
  od
}
#endif

ltl goes_on            { []<> receiver@taken }
ltl unless_all_is_lost { ([]<> receiver@arrived && []<> sender@answered) -> []<> receiver@taken }
