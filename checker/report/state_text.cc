#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "checker/report/trace_printer.h"

namespace cmc {
namespace {

std::string process_name(const ProcessImage& process) { return fmt::format("{}[{}]", process.proctype, process.pid); }

std::string contents(const ChannelImage& channel) {
  if (channel.messages.empty()) return "empty";
  return fmt::format("[{}]", fmt::join(channel.messages, "] ["));
}

// Pairs up equal positions; `prefix` is put before the names.
void compare_values(const std::vector<NamedValue>& before, const std::vector<NamedValue>& after,
                    const std::string& prefix, std::vector<std::string>& changes) {
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (before[i].value == after[i].value) continue;
    changes.push_back(fmt::format("{}{}: {} -> {}", prefix, after[i].name, before[i].value, after[i].value));
  }
}

// The variable of a channel that the process owns is shown with the channels.
bool names_own_channel(const ProcessImage& process, const NamedValue& local) {
  return local.value == fmt::format("{}.{}", process_name(process), local.name);
}

void describe_start(const ProcessImage& process, std::vector<std::string>& changes) {
  changes.push_back(process_name(process) + " starts");
  for (const NamedValue& local : process.locals) {
    if (local.value == "0" || local.value == "none" || names_own_channel(process, local)) continue;
    changes.push_back(fmt::format("{}.{}: {}", process_name(process), local.name, local.value));
  }
}

void compare_processes(const StateImage& before, const StateImage& after, std::vector<std::string>& changes) {
  const size_t common = std::min(before.processes.size(), after.processes.size());
  for (size_t i = 0; i < common; ++i) {
    const ProcessImage& process = after.processes[i];
    compare_values(before.processes[i].locals, process.locals, process_name(process) + ".", changes);
    if (before.processes[i].priority != process.priority) {
      changes.push_back(fmt::format("{} priority: {} -> {}", process_name(process), before.processes[i].priority,
                                    process.priority));
    }
  }
  for (size_t i = common; i < after.processes.size(); ++i) describe_start(after.processes[i], changes);
  for (size_t i = common; i < before.processes.size(); ++i)
    changes.push_back(process_name(before.processes[i]) + " ends");
}

// "a[0]", "a[1]", ... become "a = [1, 2]"; "t[0].x", "t[1].x", ... become "t[0..1].x = [3, 4]".
class ValueList {
 public:
  void add(const NamedValue& value) {
    const Parts parts = split(value.name);
    const bool continues = !elements_.empty() && parts.indexed && parts.index == elements_.size() &&
                           parts.before == before_ && parts.behind == behind_;
    if (!continues) {
      close();
      if (!parts.indexed || parts.index != 0) {
        items_.push_back(fmt::format("{} = {}", value.name, value.value));
        return;
      }
      before_ = parts.before;
      behind_ = parts.behind;
    }
    elements_.push_back(value.value);
  }

  std::vector<std::string> take() {
    close();
    return std::move(items_);
  }

 private:
  // A name, divided at its last index.
  struct Parts {
    bool indexed = false;
    std::string before;
    size_t index = 0;
    std::string behind;
  };

  static Parts split(const std::string& name) {
    Parts parts;
    const size_t open = name.rfind('[');
    if (open == std::string::npos) return parts;
    const size_t end = name.find(']', open);
    const char* const digits = name.data() + open + 1;
    if (end == std::string::npos) return parts;
    parts.indexed = std::from_chars(digits, name.data() + end, parts.index).ptr == name.data() + end;
    parts.before = name.substr(0, open);
    parts.behind = name.substr(end + 1);
    return parts;
  }

  void close() {
    if (elements_.empty()) return;
    const std::string range = behind_.empty() ? "" : fmt::format("[0..{}]{}", elements_.size() - 1, behind_);
    items_.push_back(fmt::format("{}{} = [{}]", before_, range, fmt::join(elements_, ", ")));
    elements_.clear();
  }

  std::string before_;  // of the array that is being collected
  std::string behind_;
  std::vector<std::string> elements_;
  std::vector<std::string> items_;
};

std::string place_text(const Model& model, const SourcePlace& place) {
  if (place.line == 0 || place.file >= model.files.size()) return "";
  return fmt::format("{}:{}", model.files[place.file], place.line);
}

const Location* find_location(const Model& model, const ProcessImage& process) {
  for (const Proctype& proctype : model.proctypes) {
    if (proctype.name == process.proctype && process.location < proctype.locations.size()) {
      return &proctype.locations[process.location];
    }
  }
  return nullptr;
}

// "state 7, label L, before x = 1": where a process is, and what it does next if it can.
std::string location_text(const Model& model, const ProcessImage& process) {
  constexpr size_t kShownEdges = 4;
  std::string text = fmt::format("state {}", process.location);
  const Location* location = find_location(model, process);
  if (location == nullptr) return text;
  for (const std::string& label : location->labels) text += fmt::format(", label {}", label);
  if (location->valid_end) text += ", a valid end";
  for (size_t i = 0; i < location->edges.size() && i < kShownEdges; ++i) {
    text += (i == 0 ? ", before " : " | ") + model.statements[location->edges[i].statement].text;
  }
  return location->edges.size() > kShownEdges ? text + " | ..." : text;
}

}  // namespace

std::vector<std::string> describe_changes(const StateImage& before, const StateImage& after,
                                          std::string_view without) {
  std::vector<std::string> changes;
  compare_values(before.globals, after.globals, "", changes);
  compare_processes(before, after, changes);
  for (size_t i = 0; i < before.channels.size() && i < after.channels.size(); ++i) {
    const ChannelImage& old_channel = before.channels[i];
    const ChannelImage& new_channel = after.channels[i];
    if (old_channel.messages == new_channel.messages || new_channel.name == without) continue;
    changes.push_back(fmt::format("{}: {} -> {}", new_channel.name, contents(old_channel), contents(new_channel)));
  }
  return changes;
}

std::string state_text(const Model& model, const StateImage& image, size_t indent) {
  const std::string margin(indent, ' ');
  std::string text;
  const auto line = [&](const std::string& content) { text += margin + printable(content) + '\n'; };
  ValueList globals;
  for (const NamedValue& global : image.globals) {
    if (global.name != global.value)
      globals.add(global);  // a channel variable that was never changed: see the channels
  }
  for (const std::string& item : globals.take()) line(item);
  for (const ChannelImage& channel : image.channels) {
    if (channel.capacity == 0) continue;
    line(fmt::format("{} holds {} of {}: {}", channel.name, channel.messages.size(), channel.capacity,
                     contents(channel)));
  }
  for (const ProcessImage& process : image.processes) {
    ValueList locals;
    for (const NamedValue& local : process.locals) {
      if (!names_own_channel(process, local)) locals.add(local);
    }
    std::string content = fmt::format("{} at {} ({})", process_name(process), place_text(model, process.place),
                                      location_text(model, process));
    if (process.pid == image.atomic_holder) content += ", in an atomic sequence";
    line(content);
    for (const std::string& item : locals.take()) line("  " + item);
  }
  if (!image.damage.empty()) line("damaged: " + image.damage);
  return text;
}

}  // namespace cmc
