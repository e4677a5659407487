#include <charconv>

#include <fmt/format.h>

#include "checker/trace/trace_printer.h"
#include "ir/print.h"

namespace cmc {
namespace {

constexpr size_t kUsualWidth = 100;
constexpr size_t kRepetition = 6;     // equal elements in a row
constexpr size_t kEmptyChannels = 3;  // more are listed together

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
    items_.push_back(fmt::format("{}{} = [{}]", before_, range, fmt::join(without_repetition(), ", ")));
    elements_.clear();
  }

  // "0 x 20" stands for so many equal elements.
  std::vector<std::string> without_repetition() const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < elements_.size();) {
      size_t end = i;
      while (end < elements_.size() && elements_[end] == elements_[i]) ++end;
      if (end - i >= kRepetition) {
        parts.push_back(fmt::format("{} x {}", elements_[i], end - i));
      } else {
        parts.insert(parts.end(), end - i, elements_[i]);
      }
      i = end;
    }
    return parts;
  }

  std::string before_;  // of the array that is being collected
  std::string behind_;
  std::vector<std::string> elements_;
  std::vector<std::string> items_;
};

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

std::string state_text(const Model& model, const StateImage& image, size_t indent, size_t width) {
  std::string text;
  const auto line = [&](const std::string& content, size_t more = 0) {
    const size_t margin = indent + more;
    size_t extra = 0;
    for (const std::string& part : wrapped(printable(content), width > margin + 20 ? width - margin - 2 : 0)) {
      text += std::string(margin + extra, ' ') + part + '\n';
      extra = 2;
    }
  };
  const auto list = [&](const std::vector<std::string>& items, const char* heading, size_t more) {
    const size_t most = (width > 40 ? width : kUsualWidth) - indent - more;
    std::string packed = heading;
    bool fresh = true;
    for (const std::string& item : items) {
      if (!fresh && display_width(packed) + item.size() + 2 > most) {
        line(packed + ";", more);
        packed.clear();
        fresh = true;
      }
      packed += (fresh ? "" : "; ") + item;
      fresh = false;
    }
    if (!fresh) line(packed, more);
  };

  ValueList globals;
  for (const NamedValue& global : image.globals) {
    if (global.name != global.value)
      globals.add(global);  // a channel variable that was never changed: see the channels
  }
  list(globals.take(), "", 0);
  std::vector<std::string> empty;
  for (const ChannelImage& channel : image.channels) {
    if (channel.capacity > 0 && channel.messages.empty()) empty.push_back(channel.name);
  }
  const bool together = empty.size() > kEmptyChannels;
  for (const ChannelImage& channel : image.channels) {
    if (channel.capacity == 0 || (together && channel.messages.empty())) continue;
    line(fmt::format("{} holds {} of {}: {}", channel.name, channel.messages.size(), channel.capacity,
                     contents_text(channel.messages)));
  }
  if (together) list(empty, "empty: ", 0);
  for (const ProcessImage& process : image.processes) {
    ValueList locals;
    for (const NamedValue& local : process.locals) {
      if (!names_own_channel(process, local)) locals.add(local);
    }
    std::string content = fmt::format("{} at {} ({})", process_label(process), place_text(model, process.place),
                                      location_text(model, process));
    if (process.pid == image.atomic_holder) content += ", in an atomic sequence";
    line(content);
    list(locals.take(), "", 2);
  }
  if (!image.damage.empty()) line("damaged: " + image.damage);
  return text;
}

}  // namespace cmc
