#pragma once

#include <string_view>

// The files of the folder page, which the build puts into the program.

namespace cmc::page_files {

extern const std::string_view kPage;
extern const std::string_view kStyle;
extern const std::string_view kCommon;  // what the scripts of all pages share
extern const std::string_view kScript;

}  // namespace cmc::page_files
