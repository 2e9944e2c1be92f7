// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as values: a code of the ABI, one sentence, and the place it is about.

#ifndef ZENITH_RUNTIME_STATUS_H
#define ZENITH_RUNTIME_STATUS_H

#include "runtime/ABI.h"

#include <optional>
#include <string>
#include <utility>

namespace zenith::runtime {

/// Writes an error into a slot that is still empty, cut to fit. Takes no
/// memory: compiled code, which nothing may throw through, calls it where there
/// is none.
void recordError(zenith_error &error, int32_t code, const char *message,
                 const char *place) noexcept;

/// Success, or an error with its reason.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;

  /// An error. message is one lower-case sentence; place (an op path, a file
  /// name) may be empty.
  static Status error(zenith_code code, std::string message,
                      std::string place = {});

  /// What a context or device callback recorded; success where error.code is 0.
  static Status fromABI(const zenith_error &error);

  bool ok() const { return errorCode == ZENITH_OK; }
  explicit operator bool() const { return ok(); }
  zenith_code code() const { return errorCode; }
  const std::string &message() const { return reason; }
  const std::string &place() const { return where; }

  /// "place: message", or "message" without a place.
  std::string text() const;

  /// Writes the error into an ABI error slot that is still empty, cut to fit.
  void record(zenith_error &error) const;

private:
  zenith_code errorCode = ZENITH_OK;
  std::string reason;
  std::string where;
};

/// A value, or the error why there is none.
template <typename T> class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : held(std::move(value)) {}
  /// status must be an error.
  StatusOr(Status status) : failure(std::move(status)) {}

  bool ok() const { return held.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return failure; }

  /// The value; only where ok().
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }

private:
  std::optional<T> held;
  Status failure;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_STATUS_H
