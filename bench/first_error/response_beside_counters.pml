/* violated: ltl answered
   Four processes count; a fifth hears a call and may never answer. */
byte n[4];
bool call, answer;
active [4] proctype Counter() {
  do
  :: n[_pid] = (n[_pid] + 1) % 16
  od
}
active proctype Operator() {
  do
  :: answer = false; call = true; call = false; if :: answer = true :: skip fi
  od
}
ltl answered { [] (call -> <> answer) }
