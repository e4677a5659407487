/* d_steps as options with guards, one option that jumps behind a semicolon.
 * expect: violated(end-state) states=10 transitions=9 errors=1
 */
byte temperature[2]; byte busy[8]; byte sch=0;
init { 
 d_step { 
temperature[0] =0; temperature[1] =0; busy[7] =0; }
atomic { 
run P();
} }

proctype P() { 

q: if
:: temperature[1]==1 && busy[0]==0; goto done; 

::  d_step {busy[0]==0 && sch==0 && temperature[0]==0;sch = 1;busy[0] = 1;}  goto q; 

::  d_step {busy[1]==0 && sch<3;sch++;temperature[1] = 1;busy[1] = 255;}  goto q; 
fi;
done: skip }
