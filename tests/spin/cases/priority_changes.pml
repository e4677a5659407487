/* Priorities: static, set_priority of itself and of others, assignment to _priority.
 * expect: holds states=16 transitions=15
 */
byte x;

active proctype P() priority 5 {
  x++;
  set_priority(_pid, 1);
  x++;
  x++
}

active proctype Q() priority 3 {
  x = 10;
  x = get_priority(0);
  set_priority(0,7);
  x++
}

active proctype R(){
  x--;
  _priority = 9;
  x++;
  x--
}
