#pragma once

#include <string>

#include "base/files/descriptor.h"
#include "base/result.h"

namespace cmc::native {

// Opens a folder of the user's own that is closed to others (mode 0700), and makes it and the folders above if they
// are missing. The folder above it must be the user's own as well, and writable by nobody else. Error: it cannot be
// made, is not so, or somebody else could exchange it or a folder above it.
//
// Each folder is looked at after it was opened, from the root on, and the next one is opened in it. So each is in
// one that nobody but the user and root could change: it belongs to one of them, and others cannot write to it, or
// only to what is theirs in it (mode 1777, as of /tmp). A symbolic link above the last two folders is followed if it
// belongs to the user or to root, and leads through such folders.
[[nodiscard]] Result<Descriptor> open_own_folder(const std::string& path);

}  // namespace cmc::native
