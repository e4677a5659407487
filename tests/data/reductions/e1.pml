/* An `else` beside a rendezvous channel that is not known: a local step of the other process makes it ready. */
chan rv = [0] of { byte };
active proctype p() { byte l; l = 1; rv?l }
active proctype q() {
  chan c;
  c = rv;
  if
  :: c!1 -> skip
  :: else -> assert(false)
  fi
}
