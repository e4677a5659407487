/* Character constants, comments in strange places, names that begin with keywords.
 * expect: holds states=12 transitions=11
 */
byte c = 'a';
byte iffy, dodo, runner, evaluate /* , gone */ , inner;

active proctype p() {
  c = 'z' - c; // to the end of the line
  iffy = '\n';
  do :: dodo < 2 -> dodo++ /* here
    too */ :: dodo == 2 -> break od;
  runner = iffy / 5;
  evaluate = c; inner = 1
}
