/* A notrace ends at its closing brace. */
chan q = [2] of { byte };

active proctype A() { do :: q!1 :: q!2 :: q?_ od }

notrace {
  q!1;
  do :: q!2 -> break :: q?_ od;
  if :: q!1 :: q!2; q?1 fi
}
