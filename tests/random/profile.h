#pragma once

#include <string>
#include <string_view>
#include <vector>

// Weights for the features of random models. Under every profile each feature meets each other one sometimes; every
// profile makes some of them frequent.

namespace cmc::random {

struct Profile {
  std::string name;
  // How often a statement of a kind is chosen, relative to the others.
  int assign = 10, increment = 4, guard = 6, skip = 1, print = 1, assertion = 2, send = 4, receive = 4, selection = 6,
      loop = 4, atomic = 3, d_step = 2, unless = 1, block = 1, for_loop = 1, select = 1, jump = 1, run = 1, call = 1,
      set_priority = 0, declaration = 1, timeout = 1, choose = 0;
  int unsigned_type = 2;  // the same for the type of a variable
  // Chances in percent.
  int channel = 60;     // of having channels
  int rendezvous = 30;  // of a channel type to have rendezvous channels
  int label = 8;        // before a statement
  int priorities = 0, provided = 5, enabled = 0, last = 2, remote = 3, hidden = 10, typedefs = 30, inlines = 25,
      macros = 10, implied_semicolons = 20, init = 40, deterministic = 0, channel_variables = 20, repeated_names = 50;
  int channel_messages = 15;     // of a field of a message to be a channel, if there is a channel type
  int channel_fields = 20;       // of a structure to have a channel beside a field
  int own_channels = 10;         // of a process to have a channel of its own
  int otherwise = 35;            // of a selection to have `else`
  int exists = 0;                // of a condition to be a solver guard; with `choose`, the model is in Promela/S
  int endless = 0;               // of an atomic sequence to end in a loop that goes on for ever
  int most_processes = 3;        // proctypes
  bool own_channels_go = false;  // others get to know them, and may use them when their owner has ended
};

// Those that SPIN is asked about.
[[nodiscard]] const std::vector<Profile>& profiles();
// Any, by its name.
[[nodiscard]] const Profile* find_profile(std::string_view name);

}  // namespace cmc::random
