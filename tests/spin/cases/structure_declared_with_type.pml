/* A typedef and its variable on one line; an option that breaks.
 * expect: holds states=12 transitions=24
 */
typedef S { bool a; bool b; bool c; bool d } S s; 
active proctype I(){

	s.a = true;
	s.b = true;
	
	do
	::  s.c = false;
	::  s.d = false;
	::  !s.c && !s.d 
		-> break
	
	:: s.c = true;
	:: s.d = true;
	:: s.c && s.d 
		-> break
	od;
	
	assert((s.c && s.d) || (!s.c && !s.d));
}
