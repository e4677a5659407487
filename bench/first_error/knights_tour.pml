/* violated: safety
   A knight on a board of five by five visits each field once; when it cannot move, the game is over. */
#define S 5
bit seen[25];
byte x, y, visited = 1;
init {
  seen[0] = 1;
end: do
  :: x + 1 < S && y + 2 < S && !seen[(x + 1) * S + y + 2] -> atomic { x = x + 1; y = y + 2; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  :: x + 2 < S && y + 1 < S && !seen[(x + 2) * S + y + 1] -> atomic { x = x + 2; y = y + 1; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  :: x + 2 < S && y >= 1 && !seen[(x + 2) * S + y - 1] -> atomic { x = x + 2; y = y - 1; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  :: x + 1 < S && y >= 2 && !seen[(x + 1) * S + y - 2] -> atomic { x = x + 1; y = y - 2; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  :: x >= 1 && y >= 2 && !seen[(x - 1) * S + y - 2] -> atomic { x = x - 1; y = y - 2; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  :: x >= 2 && y >= 1 && !seen[(x - 2) * S + y - 1] -> atomic { x = x - 2; y = y - 1; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  :: x >= 2 && y + 1 < S && !seen[(x - 2) * S + y + 1] -> atomic { x = x - 2; y = y + 1; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  :: x >= 1 && y + 2 < S && !seen[(x - 1) * S + y + 2] -> atomic { x = x - 1; y = y + 2; seen[x * S + y] = 1; visited++; assert(visited < 25) }
  od
}
