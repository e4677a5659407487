/*
 * A transport protocol in the manner of XTP 4.0 (engine.inc has its rules), as one module at each end: a packet is
 * handed over twice on its way, from the user to the engine and from the engine to the network.
 *
 * Shows: set-up with the first packet, return keys, a window with credit, acknowledgement on request, graceful and
 * abrupt close, over a network that loses, damages and doubles packets. The same text with -DENDPOINT is one end
 * alone, the text of a program.
 *
 * Options: -DLIMIT=...        bytes of a payload in its type; -DPAYLOAD=... those that are used
 *          -DW=... -DS=...    messages in the window, sequence numbers
 *          -DMESSAGES=...     of each connection in each direction; -DCONNECTIONS=..., one after the other
 *          -DBURST            users do not wait for answers
 *          -DKILLS            the initiator may abort (one connection only: requests do not name theirs)
 *          -DNORETURNKEY      packets are taken without a look at the key
 *          -DEARLYCLOSE       an end that has sent CLOSE does not wait for GONE
 *          -DTIMERS           packets may be repeated at any time, not only when nothing else can happen
 *          -DATONCE           users take messages at once: an end always has room for W
 * Properties: what arrives is what was sent, in order, once; nobody loses a connection that nobody closed
 * (assertions); at the end no connection is half open (no invalid end state: users end without one).
 *
 * expect: holds states=8731 transitions=27938
 * expect: holds states=8731 transitions=27938 with -DLIMIT=10 -DPAYLOAD=10
 * expect: holds states=21994 transitions=70263 with -DCONNECTIONS=2
 * expect: holds states=61652 transitions=210438 with -DBURST
 * expect: holds states=32359 transitions=108136 with -DKILLS
 * expect: holds states=13273 transitions=45085 with -DW=1
 * expect: holds states=27870 transitions=104400 with -DTIMERS -DMESSAGES=1 -DNETWORK=1
 * expect: holds states=6042 transitions=19667 with -DATONCE
 * expect: holds states=1499375 transitions=6031145 with -DBURST -DMESSAGES=3 slow
 * expect: violated(assertion) states=80885 transitions=328963 errors=17138 with -DNORETURNKEY -DCONNECTIONS=2
 * expect: violated(end-state) states=38144 transitions=155744 errors=2 with -DEARLYCLOSE
 * expect: violated(assertion) states=468202 transitions=1315409 errors=144653 with -DBURST -DS=2 slow
 */
#define FROM_USER(e) request[e]
#define FROM_USER_READY(e) nempty(request[e])
#define TO_USER(e) indication[e]
#define QUEUED(e) len(indication[e])
#define FROM_NETWORK(e) arrived[e]
#define TO_NETWORK(e) sent[e]
#define EMPTY_TO_USER(e) empty(indication[e])
#define EMPTY_TO_NETWORK(e) empty(sent[e])

/* Packets that an end of a program has sent and got (bench_xtp --events). */
//@ event sent(side, type, key, xkey, sreq, seq, ack, credit) at engine : sent[side] ! type, key, xkey, sreq, seq, ack, credit, 1, _, _
//@ event came(side, type, key, xkey, sreq, seq, ack, credit) at engine : arrived[side] ? type, key, xkey, sreq, seq, ack, credit, 1, _, _
//@ event damaged(side) at engine : arrived[side] ? _, _, _, _, _, _, _, 0, _, _

#include "packets.inc"
#include "world.inc"
#include "engine.inc"

init {
#ifdef ENDPOINT
  run engine(0)
#else
  atomic {
    run engine(0); run engine(1);
    run network(0); run network(1);
    run initiator(); run responder()
  }
#endif
}
