#include "checker/search/engine/common_keys.h"

#include <algorithm>
#include <bit>

#include "checker/search/engine/checkpoint.h"

namespace cmc {

void CommonNumbers::tell(const KeySpace& space, OutStream& to) const {
  to.number(space.component_count());
  for (uint32_t component = 0; component < space.component_count(); ++component) {
    const auto id = static_cast<ComponentId>(component);
    const uint32_t contents = space.contents(id);
    to.number(contents - told(component));
    for (uint32_t number = told(component); number < contents; ++number) {
      const ByteView content = space.numbered(id, number);
      to.number(content.size());
      to.raw(content);
    }
  }
}

void CommonNumbers::give(InStream& from, KeySpace& space, OutStream& to) {
  const uint64_t components = from.number_up_to(space.components().pieces().component_count(kMaxProcesses));
  to.number(components);
  for (uint32_t component = 0; component < components && from.ok(); ++component) {
    const uint64_t contents = from.number();
    to.number(contents);
    for (uint64_t left = contents; left > 0 && from.ok(); --left) {
      const std::string content = from.text();
      to.number(space.number_of(static_cast<ComponentId>(component), std::as_bytes(std::span(content))));
    }
  }
}

void CommonNumbers::learn(InStream& from) {
  const uint64_t components = from.number();
  common_.resize(std::max<size_t>(common_.size(), components));
  for (std::vector<uint32_t>& numbers : common_) {
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      // Number 0 is the same content for all ranks.
      const auto number = static_cast<uint32_t>(from.number());
      CHECK(!numbers.empty() || number == 0);
      numbers.push_back(number);
    }
  }
}

Layout common_layout(const KeySpace& space) {
  std::vector<uint8_t> widths(space.component_count());
  for (uint32_t component = 0; component < widths.size(); ++component) {
    const uint32_t contents = space.contents(static_cast<ComponentId>(component));
    widths[component] = contents < 2 ? 0 : static_cast<uint8_t>(std::bit_width(contents - 1));
  }
  return Layout(widths);
}

// For each width of keys a kind of its own.
class CommonKeys::Sink {
 public:
  virtual ~Sink() = default;
  virtual void add(const uint64_t* key) = 0;
  virtual void flush() = 0;
};

namespace {

template <unsigned W>
class SinkOf final : public CommonKeys::Sink {
 public:
  SinkOf(CheckpointWriter& writer, uint64_t total) : states_(writer, total) {}
  void add(const uint64_t* words) override {
    Key<W> key;
    std::copy_n(words, W, key.words.begin());
    states_.add(key);
  }
  void flush() override { states_.flush(); }

 private:
  StatesFiles<W> states_;
};

std::unique_ptr<CommonKeys::Sink> make_sink(unsigned words, CheckpointWriter& writer, uint64_t total) {
  switch (words) {
    case 1: return std::make_unique<SinkOf<1>>(writer, total);
    case 2: return std::make_unique<SinkOf<2>>(writer, total);
    case 4: return std::make_unique<SinkOf<4>>(writer, total);
    default: return std::make_unique<SinkOf<kMaxKeyWords>>(writer, total);
  }
}

}  // namespace

CommonKeys::CommonKeys(const CommonNumbers& numbers, const Layout& own, const Layout& common)
    : numbers_(numbers), own_words_(own.words()), words_(common.words()) {
  for (uint32_t c = 0; c < own.size(); ++c) {
    const auto component = static_cast<ComponentId>(c);
    if (const Layout::Field field = own.field(component); field.width > 0)
      moves_.push_back({component, field, common.field(component)});
  }
}

CommonKeys::~CommonKeys() = default;

void CommonKeys::begin(CheckpointWriter& writer, uint64_t total) { sink_ = make_sink(words_, writer, total); }

void CommonKeys::add(const uint64_t* own) {
  translate(own);
  sink_->add(key_.data());
}

void CommonKeys::end() {
  sink_->flush();
  sink_.reset();
}

void CommonKeys::save(OutStream& to, const uint64_t* own) {
  translate(own);
  for (unsigned i = 0; i < words_; ++i) to.fixed(key_[i]);
}

// What is as in the last key was translated then.
void CommonKeys::translate(const uint64_t* own) {
  for (const Move& move : moves_) {
    if (((own[move.from.word] ^ last_[move.from.word]) & move.from.mask()) == 0) continue;
    const uint64_t number = numbers_.of(move.component, move.from.get(own));
    key_[move.to.word] = (key_[move.to.word] & ~move.to.mask()) | number << move.to.shift;
  }
  std::copy_n(own, own_words_, last_.begin());
}

}  // namespace cmc
