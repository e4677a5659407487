#include "checker/spin/arguments.h"

namespace cmc::spin {

std::string spin_help() {
  return R"(Usage: cmc spin [OPTIONS] MODEL

SPIN's command line: what programs and people type for `spin`, with SPIN's
texts, trails and exit status. A link named `spin` to cmc does the same.

Simulation (as spin):
  MODEL                   one random run
  -nN                     seed; -h prints it
  -uN                     at most N steps; -jN: show them from the Nth on
  -i                      you choose each step (the menu of cmc simulate)
  -p -g -l -r -s          print statements, global and local variables,
                          receives, sends
  -b -B -T                no printf output, no final state, no indentation
  -t[N], -kFILE, -replay  follow the trail MODEL.trail, MODELN.trail or FILE
  -DNAME -UNAME -EARG     for the preprocessor;  -J: order of nested unless

Verification:
  -run, -search           as `spin -run`; options behind it are those of pan
                          and of its compilation:
      -a -l -f            acceptance cycles, non-progress cycles, weak fairness
      -N NAME, -ltl NAME  which claim;  -noclaim, -DNOCLAIM: none
      -A -E               ignore assertions, invalid end states
      -cN -e              stop at the Nth error (0: never), a trail for each
      -n                  no list of unreached statements
      -bfs, -DBFS         breadth first;  -noreduce, -DNOREDUCE: no reduction
      -DMEMLIM=N -QN      limits: megabytes, minutes;  -DNCORE=N: threads
  -a                      writes pan.c, a small program that calls cmc:
                          `gcc -o pan pan.c && ./pan -a` work as ever

Formulas and texts:
  -f FORMULA, -F FILE     the never claim of a formula
  -I                      the preprocessed model;  -V: versions

What CMC answers exactly although less was asked for (-DBITSTATE, -DHC, -m, -w)
is said on standard error. Not supported, and refused: -m, -N FILE, -O, -o6,
-o7, -pp, -e, pan -q. -M and -c print no columns: see `cmc replay --trace`.
)";
}

}  // namespace cmc::spin
