#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/lines.h"
#include "checker/report/style/style.h"
#include "checker/trace/state_graph.h"
#include "checker/trace/views/markup.h"
#include "checker/trace/views/process_colour.h"

namespace cmc {
namespace {

constexpr size_t kLabelledStates = 80;
constexpr int kSweeps = 12;
constexpr double kRadius = 13;
constexpr double kMargin = 60;
constexpr size_t kMostTextCharacters = 34;
constexpr double kLegendLeft = 16;
constexpr double kLegendRow = 22;
constexpr int kSignWidth = 22;
constexpr double kLegendCharacter = 6.1;  // width of one, in the legend
constexpr double kTitleCharacter = 7.9;   // and in the title
constexpr double kLeastWidth = 420;

constexpr const char* kGraphStyle =
    "<style>\n"
    "svg{background:#fff;font:10px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    "text{fill:#1c2430;text-anchor:middle}.t{text-anchor:start;font-size:13px;font-weight:600}.k{text-anchor:start}\n"
    ".l{font-size:9px;fill:#475467;paint-order:stroke;stroke:#fff;stroke-width:3px}\n"
    ".s{fill:#f0f3f7;stroke:#98a2b3}.i{stroke-width:3}.d{fill:#fdecea;stroke:#c8281e}.o{fill:none;stroke:#98a2b3}\n"
    ".p{fill:none;stroke-width:1.3;stroke-opacity:.75}.x{stroke:#c8281e}.u{stroke-dasharray:3 3}\n"
    "g:hover>.p{stroke-width:3;stroke-opacity:1}\n"
    "@media(prefers-color-scheme:dark){svg{background:#171c25}text{fill:#e4e8ef}.l{fill:#b4bece;stroke:#171c25}"
    ".s{fill:#232b39}.d{fill:#3a1d1e}}\n"
    "</style>\n";

struct Point {
  double x = 0;
  double y = 0;
};

// Places by layers; within a layer the nodes stand in the order of the mean place of their neighbours.
class Layout {
 public:
  Layout(const StateGraph& graph, double column, double row) : graph_(graph), places_(graph.nodes.size()) {
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      const size_t depth = graph.nodes[i].depth;
      if (layers_.size() <= depth) layers_.resize(depth + 1);
      layers_[depth].push_back(i);
    }
    neighbours_.resize(graph.nodes.size());
    for (const StateGraph::Edge& edge : graph.edges) {
      neighbours_[edge.from].push_back(edge.to);
      neighbours_[edge.to].push_back(edge.from);
    }
    size_t widest = 1;
    for (const auto& layer : layers_) widest = std::max(widest, layer.size());
    width_ = static_cast<double>(widest) * column + 2 * kMargin;
    height_ = static_cast<double>(layers_.size()) * row + 2 * kMargin;
    for (const auto& layer : layers_) spread(layer, column, row);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (size_t i = 0; i < layers_.size(); ++i) {
        auto& layer = layers_[sweep % 2 == 0 ? i : layers_.size() - 1 - i];
        sort(layer);
        spread(layer, column, row);
      }
    }
  }

  [[nodiscard]] const Point& place(uint32_t node) const { return places_[node]; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

 private:
  void spread(const std::vector<uint32_t>& layer, double column, double row) {
    const double begin = (width_ - static_cast<double>(layer.size() - 1) * column) / 2;
    for (size_t i = 0; i < layer.size(); ++i) {
      const double depth = graph_.nodes[layer[i]].depth;
      places_[layer[i]] = {begin + static_cast<double>(i) * column, kMargin + 20 + depth * row};
    }
  }

  void sort(std::vector<uint32_t>& layer) {
    std::map<uint32_t, double> mean;
    for (const uint32_t node : layer) {
      double sum = places_[node].x;
      for (const uint32_t other : neighbours_[node]) sum += places_[other].x;
      mean[node] = sum / static_cast<double>(neighbours_[node].size() + 1);
    }
    std::ranges::stable_sort(layer, [&](uint32_t a, uint32_t b) { return mean[a] < mean[b]; });
  }

  const StateGraph& graph_;
  std::vector<std::vector<uint32_t>> layers_;
  std::vector<std::vector<uint32_t>> neighbours_;
  std::vector<Point> places_;
  double width_ = 0;
  double height_ = 0;
};

std::string shortened(const std::string& text) { return cut_in_middle(printable(text), kMostTextCharacters); }

struct LegendEntry {
  const char* sign;  // SVG, 16 wide
  const char* label;
  bool (*is_it)(const StateGraph::Node& node);
};
constexpr LegendEntry kLegend[] = {
    {"<circle class=\"s\" cx=\"8\" r=\"6\"/><circle class=\"o\" cx=\"8\" r=\"8\"/>", "end state",
     [](const StateGraph::Node& node) { return node.kind == StateGraph::Kind::kEnd; }},
    {"<circle class=\"s d\" cx=\"8\" r=\"6\"/><circle class=\"o x\" cx=\"8\" r=\"8\"/>", "invalid end state",
     [](const StateGraph::Node& node) { return node.kind == StateGraph::Kind::kDeadlock; }},
    {"<circle class=\"s d\" cx=\"8\" r=\"7\"/><text x=\"8\" y=\"3.5\">!</text>", "error: the step is cut",
     [](const StateGraph::Node& node) { return node.kind == StateGraph::Kind::kError; }},
    {"<circle class=\"s u\" cx=\"8\" r=\"7\"/>", "its steps are not shown (--max-states)",
     [](const StateGraph::Node& node) { return !node.expanded; }},
};

class GraphDrawing {
 public:
  explicit GraphDrawing(const StateGraph& graph)
      : graph_(graph),
        labelled_(graph.nodes.size() <= kLabelledStates),
        layout_(graph, labelled_ ? 150 : 44, labelled_ ? 104 : 72),
        width_(std::max({layout_.width(), kLeastWidth,
                         2 * kLegendLeft + kTitleCharacter * static_cast<double>(display_width(graph.title))})) {}

  std::string draw() {
    std::map<std::pair<uint32_t, uint32_t>, int> parallel;
    std::string edges;
    for (const StateGraph::Edge& edge : graph_.edges) edges += draw_edge(edge, parallel[{edge.from, edge.to}]++);
    const std::string legend = draw_legend();
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\">\n<title>{2}</title>\n{3}<text class=\"t\" x=\"16\" y=\"26\">{2}</text>\n",
        width_, height_, escaped_markup(graph_.title), kGraphStyle);
    svg += legend + edges;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) svg += draw_node(i);
    return svg + "</svg>\n";
  }

 private:
  static std::string tooltip(std::string_view text) {
    std::string escaped;
    for (const std::string_view line : lines_of(text)) escaped += escaped_markup(line) + '\n';
    while (escaped.ends_with('\n')) escaped.pop_back();
    return fmt::format("<title>{}</title>", escaped);
  }

  // At the bottom: the processes by colour, and the kinds of states that there are, in as many rows as they need.
  // Makes the picture higher.
  std::string draw_legend() {
    double x = kLegendLeft;
    double y = layout_.height();
    std::string text;
    const auto add = [&](const std::string& sign, const std::string& label) {
      const double width = kSignWidth + static_cast<double>(display_width(label)) * kLegendCharacter + 16;
      if (x > kLegendLeft && x + width > width_) {
        x = kLegendLeft;
        y += kLegendRow;
      }
      text += fmt::format(
          "<g transform=\"translate({:.1f} {:.1f})\">{}<text class=\"k\" x=\"{}\" y=\"3.5\">{}</text></g>\n", x, y,
          sign, kSignWidth, escaped_markup(label));
      x += width;
    };
    std::map<uint32_t, std::string> processes;
    for (const StateGraph::Edge& edge : graph_.edges) processes.try_emplace(edge.pid, edge.process);
    for (const auto& [pid, process] : processes)
      add(fmt::format("<path class=\"p\" stroke=\"{}\" d=\"M0 0h16\"/>", process_colour(pid)), process);
    add("<circle class=\"s i\" cx=\"8\" r=\"7\"/>", "initial state");
    for (const LegendEntry& entry : kLegend) {
      if (std::ranges::any_of(graph_.nodes, entry.is_it)) add(entry.sign, entry.label);
    }
    height_ = y + kLegendRow;
    return text;
  }

  std::string draw_node(uint32_t number) const {
    using Kind = StateGraph::Kind;
    const StateGraph::Node& node = graph_.nodes[number];
    const Point& at = layout_.place(number);
    const bool bad = node.kind == Kind::kDeadlock || node.kind == Kind::kError;
    std::string text =
        fmt::format("<g>{}<circle class=\"s{}{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", tooltip(node.text),
                    number == 0 ? " i" : "", bad ? " d" : "", node.expanded ? "" : " u", at.x, at.y, kRadius);
    if (node.kind == Kind::kEnd || node.kind == Kind::kDeadlock) {
      text += fmt::format("<circle class=\"o{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", bad ? " x" : "", at.x, at.y,
                          kRadius + 3);
    }
    const std::string name = node.kind == Kind::kError ? "!" : std::to_string(number);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n", at.x, at.y + 3.5, name);
    return text;
  }

  // Forwards a smooth curve, back or within a layer a bow to the side.
  std::string draw_edge(const StateGraph::Edge& edge, int twin) const {
    const Point from = layout_.place(edge.from);
    const Point to = layout_.place(edge.to);
    const double aside = twin * 16.0;
    const bool forwards = to.y > from.y;
    Point first{from.x + aside, from.y + (to.y - from.y) * 0.45};
    Point second{to.x + aside, to.y - (to.y - from.y) * 0.45};
    if (!forwards) {
      const double bow = 40 + aside + std::min(120.0, (from.y - to.y) * 0.3);
      first = {from.x + bow, from.y - 10};
      second = {to.x + bow, to.y + (edge.from == edge.to ? 26 : 10)};
    }
    const double length = std::max(1.0, std::hypot(to.x - second.x, to.y - second.y));
    const Point tip{to.x - (to.x - second.x) / length * (kRadius + 1),
                    to.y - (to.y - second.y) / length * (kRadius + 1)};
    const double angle = std::atan2(to.y - second.y, to.x - second.x) * 180 / 3.14159265358979;
    const std::string colour = edge.error ? "#c8281e" : process_colour(edge.pid);
    std::string text = fmt::format(
        "<g>{}<path class=\"p\" stroke=\"{}\" d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"/>"
        "<path fill=\"{}\" transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\" d=\"M0 0l-7 -3.5v7z\"/>",
        tooltip(fmt::format("{}: {}\n{}", edge.process, edge.text, edge.changes)), colour, from.x, from.y, first.x,
        first.y, second.x, second.y, tip.x, tip.y, colour, tip.x, tip.y, angle);
    if (labelled_) {
      const double x = (from.x + 3 * first.x + 3 * second.x + to.x) / 8;
      const double y = (from.y + 3 * first.y + 3 * second.y + to.y) / 8 + twin * 22.0;
      text += fmt::format(
          "<text class=\"l\" x=\"{0:.1f}\" y=\"{1:.1f}\">{2}<tspan x=\"{0:.1f}\" dy=\"10\">{3}</tspan></text>", x,
          y - 3, escaped_markup(shortened(edge.process)),
          escaped_markup(shortened(edge.changes.empty() ? edge.text : edge.changes)));
    }
    return text + "</g>\n";
  }

  const StateGraph& graph_;
  const bool labelled_;
  Layout layout_;
  double width_;
  double height_ = 0;
};

}  // namespace

std::string graph_svg(const StateGraph& graph) { return GraphDrawing(graph).draw(); }

}  // namespace cmc
