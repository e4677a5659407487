/*
 * What passes through channels, as an automaton.
 *
 * Shows: trace and notrace. They move with each send and receive on the channels that they name; other channels, and
 * for a channel of which only sends are named its receives, do not concern them. A client must have its answer before
 * it asks again; the answer to a request is never a refusal followed by a grant (DENY).
 *
 * Options: -DHASTY   a client asks again before it has its answer
 *          -DDENY    a notrace instead of the trace
 * Properties: trace (holds, but for HASTY), notrace (violated).
 *
 * expect: holds property=safety
 * expect: holds property=trace
 * expect: violated(trace) property=trace with -DHASTY
 * expect: violated(notrace) property=notrace with -DDENY
 */
mtype = { ask, grant, refuse };
chan requests = [2] of { mtype };
chan answers = [2] of { mtype };

active proctype client() {
  do
  :: requests ! ask;
#ifdef HASTY
     if
     :: requests ! ask; answers ? _
     :: skip
     fi;
#endif
     answers ? _
  od
}

active proctype server() {
  do
  :: requests ? ask ->
       if
       :: answers ! grant
       :: answers ! refuse
       fi
  od
}

#ifdef DENY
notrace {
  do
  :: answers ! grant
  :: answers ! refuse -> break
  od;
  answers ! grant
}
#else
trace {
  do
  :: requests ! ask;
     if
     :: answers ! grant
     :: answers ! refuse
     fi
  od
}
#endif
