#include <algorithm>

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
void compare_values(const std::vector<NamedValue>& before, const std::vector<NamedValue>& after, const std::string& prefix,
                    std::vector<std::string>& changes) {
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
  for (size_t i = common; i < before.processes.size(); ++i) changes.push_back(process_name(before.processes[i]) + " ends");
}

// "a[0]", "a[1]", ... with nothing behind the index become "a = [1, 2]".
class ValueList {
 public:
  void add(const NamedValue& value) {
    const size_t bracket = value.name.rfind('[');
    const bool element = bracket != std::string::npos && value.name.back() == ']';
    const std::string base = element ? value.name.substr(0, bracket) : "";
    const bool continues = element && base == array_ && value.name == fmt::format("{}[{}]", base, elements_.size());
    if (!continues) {
      close();
      if (element && value.name.ends_with("[0]")) array_ = base;
    }
    if (array_.empty()) {
      items_.push_back(fmt::format("{} = {}", value.name, value.value));
    } else {
      elements_.push_back(value.value);
    }
  }

  std::vector<std::string> take() {
    close();
    return std::move(items_);
  }

 private:
  void close() {
    if (!array_.empty()) items_.push_back(fmt::format("{} = [{}]", array_, fmt::join(elements_, ", ")));
    array_.clear();
    elements_.clear();
  }

  std::string array_;  // being collected
  std::vector<std::string> elements_;
  std::vector<std::string> items_;
};

std::string place_text(const Model& model, const SourcePlace& place) {
  if (place.line == 0 || place.file >= model.files.size()) return "";
  return fmt::format("{}:{}", model.files[place.file], place.line);
}

std::string location_text(const Model& model, const ProcessImage& process) {
  std::string text = fmt::format("state {}", process.location);
  for (const Proctype& proctype : model.proctypes) {
    if (proctype.name != process.proctype || process.location >= proctype.locations.size()) continue;
    const Location& location = proctype.locations[process.location];
    for (const std::string& label : location.labels) text += fmt::format(", label {}", label);
    if (location.valid_end) text += ", a valid end";
  }
  return text;
}

}  // namespace

std::vector<std::string> describe_changes(const StateImage& before, const StateImage& after, std::string_view without) {
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
    if (global.name != global.value) globals.add(global);  // a channel variable that was never changed: see the channels
  }
  for (const std::string& item : globals.take()) line(item);
  for (const ChannelImage& channel : image.channels) {
    if (channel.capacity == 0) continue;
    line(fmt::format("{} holds {} of {}: {}", channel.name, channel.messages.size(), channel.capacity, contents(channel)));
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
