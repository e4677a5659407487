#include "checker/plugin/layout.h"

#include <cctype>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/sha1.h"
#include "ir/dump.h"

namespace cmc::plugin {
namespace {

// Constants of an enumeration, each name once.
class Constants {
 public:
  void add(const std::string& name, uint32_t value, const std::string& remark = "") {
    std::string clean;
    for (const char c : name) {
      if (c == ']') continue;
      clean += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    while (!names_.insert(clean).second) clean += '_';
    lines_ += fmt::format("  {} = {},{}\n", clean, value, remark.empty() ? "" : " /* " + remark + " */");
  }
  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  std::set<std::string> names_;
  std::string lines_;
};

std::string extent_text(const Variable& variable) {
  std::string text = fmt::format("{} bytes", variable.type.bytes);
  for (const Variable::Dimension& dimension : variable.dimensions) {
    text += fmt::format(", {} elements every {} bytes", dimension.count, dimension.stride);
  }
  return text;
}

void add_variables(Constants& constants, const std::string& prefix, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables)
    constants.add(prefix + variable.name, variable.offset, extent_text(variable));
}

void add_channels(Constants& constants, const std::string& prefix, const Model& model,
                  const std::vector<ChannelInstance>& channels) {
  for (const ChannelInstance& channel : channels) {
    const ChannelType& type = model.channel_types[channel.type];
    constants.add(prefix + "contents_" + channel.name, channel.offset,
                  "two bytes: number of messages; then the messages");
    constants.add(prefix + "capacity_" + channel.name, type.capacity);
    constants.add(prefix + "message_" + channel.name, type.message_bytes, "bytes");
  }
}

}  // namespace

std::string model_sha1(const Model& model) {
  std::ostringstream text;
  dump(model, text);
  return sha1_hex(text.str());
}

std::string header(const Model& model) {
  Constants constants;
  constants.add("process_count_at", model.process_count_offset());
  constants.add("global_bytes", model.global_bytes);
  add_variables(constants, "g_", model.globals);
  add_channels(constants, "g_", model, model.channels);
  for (uint32_t i = 0; i < model.proctypes.size(); ++i) {
    const Proctype& proctype = model.proctypes[i];
    constants.add("proctype_" + proctype.name, i);
    constants.add("frame_bytes_" + proctype.name, proctype.frame_bytes);
    add_variables(constants, "l_" + proctype.name + "_", proctype.variables);
    add_channels(constants, "l_" + proctype.name + "_", model, proctype.channels);
    constants.add("start_" + proctype.name, proctype.start);
    constants.add("end_" + proctype.name, proctype.end);
    for (uint32_t at = 1; at < proctype.locations.size(); ++at) {
      for (const std::string& label : proctype.locations[at].labels) {
        constants.add(fmt::format("at_{}_{}", proctype.name, label), at);
      }
    }
  }
  for (const std::vector<std::string>& set : model.mtype_sets) {
    for (uint32_t i = 0; i < set.size(); ++i) constants.add("m_" + set[i], i + 1);
  }
  return fmt::format(
      "/* Made by cmc info --plugin-header: the layout of {}. State vectors: ir/model.h. */\n"
      "#pragma once\n\n"
      "#define CMC_MODEL_SHA1 \"{}\"\n\n"
      "enum {{\n{}}};\n",
      model.files.empty() ? "" : model.files.front(), model_sha1(model), constants.lines());
}

}  // namespace cmc::plugin
