#include "checker/native/shapes.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "checker/native/marked_text.h"

namespace cmc::native {

namespace {

Shape alone(size_t function) { return Shape{{function}, {}, {}}; }

// `constants`: by member.
void find_parameters(const std::vector<std::vector<uint32_t>>& constants, Shape& shape) {
  std::map<std::vector<uint32_t>, uint32_t> known;  // parameters by their values in all members
  shape.rows.resize(constants.size());
  for (size_t i = 0; i < constants.front().size(); ++i) {
    std::vector<uint32_t> values;
    values.reserve(constants.size());
    for (const std::vector<uint32_t>& each : constants) values.push_back(each[i]);
    if (std::ranges::count(values, values.front()) == std::ssize(values)) {
      shape.parameters.push_back(kImmediate);
      continue;
    }
    const auto [parameter, added] = known.try_emplace(values, static_cast<uint32_t>(known.size()));
    shape.parameters.push_back(parameter->second);
    if (!added) continue;
    for (size_t member = 0; member < values.size(); ++member) shape.rows[member].push_back(values[member]);
  }
  if (known.empty()) shape.rows.clear();
}

}  // namespace

std::vector<Shape> find_shapes(std::span<const Function> functions) {
  std::vector<Skeleton> skeletons;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> groups;
  skeletons.reserve(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    skeletons.push_back(skeleton_of(functions[i].code));
    groups[{functions[i].kind, skeletons.back().shape}].push_back(i);
  }
  std::vector<Shape> shapes;
  for (const auto& [key, members] : groups) {
    if (members.size() < kFewestShared) {
      for (const size_t member : members) shapes.push_back(alone(member));
      continue;
    }
    std::vector<std::vector<uint32_t>> constants;
    for (const size_t member : members) constants.push_back(std::move(skeletons[member].constants));
    find_parameters(constants, shapes.emplace_back(Shape{members, {}, {}}));
  }
  std::ranges::sort(shapes, {}, [](const Shape& shape) { return shape.members.front(); });
  return shapes;
}

Written write_shape(const Shape& shape, std::span<const Function> functions) {
  const Function& first = functions[shape.members.front()];
  Written written;
  written.code = spelled(first.code, shape.parameters);
  written.comment = first.comment;
  if (shape.shared()) {
    written.comment += marked_comment(fmt::format("\n/* and {} more */", shape.members.size() - 1));
  }
  if (shape.rows.empty()) return written;
  std::string rows;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    const std::string& comment = functions[shape.members[i]].comment;
    rows += fmt::format("  {{{}}},{}{}\n", fmt::join(shape.rows[i], ", "), comment == first.comment ? "" : " ",
                        comment == first.comment ? "" : comment);
  }
  written.constants = fmt::format("static const uint32_t {}_constants[{}][{}] = {{\n{}}};\n", first.name,
                                  shape.rows.size(), shape.rows.front().size(), rows);
  return written;
}

}  // namespace cmc::native
