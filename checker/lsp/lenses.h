#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "checker/lsp/checks.h"
#include "checker/lsp/document.h"

// What was found out about a text by running cmc, and where the editor shows it.

namespace cmc::lsp {

inline constexpr const char* kCheckSource = "cmc check";  // of diagnostics

class Findings {
 public:
  // Takes over what a task has found. False: that is nothing about the text as it is now.
  bool add(const TaskNews& news, const Document& document);
  // Of this text; what was found about another one is over.
  [[nodiscard]] std::vector<nlohmann::json> diagnostics(const Document& document) const;
  // The report with the counterexample; empty: the property (empty: one of them) was not violated.
  [[nodiscard]] std::string counterexample(const Document& document, const std::string& property) const;
  // "check", "why", "simulate" above formulas, claims, processes and assertions.
  [[nodiscard]] nlohmann::json lenses(const Document& document) const;

 private:
  struct Property {
    std::string name;
    std::string verdict;
    std::string title;  // "holds: 12 states, 0.1 s"
    uint32_t line = 0;  // 0: it stands nowhere
    std::string report;
  };
  struct Violation {
    std::string property;
    std::string message;
    uint32_t line = 0;
  };
  struct Hint {
    SourcePlace place;
    std::string message;
  };
  [[nodiscard]] const Property* find(uint32_t line, const std::string& name) const;

  std::string text_;  // that all of it is about: Document::subject()
  std::map<std::string, Property> properties_;
  std::vector<Violation> violations_;
  std::vector<Hint> hints_;
};

}  // namespace cmc::lsp
