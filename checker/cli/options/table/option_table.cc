#include <sstream>

#include "checker/cli/options/table/rows.h"

namespace cmc {
namespace {

std::vector<OptionRow> join_rows() {
  std::vector<OptionRow> table;
  for (const auto part :
       {rows::model_rows, rows::property_rows, rows::search_rows, rows::limit_rows, rows::store_rows,
        rows::action_rows, rows::batch_rows, rows::solver_rows, rows::file_rows, rows::trace_rows, rows::result_rows,
        rows::batch_result_rows, rows::printing_rows, rows::debug_rows}) {
    const std::span<const OptionRow> rows = part();
    table.insert(table.end(), rows.begin(), rows.end());
  }
  return table;
}

}  // namespace

std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names;
  std::istringstream words(row.names);
  for (std::string name; std::getline(words, name, ',');) names.push_back(name);
  return names;
}

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> kTable = join_rows();
  return kTable;
}

}  // namespace cmc
