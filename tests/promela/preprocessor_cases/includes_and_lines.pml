#include "include/h.h"
a FROM_H
#define H "include/h.h"
#include H
b
  #  include   "include/h.h"   // c
c



#include "include/h.h"
d









e
#define MULTI(a, b) { \
  a; \
  b \
}
proctype MULTI(x = 1,
   y = 2) z
MULTI(if
:: a -> b
fi,
  do
  :: skip
  od)
/* c1 */ x /* c2
c3 */ y
/* lead
 */ z
MULTI(
#ifdef MULTI
yes
#else
no
#endif
,
#define LATE 5
LATE) LATE MULTI
(1,2) MULTI

x MULTI
MULTI
(a,b)
