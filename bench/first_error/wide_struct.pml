/* violated: safety
   A table of records is filled row by row; the sum of a column overruns. */
typedef Row { byte a; short b; int c; bit used; byte tag[4] };
Row row[30];
int sum;
active proctype Fill() {
  byte i;
  do
  :: i < 30 -> row[i].a = i; row[i].b = i * i; row[i].c = i * i * i; row[i].used = 1; row[i].tag[i % 4] = i; sum = sum + row[i].b; i++
  :: else -> break
  od
}
active proctype Check() {
  byte k;
  do
  :: row[29].used == 1 -> break
  :: k < 29 && row[k].used == 1 -> k++
  od;
  assert(sum < 8555)
}
