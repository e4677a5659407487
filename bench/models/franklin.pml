/*
 * Leader election in a ring with links both ways (Franklin 1982): an active node sends its name to both neighbours and
 * waits for theirs; it stays active if its own is the greatest of the three, else it only passes on what it gets. Who
 * gets its own name is the leader.
 *
 * A link holds one message; all processes talk by rendezvous.
 *
 * Options: -DN=...      nodes
 *          -DSORTED    the names are in order round the ring, not in any order
 * Property: the node with the greatest name becomes leader, nobody else, and all come to know it (assertions); all
 * processes come to an end.
 *
 * expect: holds states=8059 transitions=31052 with -DN=2
 * expect: holds states=141967 transitions=813592 with -DSORTED
 * expect: holds states=851797 transitions=4881552 slow
 */
#ifndef N
#define N 3
#endif

mtype = { NAME, LEADER };

chan out[2 * N] = [0] of { mtype, byte };  /* of node i: [i] to its left, [N + i] to its right */
chan in[2 * N] = [0] of { mtype, byte };   /* [i] from its left, [N + i] from its right */
byte leader;

proctype link(chan from, to) {
  mtype kind;
  byte name;
end:
  do
  :: from ? kind, name -> to ! kind, name; kind = 0; name = 0
  od
}

proctype node(byte me; byte name) {
  byte left, right;

active_:
  out[me] ! NAME, name;
  out[N + me] ! NAME, name;
  in[me] ? NAME, left;
  in[N + me] ? NAME, right;
  if
  :: left == name -> goto elected
  :: left < name && right < name -> left = 0; right = 0; goto active_
  :: else -> left = 0; right = 0
  fi;

  do  /* passive */
  :: in[me] ? NAME, left -> out[N + me] ! NAME, left; left = 0
  :: in[N + me] ? NAME, right -> out[me] ! NAME, right; right = 0
  :: in[me] ? LEADER, left -> assert(left == leader && left > name); out[N + me] ! LEADER, left; goto done
  od;

elected:
  assert(right == name && name == N && leader == 0);
  leader = name;
  out[N + me] ! LEADER, name;
  in[me] ? LEADER, left;
  assert(left == name);
done: skip
}

init {
  byte names[N], i, j, k;

  atomic {
    for (i : 0 .. N - 1) { names[i] = i + 1 }
#ifndef SORTED
    for (i : 0 .. N - 2) {
      select(j : i .. N - 1);
      k = names[i]; names[i] = names[j]; names[j] = k
    }
#endif
    for (i : 0 .. N - 1) {
      run node(i, names[i]);
      run link(out[i], in[N + (i + N - 1) % N]);
      run link(out[N + i], in[(i + 1) % N])
    }
  }
}
