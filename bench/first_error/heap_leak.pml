/* violated: safety
   Three tasks take pages from a heap of 64 and give them back; one path forgets one. At last all wait for a page. */
#define PAGES 64
byte free_pages = PAGES;

active [3] proctype Task() {
  byte mine;
  do
  :: atomic { free_pages > 1 -> free_pages = free_pages - 2 };
     mine = 2;
     if
     :: free_pages++; mine--; free_pages++; mine--
     :: free_pages++; mine = 0
     fi
  od
}
