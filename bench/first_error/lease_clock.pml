/* violated: safety
   Leases end at a time of a byte. Who compares times that have wrapped holds a lease that another one gets, too. */
byte now, ends[2];
bool holds[2];

active proctype Clock() {
  do
  :: now++
  od
}

active [2] proctype Client() {
  byte other = 1 - _pid % 2, me;
  me = 1 - other;
  do
  :: atomic { !holds[me] && (!holds[other] || now > ends[other]) -> holds[me] = true; ends[me] = now + 10; holds[other] = false }
  :: holds[me] && now < ends[me] -> assert(!(holds[other]))
  :: atomic { holds[me] && now < ends[me] && ends[me] - now > 10 -> assert(false) }
  :: holds[me] -> holds[me] = false
  od
}
