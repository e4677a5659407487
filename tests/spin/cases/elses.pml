/* else in nested selections and loops; an if as the first statement of an option.
 * expect: holds states=15 transitions=14
 */
byte x;

active proctype P(){
  if
  :: x==1 -> if
    :: x==2 -> x=3
    :: else
    fi
  :: x==0 -> do
    :: x<3 -> x++
    :: else -> break
    od
  :: else -> x=9
  fi;
  if
  :: if
    :: x==3 -> x=4
    :: x==5
    fi
  :: x==3 -> x=6
  fi
}
