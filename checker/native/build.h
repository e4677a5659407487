#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "checker/native/compiler.h"
#include "checker/native/library.h"
#include "checker/native/object_cache.h"
#include "ir/model.h"

namespace cmc::native {

// The native code of one model in the making, in a thread of its own: the source, then an object that was kept from
// an earlier run or one that the compiler makes. Whatever goes wrong leaves no code and a note. Thread-safe.
//
// Nothing is known of how long a search goes on. So the compiler begins when the model's steps have taken as long as
// it will take itself: then its time is lost at worst, as in the ski-rental problem (Karlin, Manasse, Rudolph,
// Sleator 1988), and not even that where a core is idle. It does not begin while the steps take so little of the
// time, as most are remembered, that as long a search again would not spend that.
class Build {
 public:
  struct Options {
    Compiler compiler;
    std::string cache;     // folder of an ObjectCache; empty: none
    bool at_once = false;  // the compiler does not wait until it pays
  };

  // `model` outlives the build. Nothing is done yet.
  Build(const Model& model, Options options);
  ~Build();  // kills the compiler
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  // Once; more calls do nothing. Looks for an object of an earlier run.
  void start();
  // Until the build has ended, or `should_stop`, asked now and then, returns true. REQUIRES: started.
  void wait(const std::function<bool()>& should_stop) const;

  // Whether it has ended, well or not.
  [[nodiscard]] bool ended() const { return ended_.load(std::memory_order_acquire); }
  // REQUIRES: ended(). Null: there is none.
  [[nodiscard]] const std::shared_ptr<const Library>& library() const { return library_; }
  // How it ended, and what went wrong, for people. REQUIRES: ended().
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  // What steps have taken when start() is worth its while.
  static constexpr double kSecondsBeforeLooking = 0.05;
  // So that searches that end at once leave other programs the cores.
  static constexpr double kLeastSecondsBeforeCompiling = 0.1;
  // Measured with gcc 12, -O1: 2.2 to 5 microseconds of CPU time for a byte of the models in bench/models.
  static constexpr double kCompilerSecondsPerByte = 5e-6;

  // Adds to the time that the model's steps have taken so far, in all threads, and returns the sum.
  double add_seconds(double seconds) { return seconds_.fetch_add(seconds, std::memory_order_relaxed) + seconds; }

 private:
  void run();
  [[nodiscard]] bool wait_until_it_pays(const Source& source) const;
  [[nodiscard]] std::shared_ptr<const Library> make();
  [[nodiscard]] std::shared_ptr<const Library> fail(const std::string& why);
  [[nodiscard]] std::shared_ptr<const Library> find(const ObjectCache& cache, const std::string& key,
                                                    const Source& source);
  [[nodiscard]] Result<std::string> make_object(const Source& source, const std::string& folder) const;

  const Model& model_;
  const Options options_;
  std::atomic<bool> started_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  std::atomic<double> seconds_{0};
  std::shared_ptr<const Library> library_;
  std::vector<std::string> notes_;
  std::thread thread_;
};

// The native code of a model, with the system's compiler, which the caller waits for; it is not kept.
[[nodiscard]] Result<std::shared_ptr<const Library>> build_now(const Model& model);

}  // namespace cmc::native
