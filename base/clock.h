#pragma once

namespace cmc {

// Time as the searches see it; tests pass a clock of their own.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual double wall_seconds() const = 0;  // since some fixed moment; never goes back
  [[nodiscard]] virtual double cpu_seconds() const = 0;   // of this process, all threads
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] double wall_seconds() const override;
  [[nodiscard]] double cpu_seconds() const override;
};

}  // namespace cmc
