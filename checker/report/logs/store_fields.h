#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "storage/options/store_figures.h"

namespace cmc {

// Which figure of a store.
class StoreMember {
 public:
  constexpr StoreMember() = default;
  template <class T>
  constexpr StoreMember(T StoreFigures::*member) : member_(member) {}

  [[nodiscard]] uint64_t get(const StoreFigures& figures) const {
    return std::visit([&](auto field) -> uint64_t { return figures.*field; }, member_);
  }
  // REQUIRES: the value is at most max(); k and the number of partitions have 32 bits.
  void set(StoreFigures& figures, uint64_t value) const {
    std::visit([&](auto field) { figures.*field = static_cast<std::decay_t<decltype(figures.*field)>>(value); },
               member_);
  }
  [[nodiscard]] uint64_t max() const { return member_.index() == 0 ? ~uint64_t{0} : uint64_t{~uint32_t{0}}; }

 private:
  std::variant<uint64_t StoreFigures::*, uint32_t StoreFigures::*> member_;
};

// One figure of a store: its name in JSON and CSV, what people read, and where it is. All figures are rows of one
// table, in the order of StoreFigures; a test holds that none is missing.
struct StoreField {
  const char* name;
  const char* title;
  bool is_bytes;
  bool in_text;  // of a log, or computed from what is
  StoreMember member;
  bool is_later = false;  // than version 0.1.0, whose results lack it
};

[[nodiscard]] std::span<const StoreField> store_fields();

}  // namespace cmc
