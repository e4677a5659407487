/* violated: safety
   The sieve of Eratosthenes with a process for each prime; the filter lets squares pass. */
#define MAX 40
proctype Filter(byte prime; chan in) {
  chan out = [1] of { byte };
  byte n;
  bool last = true;
  do
  :: in ? n ->
       if
       :: n == 0 -> if :: last -> skip :: else -> out ! 0 fi; break
       :: n != 0 && n % prime == 0 && n != prime * prime -> skip
       :: n != 0 && (n % prime != 0 || n == prime * prime) ->
            if
            :: last -> assert(n != 25); run Filter(n, out); last = false
            :: else -> out ! n
            fi
       fi
  od
}
init {
  chan first = [1] of { byte };
  byte i;
  run Filter(2, first);
  for (i : 3 .. MAX) { first ! i }
  first ! 0
}
