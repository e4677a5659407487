/* verdicts: safety holds; never_full violated; never_full (weak) violated; false_ (weak) violated; false_ violated
   The only fair cycles pass through every process. */
bit turned[14];
byte sum;
proctype P(byte me) {
  do
  :: atomic { turned[me] == 0 -> turned[me] = 1; sum++ }
  :: atomic { sum == 14 && turned[me] == 1 -> turned[me] = 0; sum-- }
  :: atomic { turned[me] == 1 && sum < 14 -> skip }
  od
}
init { byte i; atomic { do :: i < 14 -> run P(i); i++ :: else -> break od } }
ltl never_full { [] (sum != 14) }
ltl false_ { !((sum == 15) -> (sum == 15)) }
