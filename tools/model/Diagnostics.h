// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the tools: errors with exit codes, warnings, remarks; as text or
// as one JSON object a line.

#ifndef ZENITH_TOOLS_MODEL_DIAGNOSTICS_H
#define ZENITH_TOOLS_MODEL_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace zenith::tools {

/// Exit codes of all tools but zenith-opt.
enum class ExitCode {
  Ok = 0,
  Usage = 1,
  Invalid = 2,
  Unsupported = 3,
  Internal = 4,
  Memory = 5,
  Run = 6,
  Differs = 7
};

class ToolError : public llvm::ErrorInfo<ToolError> {
public:
  static char ID;
  ToolError(ExitCode code, std::string text, std::string place)
      : exitCode(code), text(std::move(text)), where(std::move(place)) {}
  ExitCode code() const { return exitCode; }
  const std::string &reason() const { return text; }
  /// `FILE:LINE:COL`, the name of a node or a file; may be empty.
  const std::string &place() const { return where; }
  /// An error whose reasons have been printed: its text is for programs only.
  bool printed() const { return isPrinted; }
  void setPrinted() { isPrinted = true; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  ExitCode exitCode;
  std::string text, where;
  bool isPrinted = false;
};

llvm::Error failure(ExitCode code, std::string message, std::string place = {});
/// The same where diagnostics have said why.
llvm::Error printedFailure(ExitCode code, std::string message,
                           std::string place = {});

/// One diagnostic with its notes.
struct Message {
  std::string severity, text, place;
  std::vector<std::pair<std::string, std::string>> notes; ///< text, place
};

class Diagnostics {
public:
  /// `tool` stands where a message has no place.
  Diagnostics(std::string tool, llvm::raw_ostream &os)
      : tool(std::move(tool)), os(os) {}

  void useJSON(bool json) { asJSON = json; }
  void print(const Message &message);
  void warning(std::string text, std::string place = {}) {
    print({"warning", std::move(text), std::move(place), {}});
  }
  /// A line of its own, as it is.
  void remark(const std::string &line) { os << line << "\n"; }
  /// Prints each error; the exit code is that of the first.
  int report(llvm::Error error);
  /// Prints what MLIR reports, of `file` where it knows no place; errors are
  /// counted.
  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic,
                             llvm::StringRef file = {});
  unsigned errors() const { return errorCount; }

private:
  std::string tool;
  llvm::raw_ostream &os;
  bool asJSON = false;
  unsigned errorCount = 0;
};

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_DIAGNOSTICS_H
