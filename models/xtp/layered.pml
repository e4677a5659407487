/*
 * The protocol of flat.pml, as a chain of modules at each end. A packet is handed over seven times on its way from
 * the user to the network, and seven times on its way from the network to the user:
 *
 *     user - service - session - engine - framing - checksum - access - network
 *
 * Shows: what a modular text costs. The modules beside the engine pass on what they get: `framing` writes the header
 * that the engine left to it, `checksum` marks packets and drops damaged ones, the others stand for interfaces. Such
 * a chain is natural in languages whose modules share no memory (Thees, Gotzhein 1997, on Estelle).
 *
 * Options and properties: those of flat.pml.
 *
 * expect: holds states=671 transitions=1133 with -DMESSAGES=1 -DW=1 -DNETWORK=1
 * expect: holds states=12748 transitions=30777 with -DBURST -DNETWORK=1
 * expect: violated(end-state) states=1326 transitions=3049 errors=1 with -DMESSAGES=1 -DEARLYCLOSE -DNETWORK=1
 * expect: holds states=437437 transitions=1844451 with -DMESSAGES=1 slow
 */
#define FROM_USER(e) to_engine[e]
#define FROM_USER_READY(e) nempty(to_engine[e])
#define TO_USER(e) from_engine[e]
#define QUEUED(e) (len(from_engine[e]) + len(to_service[e]) + len(indication[e]))
#define FROM_NETWORK(e) checked[e]
#define TO_NETWORK(e) to_framing[e]
#define EMPTY_TO_USER(e) empty(from_engine[e])
#define EMPTY_TO_NETWORK(e) empty(to_framing[e])

#include "packets.inc"
#include "world.inc"

chan to_session[SIDES] = [HOP] of { mtype:asked_for, Payload };
chan to_engine[SIDES] = [1] of { mtype:asked_for, Payload };
chan from_engine[SIDES] = [HOP] of { mtype:told, Payload };
chan to_service[SIDES] = [HOP] of { mtype:told, Payload };
chan to_framing[SIDES] = [HOP] of { Header, Payload };
chan to_checksum[SIDES] = [HOP] of { Header, Payload };
chan to_access[SIDES] = [HOP] of { Header, Payload };
chan from_access[SIDES] = [HOP] of { Header, Payload };
chan to_deframing[SIDES] = [HOP] of { Header, Payload };
chan checked[SIDES] = [HOP] of { Header, Payload };

#include "engine.inc"

/* Hands messages of users over. */
proctype service_down(byte e) {
  mtype:asked_for what;
  Payload p;
  short spare;
end:
  do
  :: STEP { nfull(to_session[e]) && nempty(request[e]) -> request[e] ? what, p; to_session[e] ! what, p; what = 0; FORGET(p) }
  od
}
proctype session_down(byte e) {
  mtype:asked_for what;
  Payload p;
  short spare;
end:
  do
  :: STEP { nfull(to_engine[e]) && nempty(to_session[e]) -> to_session[e] ? what, p; to_engine[e] ! what, p; what = 0; FORGET(p) }
  od
}
proctype session_up(byte e) {
  mtype:told what;
  Payload p;
  short spare;
end:
  do
  :: STEP { nfull(to_service[e]) && nempty(from_engine[e]) -> from_engine[e] ? what, p; to_service[e] ! what, p; what = 0; FORGET(p) }
  od
}
proctype service_up(byte e) {
  mtype:told what;
  Payload p;
  short spare;
end:
  do
  :: STEP { nfull(indication[e]) && nempty(to_service[e]) -> to_service[e] ? what, p; indication[e] ! what, p; what = 0; FORGET(p) }
  od
}

/* Hands packets over; `change` is what the module does to them. */
#define PACKETS(name, from, to, change) \
  proctype name(byte e) { \
    Header h; \
    Payload p; \
    short spare; \
end: \
    do \
    :: STEP { nfull(to[e]) && nempty(from[e]) -> from[e] ? h, p; change; to[e] ! h, p; FORGET(p); FORGET_HEADER(h) } \
    od \
  }
PACKETS(framing_down, to_framing, to_checksum, skip)
PACKETS(checksum_down, to_checksum, to_access, h.good = 1)
PACKETS(access_down, to_access, sent, skip)
PACKETS(access_up, arrived, from_access, skip)
PACKETS(checksum_up, from_access, to_deframing, skip)
PACKETS(framing_up, to_deframing, checked, skip)

inline run_modules(side) {
  run engine(side);
  run service_down(side); run session_down(side);
  run session_up(side); run service_up(side);
  run framing_down(side); run checksum_down(side); run access_down(side);
  run access_up(side); run checksum_up(side); run framing_up(side)
}

init {
#ifdef ENDPOINT
  run_modules(0)
#else
  atomic {
    run_modules(0);
    run_modules(1);
    run network(0); run network(1);
    run initiator(); run responder()
  }
#endif
}
