/*
 * Key agreement modulo a prime, done wrongly: Alice and Bob send a*G and b*G instead of G to the power of a and b.
 * Both compute the key a*b*G. Whoever listens divides by G.
 *
 * Shows: a guard that solves two congruences at once, over all pairs of secrets: 1.6 thousand million with LARGE, whose
 * prime has 16 bits.
 *
 * Options: -DLARGE  the prime is 40009 instead of 13
 * Properties: both have the same key (assertion); the listener does not know it (assertion): violated.
 *
 * expect: violated(assertion) states=128 transitions=192 errors=4
 * expect: violated(assertion) states=128 transitions=192 errors=4 solver with -DLARGE
 */
#define PROMELA_S 1
#ifndef LARGE
#define P 13
#define G 6
#else
#define P 40009
#define G 11
#endif

chan wire_a = [1] of { int };
chan wire_b = [1] of { int };
int key_a, key_b, guess;
int sent_a, sent_b;
bool done_a, done_b;

inline agree(out, in, secret, sent, key, done) {
  int other;
  if
  :: secret = 2
  :: secret = P - 3
  fi;
  sent = secret * G % P;
  out ! sent;
  in ? other;
  d_step { key = secret * other % P; done = true; other = 0; secret = 0 }
}

active proctype alice() {
  int a;
  agree(wire_a, wire_b, a, sent_a, key_a, done_a)
}

active proctype bob() {
  int b;
  agree(wire_b, wire_a, b, sent_b, key_b, done_b)
}

active proctype listener() {
  int x;
  int y;
  done_a && done_b;
  assert(key_a == key_b);
  least (x : 1 .. P - 1, y : 1 .. P - 1) where (x * G % P == sent_a && y * G % P == sent_b);
  guess = (x * y % P) * G % P;
  assert(guess != key_a)
}
