/* A comment's end without a beginning is dropped.
 * expect: holds states=13 transitions=18
 */ */
byte x; */
#define THREE 3*/
byte y = THREE;
active [2] proctype P() {
  x = x*/* a real comment */2 + 1 */ ;
  */
  y = y - 1 */
}
