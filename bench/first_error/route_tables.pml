/* violated: safety
   Distance vectors of five routers as an array of structures; a link that fails lets distances count to infinity. */
#define N 5
typedef Router { byte distance[N]; byte via[N] }
Router r[N];
bool up[N] = true;
active proctype Net() {
  byte i, d;
  d_step { for (i : 1 .. N - 1) { r[i].distance[0] = i; r[i].via[0] = i - 1 } }
  do
  :: up[0] -> atomic { up[0] = false; r[1].distance[0] = 100; }
  :: select(i : 1 .. N - 2);
     atomic {
       d = r[i + 1].distance[0] + 1;
       if
       :: d < r[i].distance[0] -> r[i].distance[0] = d; r[i].via[0] = i + 1
       :: r[i].via[0] == i + 1 -> r[i].distance[0] = d
       :: else
       fi;
       d = r[i].distance[0] + 1;
       if
       :: r[i + 1].via[0] == i -> r[i + 1].distance[0] = d
       :: else
       fi;
       assert(r[i].distance[0] < 16 || r[i].distance[0] == 100)
     }
  od
}
