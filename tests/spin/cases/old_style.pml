/* Old-style text: macros for locks, no types for parameters repeated, separators on lines of their own.
 * expect: holds states=474 transitions=844
 */
#define MAX 3
#define true 1
#define lock(l) atomic { l == 0 -> l = 1 }
#define unlock(l) l = 0
byte l, c;
proctype A(byte n; chan in, out)
{	byte i
	;
	i = 0;
	do
	:: (i < MAX) ->
		lock(l); c++; c--; unlock(l);
		i++;
	:: (i >= MAX) -> goto done
	od;
done:
	printf("done %d\n", n);
end: }
init { chan a = [0] of {byte}; chan b=[1] of {byte}; atomic { run A(1, a, b); run A(2, b, a); }; }
