// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as values: a code, one sentence and its location; and a value or an
// error. Plain C++, so that code without LLVM has the same errors.

#ifndef ZENITH_IR_ERROR_H
#define ZENITH_IR_ERROR_H

#include <string>
#include <utility>
#include <variant>

namespace zenith {

/// Why something failed. The values are the exit codes of the tools and
/// zenith_code of runtime/ABI.h.
enum class ErrorCode {
  Usage = 1,       ///< a wrong option or argument of the caller
  Invalid = 2,     ///< an input that breaks its format's rules
  Unsupported = 3, ///< a valid input that this compiler does not handle
  Internal = 4,    ///< a mistake of the compiler
  Memory = 5,      ///< too little memory
  Run = 6,         ///< a program that failed while it ran
  Differs = 7      ///< results that differ from the expected ones
};

/// What went wrong and where.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  /// Lower case, one sentence; notes follow on lines of their own.
  std::string text;
  /// `FILE:LINE:COL`, the path of a node or an op, or a file; may be empty.
  std::string location;
  /// True if diagnostics have said why: `text` is then for programs only.
  bool reported = false;

  /// Prepends an outer location, as the error travels outwards.
  Error in(const std::string &outer) && {
    location = location.empty() ? outer : outer + "/" + location;
    return std::move(*this);
  }
  /// The same error of `file`: the location inside the file becomes a part of
  /// the text.
  Error ofFile(std::string file) const {
    return {code, message(), std::move(file), reported};
  }
  /// Location and text.
  std::string message() const {
    return location.empty() ? text : location + ": " + text;
  }
};

inline Error invalid(std::string text, std::string location = {}) {
  return {ErrorCode::Invalid, std::move(text), std::move(location)};
}
inline Error unsupported(std::string text, std::string location = {}) {
  return {ErrorCode::Unsupported, std::move(text), std::move(location)};
}

/// A value or an error.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}
  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  Error &error() { return std::get<1>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// Success or an error.
using Status = Result<std::monostate>;
inline Status noError() { return std::monostate(); }

} // namespace zenith

#endif // ZENITH_IR_ERROR_H
