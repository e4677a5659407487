/* violated: safety
   Three jobs on three machines; time passes when nothing can start. A schedule within 14 is the counterexample. */
byte machine_free[3], job_free[3], step[3], now;
byte takes[9], on[9];
init {
  byte k;
  d_step {
    on[0] = 0; on[1] = 1; on[2] = 2; takes[0] = 3; takes[1] = 2; takes[2] = 4;
    on[3] = 1; on[4] = 0; on[5] = 2; takes[3] = 4; takes[4] = 1; takes[5] = 3;
    on[6] = 2; on[7] = 0; on[8] = 1; takes[6] = 2; takes[7] = 5; takes[8] = 2
  }
end: do
  :: now < 20 ->
    if
    :: select(k : 0 .. 2);
       if
       :: step[k] < 3 && job_free[k] <= now && machine_free[on[k * 3 + step[k]]] <= now ->
            atomic {
              job_free[k] = now + takes[k * 3 + step[k]];
              machine_free[on[k * 3 + step[k]]] = job_free[k];
              step[k]++
            }
       :: else
       fi
    :: now++
    fi;
    assert(!(step[0] == 3 && step[1] == 3 && step[2] == 3 && job_free[0] <= 14 && job_free[1] <= 14 && job_free[2] <= 14))
  od
}
