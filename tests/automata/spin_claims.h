#pragma once

// Never claims as `spin -f` of SPIN 6.5.2 prints them, of formulas without X.

namespace cmc::test {

inline constexpr const char* kSpinClaims[] = {
    R"(never  {    /* !([]p) */
T0_init:
  do
  :: atomic { (! ((p))) -> assert(!(! ((p)))) }
  :: (1) -> goto T0_init
  od;
accept_all:
  skip
})",
    R"(never  {    /* !(<>p) */
accept_init:
T0_init:
  do
  :: (! ((p))) -> goto T0_init
  od;
})",
    R"(never  {    /* !([]<>p) */
T0_init:
  do
  :: (! ((p))) -> goto accept_S4
  :: (1) -> goto T0_init
  od;
accept_S4:
  do
  :: (! ((p))) -> goto accept_S4
  od;
})",
    R"(never  {    /* !(<>[]p) */
T0_init:
  do
  :: (! ((p))) -> goto accept_S9
  :: (1) -> goto T0_init
  od;
accept_S9:
  do
  :: (1) -> goto T0_init
  od;
})",
    R"(never  {    /* !(p U q) */
accept_init:
T0_init:
  do
  :: (! ((q))) -> goto T0_init
  :: atomic { (! ((p)) && ! ((q))) -> assert(!(! ((p)) && ! ((q)))) }
  od;
accept_all:
  skip
})",
    R"(never  {    /* !(p V q) */
T0_init:
  do
  :: atomic { (! ((q))) -> assert(!(! ((q)))) }
  :: (! ((p))) -> goto T0_init
  od;
accept_all:
  skip
})",
    R"(never  {    /* !([](p -> <>q)) */
T0_init:
  do
  :: (! ((q)) && (p)) -> goto accept_S4
  :: (1) -> goto T0_init
  od;
accept_S4:
  do
  :: (! ((q))) -> goto accept_S4
  od;
})",
    R"(never  {    /* !([](p -> (q U r))) */
T0_init:
  do
  :: (! ((r)) && (p)) -> goto accept_S4
  :: atomic { (! ((q)) && ! ((r)) && (p)) -> assert(!(! ((q)) && ! ((r)) && (p))) }
  :: (1) -> goto T0_init
  od;
accept_S4:
  do
  :: (! ((r))) -> goto accept_S4
  :: atomic { (! ((q)) && ! ((r))) -> assert(!(! ((q)) && ! ((r)))) }
  od;
accept_all:
  skip
})",
    R"(never  {    /* !([](p -> (p U q))) */
T0_init:
  do
  :: (! ((q)) && (p)) -> goto accept_S4
  :: (1) -> goto T0_init
  od;
accept_S4:
  do
  :: (! ((q))) -> goto accept_S4
  :: atomic { (! ((p)) && ! ((q))) -> assert(!(! ((p)) && ! ((q)))) }
  od;
accept_all:
  skip
})",
    R"(never  {    /* !(<>p -> (!p U q)) */
T0_init:
  do
  :: (! ((q)) && (p)) -> goto accept_S4
  :: atomic { (! ((q)) && (p)) -> assert(!(! ((q)) && (p))) }
  :: (! ((q))) -> goto T0_init
  :: (! ((q)) && (p)) -> goto accept_S13
  od;
accept_S4:
  do
  :: (! ((q))) -> goto accept_S4
  :: atomic { (! ((q)) && (p)) -> assert(!(! ((q)) && (p))) }
  od;
accept_S13:
  do
  :: atomic { ((p)) -> assert(!((p))) }
  :: (1) -> goto T0_S13
  od;
T0_S13:
  do
  :: atomic { ((p)) -> assert(!((p))) }
  :: (1) -> goto T0_S13
  od;
accept_all:
  skip
})",
    R"(never  {    /* !([](p -> []q)) */
T0_init:
  do
  :: atomic { (! ((q)) && (p)) -> assert(!(! ((q)) && (p))) }
  :: ((p)) -> goto T0_S4
  :: (1) -> goto T0_init
  od;
T0_S4:
  do
  :: atomic { (! ((q))) -> assert(!(! ((q)))) }
  :: (1) -> goto T0_S4
  od;
accept_all:
  skip
})",
    R"(never  {    /* !(<>(p && <>q)) */
accept_init:
T0_init:
  do
  :: (! ((q))) -> goto accept_S12
  :: (! ((p))) -> goto T0_init
  od;
accept_S12:
T0_S12:
  do
  :: (! ((q))) -> goto accept_S12
  od;
})",
    R"(never  {    /* !([](q -> [](!p))) */
T0_init:
  do
  :: atomic { (! ((!p)) && (q)) -> assert(!(! ((!p)) && (q))) }
  :: ((q)) -> goto T0_S4
  :: (1) -> goto T0_init
  od;
T0_S4:
  do
  :: atomic { (! ((!p))) -> assert(!(! ((!p)))) }
  :: (1) -> goto T0_S4
  od;
accept_all:
  skip
})",
    R"(never  {    /* !([]((q && !r && <>r) -> (!p U r))) */
T0_init:
  do
  :: (! ((r)) && (q)) -> goto T0_S14
  :: (! ((r)) && (p) && (q)) -> goto T0_S2
  :: (1) -> goto T0_init
  od;
T0_S14:
  do
  :: (! ((r))) -> goto T0_S14
  :: (! ((r)) && (p)) -> goto T0_S2
  od;
T0_S2:
  do
  :: atomic { ((r)) -> assert(!((r))) }
  :: (1) -> goto T0_S2
  od;
accept_all:
  skip
})",
    R"(never  {    /* !([]<>p && []<>q) */
T0_init:
  do
  :: (! ((q))) -> goto accept_S5
  :: (! ((p))) -> goto accept_S10
  :: (1) -> goto T0_init
  od;
accept_S5:
  do
  :: (! ((q))) -> goto accept_S5
  od;
accept_S10:
  do
  :: (! ((p))) -> goto accept_S10
  od;
})",
    R"(never  {    /* !([]<>p -> []<>q) */
T0_init:
  do
  :: (! ((q)) && (p)) -> goto accept_S69
  :: (! ((q))) -> goto T0_S69
  :: (1) -> goto T0_init
  od;
accept_S69:
  do
  :: (! ((q))) -> goto T0_S69
  od;
T0_S69:
  do
  :: (! ((q)) && (p)) -> goto accept_S69
  :: (! ((q))) -> goto T0_S69
  od;
})",
    R"(never  {    /* !([]<>p || <>[]q) */
T0_init:
  do
  :: (! ((p)) && ! ((q))) -> goto accept_S69
  :: (! ((p))) -> goto T0_S69
  :: (1) -> goto T0_init
  od;
accept_S69:
  do
  :: (! ((p))) -> goto T0_S69
  od;
T0_S69:
  do
  :: (! ((p)) && ! ((q))) -> goto accept_S69
  :: (! ((p))) -> goto T0_S69
  od;
})",
    R"(never  {    /* !(<>[]p -> []<>q) */
T0_init:
  do
  :: (! ((q)) && (p)) -> goto accept_S44
  :: (! ((q))) -> goto T0_S23
  :: ((p)) -> goto T0_S48
  :: (1) -> goto T0_init
  od;
accept_S44:
  do
  :: (! ((q)) && (p)) -> goto accept_S44
  od;
T0_S23:
  do
  :: (! ((q)) && (p)) -> goto accept_S44
  :: (! ((q))) -> goto T0_S23
  od;
T0_S48:
  do
  :: (! ((q)) && (p)) -> goto accept_S44
  :: ((p)) -> goto T0_S48
  od;
})",
    R"(never  {    /* !([](p -> <>q) && [](q -> <>r)) */
T0_init:
  do
  :: (! ((r)) && (q)) -> goto accept_S5
  :: (! ((q)) && (p)) -> goto accept_S10
  :: (1) -> goto T0_init
  od;
accept_S5:
  do
  :: (! ((r))) -> goto accept_S5
  od;
accept_S10:
  do
  :: (! ((q))) -> goto accept_S10
  od;
})",
    R"(never  {    /* !(p U (q U r)) */
accept_init:
T0_init:
  do
  :: (! ((r))) -> goto T0_init
  :: (! ((p)) && ! ((r))) -> goto accept_S8
  :: atomic { (! ((p)) && ! ((q)) && ! ((r))) -> assert(!(! ((p)) && ! ((q)) && ! ((r)))) }
  od;
accept_S8:
T0_S8:
  do
  :: (! ((r))) -> goto accept_S8
  :: atomic { (! ((q)) && ! ((r))) -> assert(!(! ((q)) && ! ((r)))) }
  od;
accept_all:
  skip
})",
    R"(never  {    /* !((p U q) U r) */
accept_init:
T0_init:
  do
  :: (! ((r))) -> goto T0_init
  :: (! ((q)) && ! ((r))) -> goto accept_S6
  :: atomic { (! ((p)) && ! ((q)) && ! ((r))) -> assert(!(! ((p)) && ! ((q)) && ! ((r)))) }
  od;
accept_S6:
T0_S6:
  do
  :: (! ((q))) -> goto accept_S6
  :: atomic { (! ((p)) && ! ((q))) -> assert(!(! ((p)) && ! ((q)))) }
  od;
accept_all:
  skip
})",
    R"(never  {    /* !(!(p U q)) */
T0_init:
  do
  :: atomic { ((q)) -> assert(!((q))) }
  :: ((p)) -> goto T0_init
  od;
accept_all:
  skip
})",
    R"(never  {    /* !([](p -> <>(q || r))) */
T0_init:
  do
  :: (! ((q || r)) && (p)) -> goto accept_S4
  :: (1) -> goto T0_init
  od;
accept_S4:
  do
  :: (! ((q || r))) -> goto accept_S4
  od;
})",
    R"(never  {    /* !((<>p) U (<>q)) */
accept_init:
T0_init:
  do
  :: (! ((q))) -> goto T0_init
  od;
})",
    R"(never  {    /* !([](<>p -> <>q)) */
T0_init:
  do
  :: (! ((q)) && (p)) -> goto accept_S11
  :: (! ((q))) -> goto T0_S14
  :: (1) -> goto T0_init
  od;
accept_S11:
  do
  :: (! ((q))) -> goto accept_S11
  od;
T0_S14:
  do
  :: (! ((q)) && (p)) -> goto accept_S11
  :: (! ((q))) -> goto T0_S14
  od;
})",
    R"(never  {    /* !([]p || []q) */
T0_init:
  do
  :: atomic { (! ((p)) && ! ((q))) -> assert(!(! ((p)) && ! ((q)))) }
  :: (! ((p))) -> goto T0_S4
  :: (! ((q))) -> goto T0_S9
  :: (1) -> goto T0_init
  od;
T0_S4:
  do
  :: atomic { (! ((q))) -> assert(!(! ((q)))) }
  :: (1) -> goto T0_S4
  od;
T0_S9:
  do
  :: atomic { (! ((p))) -> assert(!(! ((p)))) }
  :: (1) -> goto T0_S9
  od;
accept_all:
  skip
})",
    R"(never  {    /* !([](p && !q -> <>r)) */
T0_init:
  do
  :: (! ((q)) && ! ((r)) && (p)) -> goto accept_S4
  :: (1) -> goto T0_init
  od;
accept_S4:
  do
  :: (! ((r))) -> goto accept_S4
  od;
})",
    R"(never  {    /* !(p -> <>q) */
accept_init:
T0_init:
  do
  :: (! ((q)) && (p)) -> goto accept_S3
  od;
accept_S3:
T0_S3:
  do
  :: (! ((q))) -> goto accept_S3
  od;
})",
    R"(never  {    /* !([]!(p && q)) */
T0_init:
  do
  :: atomic { ((p && q)) -> assert(!((p && q))) }
  :: (1) -> goto T0_init
  od;
accept_all:
  skip
})",
    R"(never  {    /* !(([]<>p && []<>q) -> []<>r) */
T0_init:
  do
  :: (! ((r)) && (p) && (q)) -> goto accept_S485
  :: (! ((r)) && (p)) -> goto T2_S485
  :: (! ((r))) -> goto T0_S485
  :: (1) -> goto T0_init
  od;
accept_S485:
  do
  :: (! ((r))) -> goto T0_S485
  od;
T2_S485:
  do
  :: (! ((r)) && (q)) -> goto accept_S485
  :: (! ((r))) -> goto T2_S485
  od;
T0_S485:
  do
  :: (! ((r)) && (p) && (q)) -> goto accept_S485
  :: (! ((r)) && (p)) -> goto T2_S485
  :: (! ((r))) -> goto T0_S485
  od;
})",
    R"(never  {    /* !(<>([]p || []q)) */
T0_init:
  do
  :: (! ((p)) && ! ((q))) -> goto accept_S81
  :: (! ((p))) -> goto T1_S81
  :: (1) -> goto T0_init
  od;
accept_S81:
  do
  :: (1) -> goto T0_init
  od;
T1_S81:
  do
  :: (! ((q))) -> goto accept_S81
  :: (1) -> goto T1_S81
  od;
})"};

}  // namespace cmc::test
