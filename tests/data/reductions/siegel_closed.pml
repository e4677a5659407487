bool p = 1;
active proctype B() { byte y; do :: y = 0 od }
active proctype A() { do :: p = 0; do :: p = 0 :: p = 1 -> break od od }
never  {    /* []<>p && []<>!p */
T0_init:
  do
  :: (! ((p))) -> goto T1_S81
  :: (1) -> goto T0_init
  od;
accept_S81:
  do
  :: (1) -> goto T0_init
  od;
T1_S81:
  do
  :: (1) -> goto T1_S81
  :: ((p)) -> goto accept_S81
  od;
}
