/* violated: ltl rings; options: --fairness weak
   Two phones with one line: even with weak fairness, the line may be taken whenever the second one looks. */
bool taken;
byte calls, rings;
active proctype First() {
  do
  :: atomic { !taken -> taken = true }; calls = (calls + 1) % 20; taken = false
  od
}
active proctype Second() {
  atomic { !taken -> taken = true; rings = 1 };
  taken = false
}
ltl rings { <> (rings == 1) }
