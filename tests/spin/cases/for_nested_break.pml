/* break and goto inside for loops, a for loop as the first statement of an option, empty ranges.
 * expect: holds states=80 transitions=79
 */
byte n;

active proctype p() {
  byte i, j, two = 2;
  do
  :: for (i : 1 .. 2) { n++ }; if :: n > 5 -> break :: else fi
  :: n > 2 -> goto out
  od;
out:
  for (i : 3 .. two) { n = 99 };
  for (i : 0 .. 2) {
    for (j : 0 .. i) {
      if
      :: j == 1 -> break
      :: i == 2 -> goto done
      :: else -> n--
      fi
    }
  };
done:
  assert(n != 99)
}
