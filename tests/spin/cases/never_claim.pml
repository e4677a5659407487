/* A never claim as older translators write it.
 * expect: holds property=safety states=9 transitions=8
 * expect: violated(end-of-claim) property=never_0
 */
byte x; bool p; active proctype P(){ do :: x<3 -> x++ :: x==3 -> break od }
never {    /* !([]p) */
T0_init:
	if
	:: (! ((p))) -> goto accept_all
	:: (1) -> goto T0_init
	fi;
accept_all:
	skip
}
