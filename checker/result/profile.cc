#include "checker/result/profile.h"

namespace cmc {

Profile::Cost& Profile::Cost::operator+=(const Cost& other) {
  selection += other.selection;
  execution += other.execution;
  keys += other.keys;
  look_ups += other.look_ups;
  storing += other.storing;
  return *this;
}

Profile::Counts& Profile::Counts::operator+=(const Counts& other) {
  tried += other.tried;
  executable += other.executable;
  executed += other.executed;
  computed += other.computed;
  transitions += other.transitions;
  first_reached += other.first_reached;
  return *this;
}

}  // namespace cmc
