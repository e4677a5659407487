/* violated: ltl served
   Eight clients and a server that takes whom it likes: the first client may wait for ever. */
byte asking[8], served0;
active [8] proctype Client() { do :: asking[_pid] == 0 -> asking[_pid] = 1 od }
active proctype Server() {
  byte i;
  do
  :: atomic { select(i : 0 .. 7); asking[i] == 1; asking[i] = 0; if :: i == 0 -> served0 = 1 - served0 :: else fi; i = 0 }
  od
}
ltl served { [] ((asking[0] == 1) -> <> (asking[0] == 0)) }
