#pragma once

#include <string>
#include <string_view>

// Pictures, drawn by gnuplot. This module writes its scripts; running them is up to the program, so that whoever
// wants another look can change a script and run it again.

namespace cmc {

// Colours that also the colour-blind can tell apart (Okabe and Ito).
inline constexpr const char* kPlotColors[] = {"#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"};
inline constexpr const char* kPlotText = "#333333";

// One picture: everything of a script but where it goes to.
struct Plot {
  std::string name;  // of the files, without folder and extension
  unsigned width = 1000;
  unsigned height = 600;
  std::string data;  // named data blocks, which gnuplot wants outside of loops
  std::string body;
  std::string note = {};  // below it, in small letters: what it was made of, with which options and version
};

// Room for the note below an axis with tics and a title.
inline constexpr const char* kRoomForNote = "set bmargin 4.8\n";

// Draws the plot as NAME.svg, NAME.png and NAME.pdf in the folder where gnuplot runs the script.
[[nodiscard]] std::string plot_script(const Plot& plot);

// 'text' for gnuplot, whatever the text is.
[[nodiscard]] std::string plot_quote(std::string_view text);
// The same at a tic of an axis, where gnuplot takes a percent sign for a format.
[[nodiscard]] std::string plot_tic_quote(std::string_view text);

// "text" for a data block, where only double quotes do.
[[nodiscard]] std::string plot_data_quote(std::string_view text);

// The text as a part of a file's name: other characters become '_'.
[[nodiscard]] std::string plot_file_name(std::string_view text);

// Round numbers for an axis from 0 to at least `most`, with thousands separators, as gnuplot knows no locale that is
// there for sure. `scale` units of the data are one unit of the axis.
struct Tics {
  double end = 1;          // of the axis, in units of the data
  std::string list;        // "('0' 0, '1,000' 1000)"
  std::string unlabelled;  // the same places without numbers
};
[[nodiscard]] Tics linear_tics(double most, double scale = 1, unsigned wanted = 5);
// Powers of ten from 1 to at least `most`.
[[nodiscard]] Tics logarithmic_tics(double most);

// A unit for a range of values: "seconds", "minutes", "MB".
struct PlotUnit {
  const char* name;
  double scale;
};
[[nodiscard]] PlotUnit time_unit(double seconds);
[[nodiscard]] PlotUnit memory_unit(double bytes);

}  // namespace cmc
