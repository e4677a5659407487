/*
 * LUNAR (see lunar.pml) on a chain whose links stay, beside other traffic that never ends: is the packet delivered?
 *
 * Shows: a formula about a large model that is included. Without a fair scheduler the other traffic can keep all nodes
 * from moving; under weak fairness a route is found and the packet arrives.
 *
 * Properties: delivered (holds under weak fairness), a packet arrives only behind its sending: in_order (holds).
 *
 * expect: violated(acceptance-cycle) property=delivered
 * expect: holds property=delivered fairness=weak
 * expect: holds property=in_order
 */
#define N 3
#define CHANGES do :: traffic = 1 - traffic od
bit traffic;
#include "lunar.pml"

ltl delivered { <> (got[N - 1] == 1) }
ltl in_order  { !(got[N - 1] == 1) W (sent[0] == 1) }
