/* Static priorities, set_priority and run with a priority: only the highest enabled process moves.
 * expect: holds states=44 transitions=81
 */
byte x;

proctype low() priority 1 {
  x++; x++
}
proctype high() priority 10 {
  x > 0;
  x = x + 10;
  set_priority(_pid, 1);
  x = x + 10
}
init priority 20 {
  atomic { run low(); run high(); run low() priority 3 };
  _priority = 1;
  x = x + 1
}
