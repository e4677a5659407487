/* Blocks in blocks, and as the main sequence of an unless.
 * expect: holds states=8 transitions=7
 */
byte x;

active proctype P(){
  {
    x=1;
    {
      x=2;
      {
        x=3
      }
    }
  };
  {
    {
      skip;
      x=5
    } unless {
      x==3;
      x=6
    }
  } ;
  x=7
}
