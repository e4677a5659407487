#include "checker/properties/properties.h"

#include "ir/product.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using test::compile_text;
using Names = std::vector<std::string>;

Names names_of(const Model& model, bool by_default) {
  Names names;
  for (const PropertyEntry& entry : properties_of(model)) {
    if (!by_default || entry.by_default) names.push_back(entry.name);
  }
  return names;
}

const PropertyEntry& entry_of(const std::vector<PropertyEntry>& entries, const std::string& name) {
  for (const PropertyEntry& entry : entries) {
    if (entry.name == name) return entry;
  }
  throw std::runtime_error("no property " + name);
}

constexpr const char* kLabels = "active proctype P() { byte x; accept: progress: do :: x = 1 - x od } ";

TEST_CASE("labels ask for cycles although a claim says what they are for") {
  CHECK(names_of(compile_text("active proctype P() { progress: skip }"), true) == Names{"safety"});
  CHECK(names_of(compile_text(kLabels), true) == Names{"safety", "accept"});
  const std::string claim = std::string(kLabels) + "never c { do :: true od }";
  CHECK(names_of(compile_text(claim), true) == Names{"safety", "c"});
  CHECK(names_of(compile_text(claim), false) == Names{"safety", "c", "accept", "non-progress"});
}

TEST_CASE("a property has no place") {
  const Model model = compile_text("active proctype P() { skip }\n\nnever c { do :: true od }\n");
  const auto entries = properties_of(model);
  CHECK(entry_of(entries, "c").place.line == 3);
  CHECK(entry_of(entries, "safety").place.line == 0);
  CHECK(property_kind_name(entry_of(entries, "c").kind) == std::string("never claim"));
}

TEST_CASE("a product has other properties than its own") {
  const Model model =
      compile_text(std::string(kLabels) + "never c { accept: do :: true od } never d { do :: true od }");
  const auto entries = properties_of(model);
  const Model safety = make_product(model, entry_of(entries, "safety")).value();
  CHECK(!safety.claim.exists());
  CHECK(safety.properties.empty());
  for (const char* name : {"c", "d", "accept", "non-progress"}) {
    const Model product = make_product(model, entry_of(entries, name)).value();
    INFO(name);
    REQUIRE(product.claim.exists());
    REQUIRE(product.properties.size() == 1);
    CHECK(product.properties[0].claim == product.claim.claim);
  }
  CHECK(make_product(model, entry_of(entries, "d")).value().claim.claim == 1);
}

TEST_CASE("accept labels of processes are in the way of non-progress cycles") {
  const Model model = compile_text(kLabels);
  const auto entries = properties_of(model);
  const auto accepts = [](const Model& product) {
    return std::ranges::any_of(product.proctypes.at(0).locations, &Location::accepting);
  };
  CHECK(accepts(make_product(model, entry_of(entries, "accept")).value()));
  const Model product = make_product(model, entry_of(entries, "non-progress")).value();
  CHECK(!accepts(product));
  CHECK(has_accepting_location(product));
}

}  // namespace
}  // namespace cmc
