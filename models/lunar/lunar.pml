/*
 * LUNAR, a lightweight underlay ad-hoc routing protocol (Tschudin, Gold 2003), on a network whose links change.
 * Model-checked before by Wibling, Parrow and Pears (2004); this is a model of its own.
 *
 * Shows: a protocol with tables, messages and long atomic handlers. Node 0 has one packet for node N-1 (with FLOWS=2
 * also the other way round) and knows nobody. Every frame carries a selector, a number that means something only to
 * the node that receives it: an index into its table of actions.
 *
 *   RREQ  is broadcast: "I look for `target`; answer to my selector `argument`". A node that knows this search
 *         (series) drops it. The target makes a DELIVER selector and answers. Any other node makes a RELAY selector,
 *         bound to the one that it was told, and broadcasts on with it.
 *   RREP  goes back along the RELAY selectors: "to reach the target send to my selector `argument`". Each node on the
 *         way makes a FORWARD selector bound to that and passes it on, until the source's ROUTE selector is reached.
 *   DATA  follows the FORWARD selectors and ends at the DELIVER selector.
 *
 * There are no route errors: when the data has not arrived, a timer makes the source forget its route and search
 * anew ("forced rediscovery"). The timer is `timeout`: it rings when nothing else can happen.
 *
 * A scenario is a file of its own that defines the links at the start (LINKS) and what happens to them meanwhile
 * (CHANGES, each change one step), and includes this one. This file by itself is scenario a: a chain, no changes.
 *
 * Options: -DN=...       nodes
 *          -DFLOWS=2     node N-1 has a packet for node 0 as well
 *          -DMAXSER=...  searches that a source may start; 1: without rediscovery
 *          -DFOREVER     the timer rings for ever, also after delivery: series are counted modulo MAXSER, a new
 *                        search clears the tables, there are no dead ends (one flow only)
 *          -DQSZ=...     capacity of a node's input queue (4 for each flow)
 *          -DNSEL=...    selectors of a node (enough for all searches)
 * Properties, all as assertions: data is delivered to the right node and once; no table overflows; no frame is lost
 * to a full queue; and no source gives up, which is the safety form of <> delivered: all runs are finite (without
 * FOREVER), and in every state without other steps a source that waits for its delivery has its timer, which either
 * starts a search or fails the assertion. So every dead end has all data delivered.
 *
 * expect: holds states=24 transitions=34
 * expect: holds states=320 transitions=533 with -DN=3 -DFLOWS=2
 * expect: holds states=230 transitions=231 steps=statement with -DN=3
 * expect: holds states=24 transitions=34 with -DMAXSER=1
 * expect: holds states=61 transitions=94 with -DFOREVER
 * expect: holds states=1206 transitions=2387 with -DFLOWS=2
 */
#ifndef N
#define N 4
#endif
#ifndef LINKS
#define LINKS for (i : 1 .. N - 1) { up(i - 1, i) }
#endif
#ifndef FLOWS
#define FLOWS 1
#endif
#ifndef MAXSER
#define MAXSER 2
#endif
#ifndef QSZ
#define QSZ (4 * FLOWS)
#endif
#ifndef NSEL
#define NSEL (2 * MAXSER * FLOWS)
#endif
#if defined(FOREVER) && FLOWS > 1
#error "FOREVER clears whole tables and so allows one flow only"
#endif

#define NOBODY N

mtype:frame = { RREQ, RREP, DATA }
mtype:action = { NONE, DELIVER, FORWARD, RELAY, ROUTE }

bit link[N * N];  /* link[a * N + b]: b hears a */
bit sent[N];      /* by source: the packet is on its way */
bit got[N];       /* by target: the packet has arrived */

/* kind, sender, selector of the receiver, series, target, argument */
chan inbox[N] = [QSZ] of { mtype:frame, byte, byte, byte, byte, byte };

typedef Entry {
  mtype:action action;
  byte to;        /* FORWARD and RELAY: the neighbour ... */
  byte selector;  /* ... and the selector that it gave us */
}

inline up(a, b)   { d_step { link[(a) * N + b] = 1; link[(b) * N + a] = 1 } }
inline down(a, b) { d_step { link[(a) * N + b] = 0; link[(b) * N + a] = 0 } }

/* A frame is lost when the link is down. It would be lost too when the queue is full, which must not happen. */
inline transmit(receiver, f_kind, f_selector, f_series, f_target, f_argument) {
  if
  :: !link[me * N + receiver]
  :: link[me * N + receiver] && full(inbox[receiver]) -> assert(false)
  :: link[me * N + receiver] && nfull(inbox[receiver]) ->
       inbox[receiver] ! f_kind, me, f_selector, f_series, f_target, f_argument
  fi
}

inline broadcast_search(f_series, f_target) {
  for (n : 0 .. N - 1) {
    if
    :: n != me -> transmit(n, RREQ, 0, f_series, f_target, fresh)
    :: else
    fi
  }
  n = 0
}

/* Makes a table entry; its selector is left in `fresh`. */
inline allocate(e_action, e_to, e_selector) {
  assert(used < NSEL);
  table[used].action = e_action;
  table[used].to = e_to;
  table[used].selector = e_selector;
  fresh = used;
  used++
}

inline clear_table() {
  do
  :: used > 0 ->
       used--;
       table[used].action = NONE;
       table[used].to = 0;
       table[used].selector = 0
  :: else -> break
  od
}

#ifdef FOREVER
#define NEXT_SERIES (searches % MAXSER + 1)
#define NEW_SEARCH  clear_table()
#else
#define NEXT_SERIES (searches + 1)
#define NEW_SEARCH  skip
#endif

#define FLOW(destination) ((destination) == 0)  /* 0: from node 0 to N-1; 1: back */

inline forget_route() {
  route_to = NOBODY;
  route_selector = 0;
  sent[me] = 0
}

inline search() {
  NEW_SEARCH;
  searches = NEXT_SERIES;
  newest[FLOW(peer)] = searches;
  allocate(ROUTE, 0, 0);
  broadcast_search(searches, peer);
  fresh = 0
}

inline on_rreq() {
  if
  :: newest[FLOW(target)] == series  /* known: drop it */
  :: else ->
       newest[FLOW(target)] = series;
       NEW_SEARCH;
       if
       :: target == me ->
            allocate(DELIVER, 0, 0);
            transmit(from, RREP, argument, series, target, fresh)
       :: else ->
            allocate(RELAY, from, argument);
            broadcast_search(series, target)
       fi
  fi
}

inline on_rrep() {
  if
  :: table[selector].action == RELAY ->
       allocate(FORWARD, from, argument);
       transmit(table[selector].to, RREP, table[selector].selector, series, target, fresh)
  :: table[selector].action == ROUTE ->
       route_to = from;
       route_selector = argument
  :: else -> assert(false)
  fi
}

inline on_data() {
  if
  :: table[selector].action == FORWARD ->
       transmit(table[selector].to, DATA, table[selector].selector, series, target, 0)
  :: table[selector].action == DELIVER ->
       assert(target == me && !got[me]);
       got[me] = 1
  :: else -> assert(false)
  fi
}

proctype node(byte me; byte peer) {  /* peer: whom we have a packet for, or NOBODY */
  Entry table[NSEL];
  byte used;                     /* entries of the table */
  byte newest[FLOWS];            /* by flow: the last search heard of */
  byte searches;                 /* as a source: the last search started */
  byte route_to = NOBODY;        /* as a source: the first hop ... */
  byte route_selector;           /* ... and its selector */

  /* The frame in hand, and scratch. Reset after each step, so that states that differ in nothing that matters are one. */
  mtype:frame kind;
  byte from, selector, series, target, argument;
  byte n, fresh;

end:
  do
  :: atomic {
       inbox[me] ? kind, from, selector, series, target, argument;
       if
       :: kind == RREQ -> on_rreq()
       :: kind == RREP -> on_rrep()
       :: kind == DATA -> on_data()
       fi;
       kind = 0; from = 0; selector = 0; series = 0; target = 0; argument = 0; fresh = 0
     }
  :: atomic { peer != NOBODY && searches == 0 -> search() }
  :: atomic {
       route_to != NOBODY && !sent[me] ->
         sent[me] = 1;
         transmit(route_to, DATA, route_selector, searches, peer, 0)
     }
#ifdef FOREVER
  :: atomic {
       timeout && peer != NOBODY ->
         got[peer] = 0;
         forget_route();
         search()
     }
#else
  :: atomic {
       timeout && peer != NOBODY && !got[peer] ->
         forget_route();
         if
         :: searches < MAXSER -> search()
         :: else ->
              assert(false);  /* undelivered, and nothing left to try */
              peer = NOBODY
         fi
     }
#endif
  od
}

init {
  byte i;
  atomic {
    LINKS;
    for (i : 0 .. N - 1) {
      run node(i, (i == 0 -> N - 1 : (FLOWS == 2 && i == N - 1 -> 0 : NOBODY)))
    }
    i = 0
  }
#ifdef CHANGES
  ;
  CHANGES
#endif
}
