/* A hidden variable is no part of the state.
 * expect: holds states=21 transitions=32
 */
hidden byte hh;
byte x;

active [2] proctype P(){
  hh = x;
  x++;
  hh = 3
}
