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

TEST_CASE("properties: labels ask for cycles only where no claim says what they are for") {
  CHECK(names_of(compile_text("active proctype P() { progress: skip }"), true) == Names{"safety"});
  CHECK(names_of(compile_text(kLabels), true) == Names{"safety", "accept"});
  const std::string claim = std::string(kLabels) + "never c { do :: true od }";
  CHECK(names_of(compile_text(claim), true) == Names{"safety", "c"});
  CHECK(names_of(compile_text(claim), false) == Names{"safety", "c", "accept", "non-progress"});
}

TEST_CASE("properties: every property has its place") {
  const Model model = compile_text("active proctype P() { skip }\n\nnever c { do :: true od }\n");
  const auto entries = properties_of(model);
  CHECK(entry_of(entries, "c").place.line == 3);
  CHECK(entry_of(entries, "safety").place.line == 0);
  CHECK(property_kind_name(entry_of(entries, "c").kind) == std::string("never claim"));
}

TEST_CASE("properties: a product has its own property only") {
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

TEST_CASE("properties: a formula that a beginning of a run can violate needs no endless runs") {
  const Model model = compile_text(
      "byte x; active proctype P() { do :: x < 5 -> x++ :: else -> x = 0 od }\n"
      "ltl invariant { [] (x < 3) } ltl order { (x < 2) W (x == 3) }\n"
      "ltl again { []<> (x == 3) } ltl impossible { false }\n");
  const auto entries = properties_of(model);
  const auto product_of = [&](const char* name) { return make_product(model, entry_of(entries, name)).value(); };
  const auto reaches_end = [](const Model& product) {
    const Proctype& claim = product.claims[product.claim.claim];
    return std::ranges::any_of(claim.locations, [&](const Location& location) {
      return std::ranges::any_of(location.edges, [&](const Edge& edge) { return edge.target == claim.end; });
    });
  };
  for (const char* name : {"invariant", "order", "impossible"}) {
    INFO(name);
    CHECK(reaches_end(product_of(name)));
    CHECK(!has_accepting_location(product_of(name)));
  }
  CHECK(!reaches_end(product_of("again")));
  CHECK(has_accepting_location(product_of("again")));
}

TEST_CASE("properties: accept labels of processes are not in the way of non-progress cycles") {
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
