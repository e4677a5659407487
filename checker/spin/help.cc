#include "checker/spin/arguments.h"

namespace cmc::spin {

std::string spin_help() {
  return R"(Usage: cmc spin [OPTIONS] MODEL

SPIN's command line: what programs and people type for `spin`, with SPIN's
texts, trails and exit status. A link or copy whose name contains `spin` does
the same.

Simulation (as spin):
  MODEL                   one random run
  -nN                     seed; -h prints it
  -uN                     at most N steps; -jN: show them from the Nth on
  -i                      you choose each step
  -p                      print statements, and with them:
  -g -l -r -s -w          global and local variables, receives, sends; -w: all
                          variables at each step
  -b -B -T                no printf output, no final state, no indentation
  -X                      the form that graphical interfaces read
  -t[N], -kFILE, -replay  follow the trail MODEL.trail, MODELN.trail or FILE
  -DNAME -UNAME -EARG     for the preprocessor;  -J: order of nested unless

Verification:
  -run, -search           as `spin -run`; options behind it are those of pan
                          and of its compilation:
      -a -l -f            acceptance cycles, non-progress cycles, weak fairness
      -N NAME, -ltl NAME  which claim;  -noclaim, -DNOCLAIM: none
      -A -E               ignore assertions, invalid end states
      -cN                 stop at the Nth error, and write its trail (0: never)
      -e                  all errors, and a trail of each: MODEL1.trail, ...
      -tSUFFIX -n         name of trails; no list of unreached statements
      -d -D               state machines as tables, as graphs for Graphviz
      -bfs, -DBFS         breadth first;  -noreduce, -DNOREDUCE: no reduction
      -DMEMLIM=N -QN      limits: megabytes, minutes;  -DNCORE=N: threads
  -a                      writes pan.c, a small program that calls cmc:
                          `gcc -o pan pan.c && ./pan -a` work as ever
  -N FILE                 in front of -run or with -a: a never claim from a file
  -f FORMULA, -F FILE     the same with the claim of a formula

Formulas and texts:
  -f FORMULA, -F FILE     without a model: prints the never claim of a formula
  -d                      variables and labels
  -I                      the preprocessed model;  -V: SPIN's version
  -v                      notes on standard error, which is empty else: what CMC
                          answers exactly although less was asked for
                          (-DBITSTATE, -DHC, -m, -w), and its warnings

Not supported, and refused: -A, -C, -L, -e and -m in front of -run, -O, -o6,
-o7, -pp, -Z, pan -q. -M and -c print no columns: see `cmc replay --trace`.
)";
}

}  // namespace cmc::spin
