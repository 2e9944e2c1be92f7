// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno as an error value.

#include "frontends/files/SystemError.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

zenith::Error zenith::files::systemError(const std::string &path,
                                         const char *what) {
  return invalid(fmt::format("{} '{}': {}", what, path, std::strerror(errno)));
}
