// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno as an error value.

#include "frontends/files/SystemError.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

zenith::Error zenith::files::systemError(const std::string &path,
                                         const char *what) {
  // A disk that is full is no mistake of the input.
  bool isFull = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  return {isFull ? ErrorCode::Run : ErrorCode::Invalid,
          fmt::format("{} '{}': {}", what, path, std::strerror(errno)),
          {}};
}
