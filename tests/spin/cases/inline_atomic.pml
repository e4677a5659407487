/* Inlines as the body of atomic and d_step and as a guard.
 * expect: violated(assertion) states=79 transitions=112 errors=6
 */
bool lock;
byte n;

inline acquire() { !lock; lock = true }
inline release() { lock = false }

active [2] proctype p() {
  atomic { acquire() };
  n++;
  assert(n == 1);
  n--;
  release();
  if
  :: atomic { acquire(); n++; release() }
  :: n > 0 -> d_step { n = 0; n = n + 0 }
  fi
}
