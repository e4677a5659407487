/* A d_step that blocks in its middle. */
byte g; chan c = [1] of { byte };
active proctype p() { d_step { g = 1; c!1; g = 2 } }
active proctype q() { byte x; c!3; g = 5; c?x; g = 6 }
