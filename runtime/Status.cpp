// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error values and their way into the ABI's error slot.

#include "runtime/Status.h"

#include <algorithm>
#include <cstring>

namespace zenith::runtime {

Status Status::error(zenith_code code, std::string message, std::string place) {
  Status status;
  status.errorCode = code == ZENITH_OK ? ZENITH_INTERNAL : code;
  status.reason = std::move(message);
  status.where = std::move(place);
  return status;
}

Status Status::fromABI(const zenith_error &error) {
  if (error.code == ZENITH_OK)
    return Status();
  return Status::error(static_cast<zenith_code>(error.code), error.message,
                       error.op_path);
}

std::string Status::text() const {
  return where.empty() ? reason : where + ": " + reason;
}

template <size_t N>
static void copyCut(char (&to)[N], const std::string &from) {
  size_t length = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

void Status::record(zenith_error &error) const {
  if (ok() || error.code != ZENITH_OK)
    return;
  error.code = errorCode;
  copyCut(error.message, reason);
  copyCut(error.op_path, where);
}

} // namespace zenith::runtime
