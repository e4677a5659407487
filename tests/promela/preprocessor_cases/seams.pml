#define I() k
#define J() k 
#define K(x) x
I()23 I()1e K(k)23 K(1)x K(k).5 K(k)"s" K(:)= K(->)= K(^)= K(<<)= K(++)= K(||)= K(<=)= K(##)# K(%):
K(<):K(.)5 K(.).5 K(..). K('a')x K("a")x K("a")1 K(a)'x'
K(#)# K(@)x K(\)x K(\)1 K(x)\ K(x)@ K($)x K(:)@
#define K(x) x
K(k)1.5 K(k)1.. K(k)1e+5 K(k)1e5 K(\)u8 K(\)x K(\)U1 K(@)x K(\)"s" K(`)x
