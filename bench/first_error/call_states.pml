/* violated: safety
   A telephone call with two ends as state machines of gotos: hanging up while the other rings leaves it ringing. */
mtype = { INVITE, RING, OK, BYE, CANCEL };
chan net[2] = [3] of { mtype };
byte talking, ringing;
proctype Phone(byte me) {
  byte redial;
idle:
  if
  :: redial < 30 -> redial++; net[1 - me] ! INVITE; goto calling
  :: net[me] ? INVITE -> ringing++; net[1 - me] ! RING; goto called
  :: net[me] ? BYE -> goto idle
  :: net[me] ? CANCEL -> goto idle
  :: net[me] ? RING -> goto idle
  :: net[me] ? OK -> net[1 - me] ! BYE; goto idle
  fi;
calling:
  if
  :: net[me] ? RING -> goto calling
  :: net[me] ? OK -> talking++; goto talk
  :: net[me] ? INVITE -> net[1 - me] ! CANCEL; goto idle
  :: net[1 - me] ! CANCEL -> goto idle
  :: net[me] ? CANCEL -> goto idle
  :: net[me] ? BYE -> goto idle
  fi;
called:
  if
  :: atomic { net[1 - me] ! OK -> ringing--; talking++ }; goto talk
  :: atomic { net[me] ? CANCEL -> ringing-- }; goto idle
  :: atomic { net[me] ? BYE -> ringing-- }; goto idle
  fi;
talk:
  assert(talking <= 2);
  if
  :: atomic { net[1 - me] ! BYE -> talking-- }; goto idle
  :: atomic { net[me] ? BYE -> talking-- }; goto idle
  fi
}
init { atomic { run Phone(0); run Phone(1) } }
