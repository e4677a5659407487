#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/generator/generator.h"
#include "checker/native/library.h"
#include "checker/program/external.h"
#include "ir/model.h"
#include "studies/xtp/endpoint.h"

// Programs made of models/xtp/flat.pml or layered.pml.

namespace cmc::xtp {

enum class Variant : uint8_t { kReference, kVm, kNative };

// Of "reference", "vm" or "native".
[[nodiscard]] std::optional<Variant> variant_named(std::string_view name);

struct ProgramOptions {
  std::string model;              // path
  uint32_t window = 4;            // W
  uint32_t limit_bytes = 10'000;  // LIMIT; 0: payloads lie outside the state, each with its own length (HANDLES)
  Variant variant = Variant::kVm;
};

// A model with its external channels, for any number of ends.
class Program {
 public:
  // An error: the model cannot be read or compiled, its external channels are not those of the protocol, or there is
  // no native code.
  [[nodiscard]] static Result<std::shared_ptr<const Program>> load(const ProgramOptions& options);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const ProgramOptions& options() const { return options_; }
  [[nodiscard]] std::unique_ptr<SuccessorGenerator> make_generator() const;

  // The external channels: indexes into Model::channels.
  struct Channels {
    uint32_t request = 0;
    uint32_t indication = 0;
    uint32_t sent = 0;
    uint32_t arrived = 0;
  };
  [[nodiscard]] const Channels& channels() const { return channels_; }
  // The value of an mtype constant. REQUIRES: there is one of this name.
  [[nodiscard]] int32_t constant(const std::string& name) const;

 private:
  ProgramOptions options_;
  Model model_;
  std::shared_ptr<const native::Library> library_;  // Variant::kNative
  Channels channels_;
};

}  // namespace cmc::xtp
