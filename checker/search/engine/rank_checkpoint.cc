#include "checker/search/engine/rank_checkpoint.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/units.h"
#include "checker/checkpoint/mirror.h"
#include "checker/ranks/ranks.h"
#include "checker/search/engine/checkpoint.h"

namespace cmc {
namespace {

// The texts that ranks hand to rank 0, and get from it.
template <class Write>
std::string text_of(Write&& write) {
  std::string text;
  OutStream to(text);
  write(to);
  static_cast<void>(to.finish());
  return text;
}

void save_layout(OutStream& to, const Layout& layout) {
  to.number(layout.words());
  to.number(layout.size());
  for (uint32_t c = 0; c < layout.size(); ++c) {
    const Layout::Field field = layout.field(static_cast<ComponentId>(c));
    for (const uint8_t each : {field.word, field.shift, field.width}) to.number(each);
  }
}

std::optional<Layout> load_layout(InStream& from) {
  const auto words = static_cast<unsigned>(from.number());
  std::vector<Layout::Field> fields(from.number_up_to(UINT16_MAX));
  for (Layout::Field& field : fields) {
    field.word = static_cast<uint8_t>(from.number());
    field.shift = static_cast<uint8_t>(from.number());
    field.width = static_cast<uint8_t>(from.number());
  }
  return Layout::of_fields(std::move(fields), words);
}

// The part of another rank becomes one of the whole.
void merge(const Manifest& part, uint32_t rank, Manifest& whole) {
  constexpr std::array kOfAll = {"own_reduction", "considered_at", "carrying_does_not_pay", "ranks"};
  constexpr std::array kMost = {"deepest", "most_taken"};
  whole.states += part.states;
  whole.transitions += part.transitions;
  for (const auto& [name, value] : part.counters) {
    if (std::ranges::find(kOfAll, name) != kOfAll.end()) continue;
    if (name == "trail") {
      whole.counters[trail_counter(rank)] = value;
    } else if (std::ranges::find(kMost, name) != kMost.end()) {
      whole.counters[name] = std::max(whole.counters[name], value);
    } else {
      whole.counters[name] += value;
    }
  }
  whole.files.insert(whole.files.end(), part.files.begin(), part.files.end());
}

class RankCheckpoint {
 public:
  using Save = std::function<void(CheckpointWriter&)>;
  RankCheckpoint(SearchContext& context, const Layout& layout, uint64_t states, bool is_last)
      : context_(context),
        ranks_(*context.options.ranks),
        checkpoints_(*context.options.checkpoints),
        layout_(layout),
        states_(states),
        is_last_(is_last) {}

  void write(const Save& save) {
    const SystemClock clock;
    const double begun = clock.wall_seconds();
    Status status = agree();
    if (status.ok()) {
      write_part(save);
      status = commit();
    }
    ranks_.end_quiet();
    if (is_last_ && status.ok()) return;
    context_.control.checkpoint_is_written(outcome_of_saving(context_, status), clock.wall_seconds() - begun);
    if (stops_) context_.control.stop_elsewhere();
  }

 private:
  // About numbers and the layout. Error: some rank cannot take part.
  [[nodiscard]] Status agree() {
    const std::string text = text_of([&](OutStream& to) {
      to.number(context_.control.stopped() ? 1 : 0);
      context_.common_numbers.tell(*context_.space, to);
    });
    Result<std::string> plan =
        ranks_.together(text, [&](const std::vector<std::string>& texts) { return make_plans(texts); });
    if (!plan.ok()) return Error{plan.error()};
    InStream from(std::move(plan).value(), "what rank 0 says of a checkpoint");
    if (const std::string why = from.text(); !why.empty()) return Error{why};
    const uint64_t epoch = from.number();
    std::optional<Layout> layout = load_layout(from);
    if (!layout) return Error{"there is no layout for the keys of all ranks"};
    common_ = std::move(*layout);
    if (ranks_.rank() > 0) {
      context_.common_numbers.learn(from);
      writer_ = std::make_unique<CheckpointWriter>(checkpoints_.directory(), epoch, ranks_.rank());
    }
    return from.status();
  }
  // Rank 0.
  [[nodiscard]] std::vector<std::string> make_plans(const std::vector<std::string>& texts) {
    std::string why;
    std::vector<std::string> numbers(texts.size());
    for (uint32_t i = 0; i < texts.size(); ++i) {
      InStream from(texts[i], fmt::format("what rank {} says of a checkpoint", i));
      if (texts[i].empty() || from.number() != 0) why = fmt::format("rank {} was stopped", i);
      if (i > 0 && why.empty()) {
        numbers[i] = text_of([&](OutStream& to) { CommonNumbers::give(from, *context_.space, to); });
        if (!from.ok()) why = from.status().error();
      }
    }
    const Layout layout = common_layout(*context_.space);
    if (layout.words() > kMaxKeyWords) why = fmt::format("keys would need more than {} words", kMaxKeyWords);
    if (why.empty()) writer_ = checkpoints_.begin();
    std::vector<std::string> plans;
    for (const std::string& each : numbers) {
      plans.push_back(text_of([&](OutStream& to) {
        to.text(why);
        to.number(why.empty() ? writer_->manifest().epoch : 0);
        save_layout(to, layout);
        to.raw(std::as_bytes(std::span(each)));
      }));
    }
    return plans;
  }

  void write_part(const Save& save) {
    CommonKeys keys(context_.common_numbers, layout_, common_);
    context_.saved_keys = &keys;
    save(*writer_);
    save_context(context_, common_, states_, *writer_);
    context_.saved_keys = nullptr;
    writer_->manifest().counters["ranks"] = ranks_.count();
    if (ranks_.rank() > 0) writer_->sync();
    if (!ranks_.settings().mirror.empty()) mirror_part();
  }
  // What the next rank does not have yet.
  void mirror_part() {
    std::vector<CheckpointFile> files = writer_->manifest().files;
    std::erase_if(files, [&](const CheckpointFile& file) { return !ranks_.passed_on().insert(file.name).second; });
    MirrorSource source(checkpoints_.directory(), std::move(files));
    mirror_.emplace(ranks_.settings().mirror, ranks_.rank());
    const Status passed =
        ranks_.pass_on([&] { return source.next(); }, [&](const std::string& piece) { mirror_->take(piece); });
    for (const Status& each : {passed, source.status(), mirror_->status()}) {
      if (!each.ok()) writer_->fail(each.error());
    }
    if (!writer_->status().ok()) ranks_.passed_on().clear();
  }

  [[nodiscard]] Status commit() {
    const std::string text = text_of([&](OutStream& to) {
      to.text(writer_->status().ok() ? "" : writer_->status().error());
      to.number(context_.control.stops_behind_checkpoint() ? 1 : 0);
      to.text(manifest_text(writer_->manifest()));
    });
    Result<std::string> end =
        ranks_.together(text, [&](const std::vector<std::string>& texts) { return commit_all(texts); });
    if (!end.ok()) return Error{end.error()};
    InStream from(std::move(end).value(), "what rank 0 says of a checkpoint");
    stops_ = from.number() != 0;
    if (const std::string why = from.text(); !why.empty()) return Error{why};
    if (ranks_.rank() > 0) writer_->let_stay();
    if (is_last_) return Success{};
    if (ranks_.rank() > 0) {
      Result<Manifest> committed = parse_manifest(from.text());
      if (!committed.ok()) return Error{committed.error()};
      checkpoints_.follow(std::move(committed).value());
    }
    return mirror_ ? commit_mirror() : Success{};
  }
  [[nodiscard]] Status commit_mirror() {
    const Result<std::string> run = run_file_text(checkpoints_.run());
    return run.ok() ? mirror_->commit(*checkpoints_.last(), run.value()) : Status(Error{run.error()});
  }
  // Rank 0.
  [[nodiscard]] std::vector<std::string> commit_all(const std::vector<std::string>& texts) {
    bool stops = false;
    for (uint32_t i = 0; i < texts.size(); ++i) {
      InStream from(texts[i], fmt::format("what rank {} has saved", i));
      const std::string why = texts[i].empty() ? "it was stopped" : from.text();
      if (!why.empty()) {
        writer_->fail(i == 0 ? why : fmt::format("rank {}: {}", i, why));
        continue;
      }
      stops = from.number() != 0 || stops;
      if (i == 0) continue;
      const Result<Manifest> part = parse_manifest(from.text());
      part.ok() ? merge(part.value(), i, writer_->manifest()) : writer_->fail(part.error());
    }
    Status status = writer_->status();
    if (is_last_) {
      checkpoints_.keep(std::move(writer_));
    } else {
      status = checkpoints_.commit(*writer_);
    }
    const std::string answer = text_of([&](OutStream& to) {
      to.number(stops ? 1 : 0);
      to.text(status.ok() ? "" : status.error());
      to.text(status.ok() && !is_last_ ? manifest_text(*checkpoints_.last()) : "");
    });
    return std::vector<std::string>(texts.size(), answer);
  }

  SearchContext& context_;
  Ranks& ranks_;
  Checkpoints& checkpoints_;
  const Layout& layout_;
  const uint64_t states_;
  const bool is_last_;
  Layout common_;
  std::unique_ptr<CheckpointWriter> writer_;
  std::optional<MirrorFolder> mirror_;  // of the rank before
  bool stops_ = false;                  // some rank has reached a limit
};

}  // namespace

void write_checkpoint_among_ranks(SearchContext& context, const Layout& layout, uint64_t states, bool is_last,
                                  const std::function<void(CheckpointWriter&)>& save) {
  RankCheckpoint(context, layout, states, is_last).write(save);
}

Status check_loaded_states(SearchContext& context, const Status& loaded, uint64_t states, uint64_t expected) {
  const auto sum_up = [&](const std::vector<std::string>& texts) {
    uint64_t sum = 0;
    std::string why;
    for (uint32_t i = 0; i < texts.size(); ++i) {
      InStream from(texts[i], fmt::format("what rank {} has read", i));
      const std::string error = texts[i].empty() ? fmt::format("rank {} was stopped", i) : from.text();
      if (why.empty()) why = error;
      sum += from.ok() ? from.number() : 0;
    }
    if (why.empty() && sum != expected) {
      why = fmt::format("the checkpoint has {} instead of {}", plural(sum, "state"), format_count(expected));
    }
    return std::vector<std::string>(texts.size(), text_of([&](OutStream& to) { to.text(why); }));
  };
  const std::string text = text_of([&](OutStream& to) {
    to.text(loaded.ok() ? "" : loaded.error());
    to.number(states);
  });
  Result<std::string> answer = context.options.ranks->together(text, sum_up);
  if (!answer.ok()) return Error{answer.error()};
  const std::string why = InStream(std::move(answer).value(), "what rank 0 says of a checkpoint").text();
  return why.empty() ? Status(Success{}) : Status(Error{why});
}

}  // namespace cmc
