#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/explore/views.h"
#include "checker/trace/step_text.h"

namespace cmc::explore {
namespace {

// The states around one, breadth first.
class Neighbourhood {
 public:
  Neighbourhood(session::Session& run, uint32_t depth, size_t most_states)
      : run_(run), depth_(depth), most_states_(most_states) {}

  Json view() {
    if (run_.state().empty()) return {{"nodes", Json::array()}, {"edges", Json::array()}, {"more", false}};
    add(run_.state(), 0, Json::array());
    for (size_t number = 0; number < states_.size(); ++number) expand(number);
    return {{"nodes", std::move(nodes_)}, {"edges", std::move(edges_)}, {"more", more_}};
  }

 private:
  int add(ByteView state, uint32_t depth, Json path) {
    const Bytes bytes(state.begin(), state.end());
    const auto [known, is_new] = numbers_.try_emplace(bytes, static_cast<int>(states_.size()));
    if (is_new && states_.size() >= most_states_) {
      numbers_.erase(known);
      more_ = true;
      return kOutside;
    }
    if (is_new) {
      states_.push_back(bytes);
      nodes_.push_back({{"id", known->second},
                        {"depth", depth},
                        {"into", 0},
                        {"path", std::move(path)},
                        {"end", ""},
                        {"differs", differences(state)}});
    }
    return known->second;
  }

  void expand(size_t number) {
    Json& node = nodes_[number];
    const auto depth = node["depth"].get<uint32_t>();
    const Bytes state = states_[number];
    SuccessorBatch batch;
    run_.statements().successors(state, batch);
    const bool is_wrong = !errors_of_state(batch).empty();
    const std::vector<Choice> choices = is_wrong ? std::vector<Choice>() : choices_of(batch);
    if (is_wrong || choices.empty()) node["end"] = is_wrong ? "error" : batch.invalid_end ? "invalid" : "ended";
    node["open"] = depth == depth_ && !choices.empty();
    if (depth == depth_) return;
    const Json path = node["path"];
    for (size_t i = 0; i < choices.size(); ++i) add_edge(number, state, choices[i], i, depth, path);
  }

  void add_edge(size_t from, ByteView state, const Choice& choice, size_t index, uint32_t depth, Json path) {
    path.push_back(index + 1);
    const StepText text = describe_step(run_.model(), state, choice.step);
    Json edge = {{"from", from},
                 {"choice", index + 1},
                 {"pid", text.actor.pid},
                 {"process", process_label(text.actor)},
                 {"text", text.actor.text}};
    if (text.partner) edge["with"] = fmt::format("{} {}", process_label(*text.partner), text.partner->text);
    for (const RuntimeError& error : choice.errors) edge["error"] = error.message;
    const int to = choice.after.empty() ? kCut : add(choice.after, depth + 1, std::move(path));
    if (to == kOutside) return;
    edge["to"] = to;
    if (to >= 0) nodes_[static_cast<size_t>(to)]["into"] = nodes_[static_cast<size_t>(to)]["into"].get<int>() + 1;
    edges_.push_back(std::move(edge));
  }

  // "x: 0 -> 1", of the first values that differ from the state in the middle.
  [[nodiscard]] Json differences(ByteView state) const {
    constexpr size_t kMostDifferences = 12;
    Json list = Json::array();
    const Json sections = state_view(decode_state(run_.model(), state), decode_state(run_.model(), run_.state()));
    for (const Json& section : sections) {
      for (const Json& value : section["values"]) {
        if (value.size() < 3 || value[2].is_null() || list.size() == kMostDifferences) continue;
        const std::string owner = section["pid"] >= 0 ? section["title"].get<std::string>() + "." : "";
        list.push_back(fmt::format("{}{}: {} -> {}", owner, value[0].get<std::string>(), value[2].get<std::string>(),
                                   value[1].get<std::string>()));
      }
    }
    return list;
  }

  static constexpr int kCut = -1;
  static constexpr int kOutside = -2;
  session::Session& run_;
  uint32_t depth_;
  size_t most_states_;
  std::map<Bytes, int> numbers_;
  std::vector<Bytes> states_;
  Json nodes_ = Json::array();
  Json edges_ = Json::array();
  bool more_ = false;
};

}  // namespace

Json neighbourhood_view(session::Session& run, uint32_t depth, size_t most_states) {
  return Neighbourhood(run, depth, most_states).view();
}

}  // namespace cmc::explore
