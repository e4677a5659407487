/* violated: ltl claimOk
   Termination detection in a ring that forgets to blacken a node; beside the formula there are millions of states. */
#define N 5
bool active_[N] = true; byte pending[N]; bool black[N]; bool tokenBlack; byte at; bool claimed;
active [N] proctype Node() {
  byte j;
  do
  :: active_[_pid] -> select(j : 0 .. 4); d_step { if :: pending[j] < 2 -> pending[j]++ :: else fi; j = 0 } /* forgets to blacken */
  :: active_[_pid] -> active_[_pid] = false
  :: d_step { pending[_pid] > 0 -> pending[_pid]--; active_[_pid] = true }
  :: d_step { at == _pid && !active_[_pid] && _pid != 0 -> tokenBlack = tokenBlack || black[_pid]; black[_pid] = false; at = _pid - 1 }
  :: d_step { at == 0 && _pid == 0 && !active_[0] -> if :: !tokenBlack && !black[0] -> claimed = true :: else fi; tokenBlack = false; black[0] = false; at = N - 1 }
  od
}
ltl claimOk { [] (claimed -> !(active_[1] || active_[2])) }
