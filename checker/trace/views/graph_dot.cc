#include <fmt/format.h>

#include "checker/report/style/style.h"
#include "checker/trace/state_graph.h"

namespace cmc {
namespace {

std::string dot_string(std::string_view text) {
  static constexpr Escape kEscapes[] = {{'\n', "\\n"}, {'"', "\\\""}, {'\\', "\\\\"}};
  return '"' + escaped(valid_utf8(text), kEscapes, " ") + '"';
}

const char* shape_of(const StateGraph::Node& node) {
  switch (node.kind) {
    case StateGraph::Kind::kPlain: return node.expanded ? "" : " style=dashed";
    case StateGraph::Kind::kEnd: return " shape=doublecircle";
    case StateGraph::Kind::kDeadlock: return " shape=doublecircle color=red fontcolor=red";
    case StateGraph::Kind::kError: return " shape=octagon color=red fontcolor=red";
  }
  return "";
}

}  // namespace

std::string graph_dot(const StateGraph& graph) {
  std::string text = fmt::format(
      "digraph {} {{\n  node [shape=circle fontname=\"monospace\" fontsize=11];\n"
      "  edge [fontname=\"monospace\" fontsize=9];\n",
      dot_string(graph.title));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const StateGraph::Node& node = graph.nodes[i];
    const bool error = node.kind == StateGraph::Kind::kError;
    text += fmt::format("  s{} [label={} tooltip={}{}{}];\n", i,
                        error ? dot_string(node.text) : dot_string(std::to_string(i)), dot_string(node.text),
                        shape_of(node), i == 0 ? " penwidth=2" : "");
  }
  for (const StateGraph::Edge& edge : graph.edges) {
    std::string label = edge.process;
    label += '\n' + (edge.changes.empty() ? edge.text : edge.changes);
    text += fmt::format("  s{} -> s{} [label={} tooltip={}{}];\n", edge.from, edge.to, dot_string(label),
                        dot_string(edge.process + ": " + edge.text), edge.error ? " color=red fontcolor=red" : "");
  }
  return text + "}\n";
}

}  // namespace cmc
