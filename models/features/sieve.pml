/*
 * The sieve of Eratosthenes as a pipeline that grows.
 *
 * Shows: dynamic process creation, channels made and handed on as arguments. A filter keeps the first number it gets,
 * a prime, passes on those that it does not divide, and starts its successor when there is one to pass on. Processes
 * disappear in the reverse order of their creation.
 *
 * Options: -DMAX=...  the largest number tested
 *          -DQSZ=...  capacity of the channels; 0: rendezvous
 * Property: the numbers kept are prime and there are PRIMES of them at the end (assertions), no deadlock.
 *
 * expect: holds states=354 transitions=733 with -DMAX=6 -DPRIMES=3
 * expect: holds states=1053 transitions=2510
 * expect: holds states=379 transitions=773 with -DQSZ=0
 * expect: violated(assertion) states=1053 transitions=2510 errors=1 with -DPRIMES=5
 */
#ifndef MAX
#define MAX 8
#endif
#ifndef PRIMES
#define PRIMES 4
#endif
#ifndef QSZ
#define QSZ 1
#endif

#define END 0

byte found;

inline assert_prime(p) {
  for (divisor : 2 .. p - 1) {
    assert(p % divisor != 0)
  }
}

proctype filter(chan in) {
  chan out = [QSZ] of { byte };
  byte prime, number, divisor;
  bool last = true;

  in ? prime;
  d_step {
    assert_prime(prime);
    divisor = 0;
    found++
  }
  do
  :: in ? number ->
       if
       :: number == END -> break
       :: number != END && number % prime == 0
       :: else ->
            if
            :: last -> last = false; run filter(out)
            :: else
            fi;
            out ! number
       fi
  od;
  if
  :: last -> assert(found == PRIMES)
  :: else -> out ! END
  fi
}

init {
  chan first = [QSZ] of { byte };
  byte number;

  run filter(first);
  for (number : 2 .. MAX) {
    first ! number
  }
  first ! END
}
