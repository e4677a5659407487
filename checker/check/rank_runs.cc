#include "checker/check/rank_runs.h"

#include <utility>
#include <vector>

#include "checker/checkpoint/mirror.h"

namespace cmc {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kPresent = ".";  // a text that says nothing

// What rank 0 says to all.
Result<std::string> share(Ranks& ranks, const std::string& text) {
  return ranks.together(kPresent, [&](const Texts& texts) { return Texts(texts.size(), text); });
}

// Whether these files of a checkpoint are whole, now.
Status verify_or_restore(const std::string& directory, const std::string& mirror, const Manifest& manifest,
                         const std::function<bool(size_t)>& wanted) {
  for (size_t i = 0; i < manifest.files.size() && !mirror.empty(); ++i) {
    if (wanted(i)) restore_file(mirror, directory, manifest.files[i]);
  }
  return verify_files(directory, manifest, wanted);
}

// Each rank looks at a part of the files. Empty: all are whole.
Result<std::string> verify_together(Ranks& ranks, const std::string& directory, const std::string& mirror,
                                    const Manifest& manifest) {
  const bool same_ranks = manifest.ranks() == ranks.count();  // each has its own files
  const Status whole = verify_or_restore(directory, mirror, manifest, [&](size_t i) {
    return (same_ranks ? manifest.files[i].rank : i % ranks.count()) == ranks.rank();
  });
  return ranks.together(kPresent + (whole.ok() ? "" : whole.error()), [](const Texts& texts) {
    std::string wrong;
    for (const std::string& text : texts) {
      if (wrong.empty()) wrong = text.empty() ? "a rank has left" : text.substr(1);
    }
    return Texts(texts.size(), wrong);
  });
}

// Rank 0 says which manifest the others are to look at, until it has found one that is whole, or none.
constexpr char kLook = '?';
constexpr char kTake = '!';

Result<std::unique_ptr<Checkpoints>> lead(Ranks& ranks, const std::string& directory, const std::string& mirror) {
  Result<std::unique_ptr<Checkpoints>> opened = Checkpoints::open(directory, [&](const Manifest& manifest) -> Status {
    const Result<std::string> told = share(ranks, kLook + manifest_text(manifest));
    if (!told.ok()) return Error{told.error()};
    CMC_TRY(const std::string wrong, verify_together(ranks, directory, mirror, manifest));
    return wrong.empty() ? Status(Success{}) : Status(Error{wrong});
  });
  if (!opened.ok()) return opened;  // the others hear of it when this one refuses
  CMC_TRY(const std::string run, run_file_text(opened.value()->run()));
  for (const std::string& text : {kTake + run, manifest_text(*opened.value()->last())}) {
    if (const Result<std::string> told = share(ranks, text); !told.ok()) return Error{told.error()};
  }
  return opened;
}

Result<std::unique_ptr<Checkpoints>> follow(Ranks& ranks, const std::string& directory, const std::string& mirror) {
  for (;;) {
    CMC_TRY(const std::string said, share(ranks, {}));
    const std::string text = said.substr(1);
    if (said.front() == kLook) {
      CMC_TRY(const Manifest manifest, parse_manifest(text));
      const Result<std::string> wrong = verify_together(ranks, directory, mirror, manifest);
      if (!wrong.ok()) return Error{wrong.error()};
      continue;
    }
    CMC_TRY(RunFile run, parse_run_file(text));
    CMC_TRY(const std::string last, share(ranks, {}));
    CMC_TRY(Manifest manifest, parse_manifest(last));
    return Checkpoints::follow(directory, std::move(run), std::move(manifest));
  }
}

}  // namespace

Result<std::unique_ptr<Checkpoints>> begin_run(Ranks* ranks, const std::string& directory, RunFile run) {
  if (ranks == nullptr) return Checkpoints::create(directory, std::move(run));
  if (ranks->rank() > 0) {
    const Result<std::string> made = share(*ranks, {});
    if (!made.ok()) return Error{made.error()};
    return Checkpoints::follow(directory, std::move(run), std::nullopt);
  }
  Result<std::unique_ptr<Checkpoints>> made = Checkpoints::create(directory, std::move(run));
  if (!made.ok()) return made;
  if (const Result<std::string> told = share(*ranks, kPresent); !told.ok()) return Error{told.error()};
  return made;
}

Result<std::unique_ptr<Checkpoints>> reopen_run(Ranks* ranks, const std::string& directory,
                                                const std::string& mirror) {
  const bool is_first = ranks == nullptr || ranks->rank() == 0;
  if (is_first && !mirror.empty()) restore_manifests(mirror, directory);
  if (ranks != nullptr) return is_first ? lead(*ranks, directory, mirror) : follow(*ranks, directory, mirror);
  return Checkpoints::open(directory, [&](const Manifest& manifest) {
    return verify_or_restore(directory, mirror, manifest, [](size_t) { return true; });
  });
}

}  // namespace cmc
