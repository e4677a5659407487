/* violated: safety
   Three tasks that are interrupted anywhere; one combination was not thought of. */
bool irq; byte work[3]; byte served;
proctype Device() { do :: irq == 0 -> irq = 1 od }
proctype Task(byte i) {
  do
  :: { do :: work[i] < 30 -> work[i]++ :: work[i] == 30 -> work[i] = 0 od } unless { irq -> irq = 0; served = (served + 1) % 5; assert(!(work[0] == 11 && work[1] == 17 && served == 3)) }
  od
}
init { atomic { run Device(); run Task(0); run Task(1); run Task(2) } }
