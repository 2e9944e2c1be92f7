// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the system says of a failed call.

#ifndef ZENITH_FRONTENDS_FILES_SYSTEMERROR_H
#define ZENITH_FRONTENDS_FILES_SYSTEMERROR_H

#include "ir/Error.h"

namespace zenith::files {

/// "WHAT 'PATH': REASON" with the reason that errno has.
Error systemError(const std::string &path, const char *what);

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_SYSTEMERROR_H
