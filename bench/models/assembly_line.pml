/*
 * An assembly line: five machines in a chain hand parts on by rendezvous. The loader numbers the parts, the press needs
 * a new die now and then, the oven bakes parts in batches, the inspector throws some away, the packer fills boxes. After
 * the last part the loader sends END, to which each machine adds what it knows.
 *
 * Options: -DPARTS=...  parts in a shift
 *          -DBATCH=...  parts that the oven holds
 *          -DWEAR=...   parts that a die lasts at least; it is worn out after twice as many
 *          -DBOX=...    parts in a box
 * Property: parts arrive in order, none is lost, and a die is not used too long (assertions); the line empties itself.
 *
 * expect: holds states=10666 transitions=33847 with -DPARTS=4
 * expect: holds states=123471 transitions=418221 with -DPARTS=6 -DBATCH=2
 * expect: holds states=1505336 transitions=5301748 slow
 */
#ifndef PARTS
#define PARTS 10
#endif
#ifndef BATCH
#define BATCH 3
#endif
#ifndef WEAR
#define WEAR 4
#endif
#ifndef BOX
#define BOX 5
#endif

mtype = { PART, END };
chan belt[4] = [0] of { mtype, byte, byte };  /* PART, number, 0 or END, parts loaded, parts thrown away */

inline unload() {
  do
  :: inside > 0 -> belt[2] ! PART, first, 0; first++; inside--
  :: inside == 0 -> break
  od
}

active proctype loader() {
  byte loaded;

  do
  :: loaded < PARTS -> belt[0] ! PART, loaded, 0; loaded++
  :: loaded == PARTS -> belt[0] ! END, loaded, 0; break
  od
}

active proctype press() {
  byte number, pressed, dies;

  do
  :: belt[0] ? PART, number, _ ->
       pressed++;
       assert(pressed <= 2 * WEAR);
       belt[1] ! PART, number, 0;
       if
       :: pressed >= WEAR -> pressed = 0; dies++
       :: pressed < 2 * WEAR
       fi
  :: belt[0] ? END, number, _ -> assert(dies * WEAR <= number); belt[1] ! END, number, 0; break
  od
}

active proctype oven() {
  byte first, inside, number;

  do
  :: belt[1] ? PART, number, _ ->
       if
       :: inside == 0 -> first = number
       :: else
       fi;
       inside++;
       if
       :: inside == BATCH -> unload()
       :: else
       fi
  :: belt[1] ? END, number, _ -> unload(); belt[2] ! END, number, 0; break
  od
}

active proctype inspector() {
  byte number, bad;

  do
  :: belt[2] ? PART, number, _ ->
       if
       :: belt[3] ! PART, number, 0
       :: bad++
       fi
  :: belt[2] ? END, number, _ -> belt[3] ! END, number, bad; break
  od
}

active proctype packer() {
  byte awaited, number, bad, boxes, inside;

  do
  :: belt[3] ? PART, number, _ ->
       assert(number >= awaited);
       awaited = number + 1;
       inside++;
       if
       :: inside == BOX -> boxes++; inside = 0
       :: else
       fi
  :: belt[3] ? END, number, bad -> assert(boxes * BOX + inside + bad == number); break
  od
}
