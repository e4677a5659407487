/* Typedefs in typedefs, arrays, channels inside structures and arrays of channels, widths, hidden variables, mtypes. */
mtype = { one, two };
mtype:colour = { red, green };
typedef Inner { byte b[3]; chan c = [1] of { byte } }
typedef Outer { Inner in[2]; short s; unsigned u : 5; mtype:colour m }
Outer o[2];
hidden byte scratch;
bit flag, flags[3];
chan rows[2] = [0] of { Inner, int, mtype };
int numbers[2] = -1;

proctype P(byte p; pid q; chan c) {
  byte k = 3;
  o[1].in[k].b[2] = p;
  rows[q]!o[1].in[0], 5, two
}
active [2] proctype Q() { skip }
