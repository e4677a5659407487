/* violated: safety
   Three missionaries, three cannibals, a boat for two: the way across is the counterexample. */
byte m = 3, c = 3;
bit boat;
byte crossings;
#define safe ((m == 0 || m >= c) && (m == 3 || 3 - m >= 3 - c))
init {
  do
  :: atomic { boat == 0 && m >= 1 -> m--; boat = 1 }; if :: safe -> crossings++ :: else -> break fi
  :: atomic { boat == 0 && m >= 2 -> m = m - 2; boat = 1 }; if :: safe -> crossings++ :: else -> break fi
  :: atomic { boat == 0 && c >= 1 -> c--; boat = 1 }; if :: safe -> crossings++ :: else -> break fi
  :: atomic { boat == 0 && c >= 2 -> c = c - 2; boat = 1 }; if :: safe -> crossings++ :: else -> break fi
  :: atomic { boat == 0 && m >= 1 && c >= 1 -> m--; c--; boat = 1 }; if :: safe -> crossings++ :: else -> break fi
  :: atomic { boat == 1 && m <= 2 -> m++; boat = 0 }; if :: safe -> crossings++ :: else -> break fi
  :: atomic { boat == 1 && c <= 2 -> c++; boat = 0 }; if :: safe -> crossings++ :: else -> break fi
  :: atomic { boat == 1 && m <= 2 && c <= 2 -> m++; c++; boat = 0 }; if :: safe -> crossings++ :: else -> break fi
  :: m == 0 && c == 0 -> assert(false)
  od
}
