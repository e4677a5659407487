/* Declarations behind statements, in blocks and in options: a step that initialises.
 * expect: holds states=79 transitions=130
 */
typedef T {
  byte q
};
byte g;

active proctype P(){
  byte a=2;
  g++;
  byte b = a+1;
  T t;
  byte arr[3];
  int z;
  {
    byte c = 3;
    g = c;
    byte c2
  };
  if
  :: byte d = 4;
    g = d
  :: g=2
  fi;
  g = b + arr[2] + t.q
}

active proctype Q(){
  g++ ;
  g--
}
