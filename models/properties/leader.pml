/*
 * Leader election in a unidirectional ring (Chang, Roberts 1979): does it end with one leader?
 *
 * Shows: "eventually" and "eventually for ever" on runs that end. A run that ends stays in its last state, so that
 * these formulas speak about it, too.
 *
 * Every process sends its number. It passes larger numbers on, swallows smaller ones, and has won when its own comes
 * back.
 *
 * Options: -DN=...  processes
 *          -DTWINS  two processes have the largest number
 * Properties: elected (holds), one_leader and at_most_one (hold, but for TWINS).
 *
 * expect: holds property=safety
 * expect: holds property=elected
 * expect: holds property=one_leader
 * expect: holds property=at_most_one
 * expect: violated(acceptance-cycle) property=one_leader with -DTWINS
 * expect: violated(acceptance-cycle) property=one_leader fairness=weak only-cmc with -DTWINS
 */
#ifndef N
#define N 3
#endif

chan link[N] = [N] of { byte };
byte leaders;

active [N] proctype node() {
  byte mine = _pid + 1, number;

#ifdef TWINS
  if
  :: _pid == 0 -> mine = N
  :: else
  fi;
#endif
  link[(_pid + 1) % N] ! mine;
end:
  do
  :: link[_pid] ? number ->
       if
       :: number > mine -> link[(_pid + 1) % N] ! number
       :: number == mine -> leaders++
       :: else
       fi
  od
}

ltl elected     { <> (leaders > 0) }
ltl one_leader  { <>[] (leaders == 1) }
ltl at_most_one { [] (leaders <= 1) }
