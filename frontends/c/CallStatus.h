// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the API: values of the caller, made of the errors below it.

#ifndef ZENITH_FRONTENDS_C_CALLSTATUS_H
#define ZENITH_FRONTENDS_C_CALLSTATUS_H

#include "frontends/c/include/zenith/zenith.h"
#include "ir/Error.h"
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Error;
}

namespace zenith::c {

/// A further sentence and what it is about.
struct Note {
  std::string text, place;
};

/// A status of the caller's; where memory is short, the one that says so.
zenith_status *failure(zenith_code code, zenith_reason reason,
                       const std::string &message,
                       const std::string &place = {},
                       const std::vector<Note> &notes = {});
/// Of ZENITH_USAGE.
inline zenith_status *usage(zenith_reason reason, const std::string &message,
                            const std::string &place = {}) {
  return failure(ZENITH_USAGE, reason, message, place);
}
inline zenith_status *nullPointer(const char *argument) {
  return usage(ZENITH_REASON_NULL_POINTER,
               std::string(argument) + " is null, expected a pointer");
}
/// A limit of bytes is 0 or more.
inline zenith_status *checkMaxMemory(int64_t bytes) {
  return bytes >= 0 ? nullptr
                    : usage(ZENITH_REASON_NONE,
                            "max_memory: got " + std::to_string(bytes) +
                                ", expected bytes, or 0 for no limit");
}
/// For calls and features that are valid and not there yet.
zenith_status *notYet(const std::string &what);

/// The status of a failed allocation, which needs none itself.
zenith_status *noMemory() noexcept;

/// The first of the errors that it carries; `invalid` is the reason of those
/// of code 2.
zenith_status *failure(llvm::Error error,
                       zenith_reason invalid = ZENITH_REASON_NONE);
zenith_status *failure(const Error &error,
                       zenith_reason invalid = ZENITH_REASON_NONE);

/// A text in quotes, as JSON has it; bytes that are no UTF-8 become '?'.
std::string quoted(const std::string &text);

/// What `call` gives; the status of a failed allocation where one failed.
template <typename Call> zenith_status *guarded(Call call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc &) {
    return noMemory();
  } catch (const std::length_error &) { // more than any memory has
    return noMemory();
  }
}

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_CALLSTATUS_H
