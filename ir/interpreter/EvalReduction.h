// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows: a value with the dimensions that an op works along moved to the end.

#ifndef ZENITH_IR_INTERPRETER_EVALREDUCTION_H
#define ZENITH_IR_INTERPRETER_EVALREDUCTION_H

#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

struct Rows {
  Tensor values; ///< [kept..., dims...], small floats widened
  Shape kept;    ///< sizes of the other dimensions
  llvm::SmallVector<int64_t> order; ///< dimension of the operand that is at i
  int64_t count = 1, length = 1;
};

llvm::Expected<Rows> rowsOver(const OpEvaluation &e, const Tensor &operand,
                              llvm::ArrayRef<int64_t> dims);
llvm::SmallVector<int64_t> inverseOf(llvm::ArrayRef<int64_t> order);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_EVALREDUCTION_H
