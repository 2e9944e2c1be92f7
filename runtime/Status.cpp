// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error values and their way into the ABI's error slot.

#include "runtime/Status.h"

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

template <size_t N> static void copyCut(char (&to)[N], const char *from) {
  size_t length = strnlen(from, N - 1);
  std::memcpy(to, from, length);
  to[length] = '\0';
}

void recordError(zenith_error &error, int32_t code, const char *message,
                 const char *place) noexcept {
  if (error.code != ZENITH_OK)
    return;
  error.code = code == ZENITH_OK ? ZENITH_INTERNAL : code;
  copyCut(error.message, message ? message : "");
  copyCut(error.op_path, place ? place : "");
}

void Status::record(zenith_error &error) const {
  if (!ok())
    recordError(error, errorCode, reason.c_str(), where.c_str());
}

} // namespace zenith::runtime
