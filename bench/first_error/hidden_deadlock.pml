/* violated: safety
   Ten workers take two of five tools each, in the order of their own numbers. */
bit tool[5];
active [10] proctype Worker() {
  byte one = _pid % 5, two = (_pid + 2) % 5, work;
  do
  :: atomic { tool[one] == 0 -> tool[one] = 1 };
     atomic { tool[two] == 0 -> tool[two] = 1 };
     work = (work + 1) % 3;
     tool[two] = 0; tool[one] = 0
  od
}
