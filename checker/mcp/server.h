#pragma once

#include <atomic>
#include <string>

namespace cmc::mcp {

// Answers a client of the Model Context Protocol, a message a line, until it goes away. `in`, `out`: file
// descriptors. `program`: this program's path; models are files below `root`.
void serve(int in, int out, const std::string& program, const std::string& root,
           const std::atomic<bool>& interrupted);

}  // namespace cmc::mcp
