/* Initial values of locals from globals and from locals.
 * expect: holds states=3 transitions=2
 */
byte x=3;

active proctype P(){
  byte y=x;
  byte z=y+1;
  x = z
}
