#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/model.h"

// External channels: those that a model shares with the world around it. A global channel is external if the line of
// its declaration has the comment `cmc: external`. A checker takes no notice of it.

namespace cmc::program {

// One that the model's processes send to goes to the world, one that they receive from comes from there.
struct ExternalChannel {
  enum class Direction : uint8_t { kIn, kOut } direction = Direction::kIn;
  std::string name;    // of the variable
  uint32_t first = 0;  // index into Model::channels
  uint32_t count = 1;  // elements of an array of channels
};

// `text_of`: the text of a file by its number (Model::files). An error names the channel: it is a rendezvous, nobody
// uses it, or processes do both.
[[nodiscard]] Result<std::vector<ExternalChannel>> find_external_channels(
    const Model& model, const std::function<std::string_view(uint32_t file)>& text_of);
// The same by name. An error says, too, that there is no global channel of that name.
[[nodiscard]] Result<std::vector<ExternalChannel>> find_external_channels(const Model& model,
                                                                          const std::vector<std::string>& names);

}  // namespace cmc::program
