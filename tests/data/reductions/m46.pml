proctype A() { assert(_pid == 2) }
proctype B() { skip }
active proctype P() { run A() }
active proctype Q() { run B() }
