/*
 * LUNAR (see lunar.pml) with four nodes, scenario d, data both ways: the counterpart of the model "lunar4" of 2006.
 *
 * Shows: what one step is decides the number of states. With --steps statement the insides of the handlers are states
 * as well; most states then have a single successor and are reached only once. With queues of four frames one can
 * overflow: two searches and an answer may meet in one node.
 *
 * expect: holds states=36695 transitions=99898
 * expect: violated(assertion) states=44643 transitions=118750 errors=1189 with -DQSZ=4
 * expect: holds states=1215050 transitions=1278253 steps=statement slow
 */
#define FLOWS 2
#include "lunar-d.pml"
