/* violated: safety
   A hash table of 64 slots with open addressing: removal leaves a hole that hides the keys behind it. */
#define SLOTS 64
byte table[SLOTS];
bool stored[4];
active proctype User() {
  byte key, at, n;
  do
  :: select(key : 1 .. 3);
     at = (key * 64) % SLOTS;
     n = 0;
     do
     :: table[at] != 0 && table[at] != key -> at = (at + 1) % SLOTS
     :: table[at] == 0 || table[at] == key -> break
     od;
     if
     :: table[at] == 0 -> assert(!stored[key]); table[at] = key; stored[key] = true
     :: table[at] == key -> table[at] = 0; stored[key] = false
     fi
  od
}
