/* violated: safety
   A machine takes coins of three kinds and gives change; one way of paying leaves it without change. */
byte ones = 10, twos = 10, fives = 10;
short credit, sold;
active proctype Buyer() {
  do
  :: credit < 12 -> atomic { if :: credit = credit + 1; ones++ :: credit = credit + 2; twos++ :: credit = credit + 5; fives++ fi }
  :: credit >= 7 -> atomic { credit = credit - 7; sold++ };
     do
     :: credit >= 5 && fives > 0 -> atomic { credit = credit - 5; fives-- }
     :: credit >= 2 && credit < 5 && twos > 0 -> atomic { credit = credit - 2; twos-- }
     :: credit == 1 && ones > 0 -> atomic { credit = credit - 1; ones-- }
     :: credit == 0 -> break
     :: else -> assert(false)
     od
  od
}
