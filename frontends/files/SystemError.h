// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of system calls.

#ifndef ZENITH_FRONTENDS_FILES_SYSTEMERROR_H
#define ZENITH_FRONTENDS_FILES_SYSTEMERROR_H

#include "ir/Error.h"

namespace zenith::files {

/// "WHAT 'PATH': REASON" with the reason in errno.
Error systemError(const std::string &path, const char *what);

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_SYSTEMERROR_H
