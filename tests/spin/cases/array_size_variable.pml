/* The size of an array may be an initialised variable.
 * expect: holds states=3 transitions=2
 */
byte N = 4;
byte a[N];

active proctype P(){
  a[3] = 1
}
