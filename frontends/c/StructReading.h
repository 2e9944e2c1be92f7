// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of callers that were built with an older or a newer header.

#ifndef ZENITH_FRONTENDS_C_STRUCTREADING_H
#define ZENITH_FRONTENDS_C_STRUCTREADING_H

#include "frontends/c/CallStatus.h"
#include <algorithm>
#include <cstring>

namespace zenith::c {

/// False where struct_size is none: too small for itself.
inline bool isSized(const void *given) {
  uint64_t size;
  std::memcpy(&size, given, sizeof(size));
  return size >= sizeof(size);
}

/// Copies what both sides know; what an older caller lacks is zero. Refuses a
/// size that is none, and bytes of a newer caller that are not zero. Null gives
/// all zeros.
template <typename Struct>
zenith_status *readStruct(const Struct *given, Struct &to) {
  std::memset(static_cast<void *>(&to), 0, sizeof(to));
  to.struct_size = sizeof(to);
  if (!given)
    return nullptr;
  uint64_t size;
  std::memcpy(&size, given, sizeof(size));
  if (!isSized(given) || size > (1 << 20))
    return usage(ZENITH_REASON_VERSION, "a struct has struct_size " +
                                            std::to_string(size) +
                                            ", expected what ZENITH_INIT sets");
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t at = sizeof(to); at < size; ++at)
    if (bytes[at])
      return usage(ZENITH_REASON_VERSION,
                   "a struct has fields that this library does not know");
  std::memcpy(static_cast<void *>(&to), given,
              std::min<size_t>(size, sizeof(to)));
  to.struct_size = sizeof(to);
  return nullptr;
}

/// Copies as much as the caller has room for; false where struct_size is none.
template <typename Struct> bool writeStruct(Struct *to, Struct value) {
  if (!isSized(to))
    return false;
  uint64_t size;
  std::memcpy(&size, to, sizeof(size));
  value.struct_size = size;
  std::memcpy(static_cast<void *>(to), &value,
              std::min<size_t>(size, sizeof(value)));
  return true;
}

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_STRUCTREADING_H
