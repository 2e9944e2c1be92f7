// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a program has no value: a kind, a sentence, the op and its location.

#ifndef ZENITH_IR_INTERPRETER_EVALERROR_H
#define ZENITH_IR_INTERPRETER_EVALERROR_H

#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::interpreter {

class EvalError : public llvm::ErrorInfo<EvalError> {
public:
  /// The numbers are the exit codes of the tools.
  enum class Kind { Invalid = 2, Unsupported = 3, Memory = 5, Run = 6 };
  static char ID;

  EvalError(Kind kind, std::string message, mlir::Location location);

  Kind kind() const { return errorKind; }
  const std::string &reason() const { return text; }
  /// `FILE:LINE:COL`, else the name that the location has; may be empty. Text,
  /// since errors outlive contexts.
  const std::string &place() const { return where; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  Kind errorKind;
  std::string text, where;
};

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_EVALERROR_H
