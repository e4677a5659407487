#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cmc::native {

// A function of a model's source.
struct Function {
  std::string name;     // with its number: "execute_7"
  std::string kind;     // functions of different kinds are different
  std::string comment;  // marked (marked_text.h); may be empty
  std::string code;     // marked
};

// Functions whose code is the same but for its constants, and so can be one function: a statement that an inline or a
// macro repeats with other arguments, or that stands in several proctypes.
struct Shape {
  std::vector<size_t> members;              // numbers of functions, ascending
  std::vector<uint32_t> parameters;         // by marked constant of the code: as spelled() has it
  std::vector<std::vector<uint32_t>> rows;  // by member: values of the parameters; empty if there are none

  [[nodiscard]] bool shared() const { return members.size() > 1; }
};

// A shared function reads its constants from memory, which costs time in a search; compiling each of its members
// costs time before. So functions are shared if there are that many of them, at least.
inline constexpr size_t kFewestShared = 3;

// All functions, each in one shape. Constants that are the same in all members are no parameters, nor are they two
// parameters if two are the same in each member.
[[nodiscard]] std::vector<Shape> find_shapes(std::span<const Function> functions);

// The comment and the code of a shape's function, spelled, with marked comments.
struct Written {
  std::string comment;
  std::string code;
  std::string constants;  // the definition of NAME_constants, an array of rows; empty: there are no parameters
};
[[nodiscard]] Written write_shape(const Shape& shape, std::span<const Function> functions);

}  // namespace cmc::native
