/* violated: ltl small
   A counter that grows for ever passes a bound; the graph of states has no end. */
int x; bool flip;
active proctype A() { do :: x++ od }
active proctype B() { do :: flip = !flip od }
ltl small { [] (x < 20000) }
