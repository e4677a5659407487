#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "checker/conform/event_map.h"

namespace cmc::conform {

// What a program logged: streams of events, each in order, and what is known about the order between them. Events
// that cannot be told apart by the map are of one class.
class EventLog {
 public:
  struct Class {
    std::string event;
    std::vector<int32_t> values;  // of all fields of the map; 0 where the event has none
    std::string text;             // "send(to=1, m=ack)"
  };
  struct Event {
    uint32_t of_class = 0;
    uint32_t file = 0;
    uint64_t line = 0;
  };
  struct Stream {
    std::string name;  // of the node or file
    std::vector<Event> events;
    // Of vector clocks, by event and stream: so many events of that stream come before it.
    std::vector<uint32_t> needs;
  };

  [[nodiscard]] const std::vector<Stream>& streams() const { return streams_; }
  [[nodiscard]] const Class& class_of(const Event& event) const { return classes_[event.of_class]; }
  [[nodiscard]] const Class& class_numbered(uint32_t number) const { return classes_[number]; }
  [[nodiscard]] uint64_t events() const;
  // Whether all that comes before the next event of the stream lies in the cut (positions by stream).
  [[nodiscard]] bool is_ready(size_t stream, std::span<const uint32_t> cut) const;
  [[nodiscard]] TextPlace place(const Event& event) const { return {files_[event.file], event.line, 0}; }

 private:
  friend class LogReader;
  std::vector<std::string> files_;
  std::vector<Stream> streams_;
  std::vector<Class> classes_;
  std::unordered_map<std::string, uint32_t> numbers_;  // of classes, by their content
};

// Reads logs as a map says, line by line. `model` and `map` outlive it.
class LogReader {
 public:
  static constexpr size_t kMostText = 4096;   // characters of a line that regular expressions look at
  static constexpr size_t kMostNodes = 4096;  // of vector clocks

  LogReader(const Model& model, const EventMap& map);
  ~LogReader();

  // Begins a file; the kind of log follows from the map, else from its name. Error: a regular expression is none.
  [[nodiscard]] Status begin(const std::string& file);
  // The next line, without its end. Errors have file, line and column. Events without clocks are in the log at once.
  [[nodiscard]] Status add(std::string_view line);
  // Orders what has clocks. To be called once, before the log is used.
  [[nodiscard]] Status finish();
  [[nodiscard]] bool has_clocks() const;
  [[nodiscard]] EventLog& log() { return log_; }

 private:
  struct Cells;
  struct Timed;
  struct Inside;
  [[nodiscard]] Status read_cells(std::string_view line, Cells& cells);
  [[nodiscard]] Status add_event(const Cells& cells);
  [[nodiscard]] Result<uint32_t> class_of(const Cells& cells, const std::string& event);
  [[nodiscard]] Status add_clock(const Cells& cells, EventLog::Event event);
  [[nodiscard]] Status order_by_time();
  [[nodiscard]] Status order_by_vectors();
  [[nodiscard]] Status check_order() const;
  [[nodiscard]] TextPlace place(uint64_t column = 0) const;

  const EventMap& map_;
  EventLog log_;
  std::unique_ptr<Inside> inside_;
  uint64_t line_ = 0;
};

}  // namespace cmc::conform
