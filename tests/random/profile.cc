#include "tests/random/profile.h"

#include <algorithm>

namespace cmc::random {
namespace {

std::vector<Profile> make_profiles() {
  std::vector<Profile> all;
  const auto add = [&](const char* name) -> Profile& {
    Profile profile;
    profile.name = name;
    return all.emplace_back(profile);
  };
  add("everything");
  Profile& data = add("data");
  data.channel = 10;
  data.typedefs = 80;
  data.assign = 25;
  data.hidden = 30;
  data.declaration = 4;
  data.macros = 30;
  data.block = 4;
  Profile& channels = add("channels");
  channels.channel = 100;
  channels.rendezvous = 0;
  channels.send = channels.receive = 16;
  channels.channel_variables = 60;
  channels.typedefs = 50;
  Profile& rendezvous = add("rendezvous");
  rendezvous.channel = rendezvous.rendezvous = 100;
  rendezvous.send = rendezvous.receive = 16;
  rendezvous.atomic = 8;
  rendezvous.unless = 3;
  rendezvous.channel_variables = 40;
  Profile& atomic = add("atomic");
  atomic.atomic = 14;
  atomic.d_step = 2;
  atomic.send = atomic.receive = 8;
  atomic.channel = 80;
  atomic.rendezvous = 50;
  atomic.jump = 5;
  atomic.label = 20;
  Profile& d_step = add("d_step");
  d_step.d_step = 16;
  d_step.rendezvous = 40;
  d_step.unless = 3;
  Profile& unless = add("unless");
  unless.unless = 10;
  unless.atomic = 4;
  unless.d_step = 4;
  unless.rendezvous = 40;
  unless.send = unless.receive = 7;
  Profile& control = add("control");
  control.selection = 12;
  control.loop = 10;
  control.jump = 8;
  control.label = 30;
  control.for_loop = control.select = 5;
  control.block = 4;
  control.declaration = 4;
  control.timeout = 5;
  control.inlines = 60;
  control.call = 6;
  control.implied_semicolons = 50;
  Profile& processes = add("processes");
  processes.run = 10;
  processes.init = 90;
  processes.provided = 40;
  processes.remote = 20;
  processes.last = 20;
  processes.channel_variables = 60;
  processes.timeout = 5;
  Profile& priorities = add("priorities");
  priorities.priorities = 100;
  priorities.rendezvous = 0;
  priorities.set_priority = 8;
  priorities.provided = 20;
  priorities.run = 4;
  Profile& enabled = add("enabled");
  enabled.enabled = 100;
  enabled.rendezvous = 0;
  enabled.provided = 30;
  enabled.d_step = 5;
  enabled.remote = 20;
  enabled.channel = 70;
  Profile& deterministic = add("deterministic");
  deterministic.deterministic = 50;
  deterministic.rendezvous = 0;  // a send that finds no receiver counts as a second choice for SPIN
  Profile& guards = add("guards");
  guards.choose = 12;
  guards.exists = 25;
  guards.timeout = 3;
  guards.atomic = 6;
  guards.d_step = 5;
  guards.provided = 15;
  return all;
}

// What partial-order reductions get wrong: atomic sequences that block half-way, channels in variables, messages,
// structures and arguments, owners that end, `else` and `unless` beside rendezvous, pids that are used again.
Profile make_reductions() {
  Profile profile;
  profile.name = "reductions";
  profile.channel = 100;
  profile.rendezvous = 45;
  profile.send = profile.receive = 12;
  profile.atomic = 7;
  profile.unless = 3;
  profile.assign = 7;
  profile.otherwise = 55;
  profile.channel_variables = profile.channel_messages = 50;
  profile.typedefs = 50;
  profile.channel_fields = 40;
  profile.own_channels = 50;
  profile.own_channels_go = true;
  profile.run = 4;
  profile.init = 60;
  profile.most_processes = 4;
  profile.last = profile.hidden = 0;
  return profile;
}

// What joined halves of handshakes get wrong: chains in which who takes a message goes on at once and offers the next
// one, offers that nobody takes in the middle of them, `else` beside offers, channels in variables and messages.
Profile make_handshakes() {
  Profile profile;
  profile.name = "handshakes";
  profile.channel = profile.rendezvous = 100;
  profile.send = profile.receive = 20;
  profile.atomic = 16;
  profile.otherwise = 60;
  profile.selection = 9;
  profile.d_step = 3;
  profile.provided = 10;
  profile.channel_variables = 50;
  profile.channel_messages = 30;
  profile.most_processes = 4;
  return profile;
}

// What weak fairness gets wrong: processes that can move but have no step, because an atomic sequence never ends or
// an error cuts it, beside others that go on; waiting for `timeout`; handshakes that lead back to where they began.
Profile make_fairness() {
  Profile profile;
  profile.name = "fairness";
  profile.atomic = 10;
  profile.endless = 30;
  profile.loop = 10;
  profile.jump = 5;
  profile.label = 20;
  profile.timeout = 3;
  profile.assertion = 3;
  profile.channel = 50;
  profile.rendezvous = 50;
  profile.init = 20;
  profile.last = profile.hidden = 0;
  return profile;
}

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = make_profiles();
  return all;
}

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles()) {
    if (profile.name == name) return &profile;
  }
  static const std::vector<Profile> others{make_reductions(), make_handshakes(), make_fairness()};
  const auto other = std::ranges::find(others, name, &Profile::name);
  return other == others.end() ? nullptr : &*other;
}

}  // namespace cmc::random
