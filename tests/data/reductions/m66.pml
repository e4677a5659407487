byte x;
active proctype P() { atomic { x = 1; assert(_nr_pr == 3) } }
active proctype Q() { run A() }
active proctype Z() { do :: true od }
proctype A() { skip }
