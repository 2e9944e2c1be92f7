// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells files that are not there from files that are no good.

#ifndef ZENITH_FRONTENDS_C_FILEREASONS_H
#define ZENITH_FRONTENDS_C_FILEREASONS_H

#include "frontends/c/CallStatus.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace zenith::c {

/// Null where the file can be opened for reading.
inline zenith_status *checkReadable(const char *path) {
  int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_NO_FILE,
                   std::string("cannot open: ") + std::strerror(errno), path);
  ::close(file);
  return nullptr;
}

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_FILEREASONS_H
