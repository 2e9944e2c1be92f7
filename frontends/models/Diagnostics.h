// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about models: errors with exit codes, warnings, remarks; as text or
// as one JSON object a line.

#ifndef ZENITH_FRONTENDS_MODELS_DIAGNOSTICS_H
#define ZENITH_FRONTENDS_MODELS_DIAGNOSTICS_H

#include "ir/LLVMError.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace zenith::models {

/// One diagnostic with its notes.
struct Message {
  std::string severity, text, place;
  std::vector<std::pair<std::string, std::string>> notes; ///< text, place
};

class Diagnostics {
public:
  /// `tool` stands where a message has no place.
  Diagnostics(std::string tool, llvm::raw_ostream &os)
      : tool(std::move(tool)), os(&os) {}
  /// Hands messages on instead of printing them.
  explicit Diagnostics(std::function<void(const Message &)> sink)
      : sink(std::move(sink)) {}

  void useJSON(bool json) { asJSON = json; }
  bool usesJSON() const { return asJSON; }
  void print(const Message &message);
  void warning(std::string text, std::string place = {}) {
    print({"warning", std::move(text), std::move(place), {}});
  }
  void note(std::string text, std::string place) {
    print({"note", std::move(text), std::move(place), {}});
  }
  /// A line of its own, as it is.
  void remark(const std::string &line) {
    if (os)
      *os << line << "\n";
  }
  /// Prints each error; the exit code is that of the first.
  int report(llvm::Error error);
  /// Prints what MLIR reports, of `file` where it knows no place; errors are
  /// counted.
  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic,
                             llvm::StringRef file = {});
  unsigned errors() const { return errorCount; }

private:
  std::string tool;
  llvm::raw_ostream *os = nullptr;
  std::function<void(const Message &)> sink;
  bool asJSON = false;
  unsigned errorCount = 0;
};

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_DIAGNOSTICS_H
