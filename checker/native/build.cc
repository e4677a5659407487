#include "checker/native/build.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/sha1.h"
#include "checker/native/object_file.h"

namespace cmc::native {

Build::Build(const Model& model, Options options) : model_(model), options_(std::move(options)) {}

Build::~Build() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Build::start() {
  if (started_.exchange(true)) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    notes_.push_back(fmt::format("there can be no thread for the compiler: {}", error.code().message()));
    ended_.store(true, std::memory_order_release);
  }
}

void Build::wait(const std::function<bool()>& should_stop) const {
  while (!ended() && !should_stop()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void Build::run() {
  try {
    library_ = make();
  } catch (const std::bad_alloc&) {
    notes_.emplace_back("there is not enough memory");
  }
  ended_.store(true, std::memory_order_release);
}

std::shared_ptr<const Library> Build::make() {
  const Result<std::string> identity = identity_of(options_.compiler);
  if (!identity.ok()) return fail(identity.error());
  const Source source = write_source(model_);
  const std::string key = sha1_hex(source.sha1 + identity.value());
  std::optional<ObjectCache> cache;
  if (Result<ObjectCache> opened = ObjectCache::open(options_.cache); opened.ok()) {
    cache.emplace(std::move(opened).value());
    if (std::shared_ptr<const Library> kept = find(*cache, key, source)) return kept;
  } else {
    notes_.push_back(opened.error());
  }
  if (!wait_until_it_pays(source)) return nullptr;
  const SystemClock clock;
  const double begin = clock.wall_seconds();
  const Result<RunDirectory> folder = RunDirectory::create("", false);
  if (!folder.ok()) return fail(folder.error());
  const Result<std::string> object = make_object(source, folder.value().path());
  if (!object.ok()) return fail(object.error());
  Result<std::shared_ptr<const Library>> library = Library::load(object.value(), source);
  if (!library.ok()) return fail(library.error());
  if (cache) {
    if (const Status added = cache->add(key, object.value()); !added.ok()) notes_.push_back(added.error());
  }
  notes_.push_back(
      fmt::format("{} functions were compiled in {:.2f} s", source.functions, clock.wall_seconds() - begin));
  return std::move(library).value();
}

// False: the search has ended.
bool Build::wait_until_it_pays(const Source& source) const {
  if (options_.at_once) return !stop_;
  const double compiler = kCompilerSecondsPerByte * static_cast<double>(source.text.size());
  const double enough = std::max(kLeastSecondsBeforeCompiling, compiler);
  constexpr double kLeastGain = 2;
  const SystemClock clock;
  const double begin = clock.wall_seconds();
  struct Mark {
    double wait = 0;
    double steps = 0;
  };
  Mark older;  // in the first half of the wait
  Mark newer;
  while (!stop_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Mark now{clock.wall_seconds() - begin, seconds_.load(std::memory_order_relaxed)};
    // What steps are going to take if the search lasts as long again. At best, machine code saves half of it.
    const double expected = (now.steps - older.steps) / (now.wait - older.wait) * now.wait;
    if (now.steps >= enough && expected >= kLeastGain * compiler) return true;
    if (now.wait >= 2 * newer.wait) older = std::exchange(newer, now);
  }
  return false;
}

std::shared_ptr<const Library> Build::fail(const std::string& why) {
  notes_.push_back(why);
  return nullptr;
}

// Null: there is none that is good.
std::shared_ptr<const Library> Build::find(const ObjectCache& cache, const std::string& key, const Source& source) {
  const std::optional<std::string> object = cache.find(key);
  if (!object) return nullptr;
  Result<std::shared_ptr<const Library>> library = Library::load(*object, source);
  if (!library.ok()) {
    cache.remove(key);
    return nullptr;
  }
  notes_.push_back(fmt::format("{} functions were kept by an earlier run", source.functions));
  return std::move(library).value();
}

Result<std::string> Build::make_object(const Source& source, const std::string& folder) const {
  const std::string text = folder + "/model.c";
  const std::string object = folder + "/model.so";
  if (Status written = write_file_atomically(text, source.text); !written.ok()) return Error{written.error()};
  if (Status made = compile(options_.compiler, folder, text, object, [&] { return stop_.load(); }); !made.ok())
    return Error{made.error()};
  Result<std::string> bytes = read_file(object);
  if (!bytes.ok()) return bytes;
  const Status whole = check_object(bytes.value());
  if (whole.ok()) return bytes;
  return Error{fmt::format("what '{}' made cannot be used: {}", options_.compiler.words.front(), whole.error())};
}

Result<std::shared_ptr<const Library>> build_now(const Model& model) {
  Build build(model, {.compiler = system_compiler(), .cache = {}, .at_once = true});
  build.start();
  build.wait([] { return false; });
  if (build.library() == nullptr) return Error{fmt::format("{}", fmt::join(build.notes(), "; "))};
  return build.library();
}

}  // namespace cmc::native
