/* Local paths that meet again: no statement of either counts as unreached. */
byte g;
active proctype p() {
  byte l;
  g = 1;
  if
  :: l = 1
  :: true ->
     l = 3;
     l = 1
  fi;
  l = 2;
  g = 2
}
