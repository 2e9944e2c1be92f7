// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LAPACK routines that a custom_call may name, and their operands and
// results for a matrix.

#ifndef ZENITH_IR_MATCHERS_LAPACKCALLS_H
#define ZENITH_IR_MATCHERS_LAPACKCALLS_H

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "llvm/Support/Error.h"

namespace zenith::graph {

/// A call as the runtime makes it.
struct LapackCall {
  std::string routine;            ///< without the letter of the element type
  char letter;                    ///< s, d, c or z
  DimExpr batches, rows, columns; ///< of the first operand
  DimVector options;
  std::vector<DimVector> resultDims;
};

/// The call that `op` is on operands of these dimensions, which may be more
/// specific than the op's own types. Otherwise the error, for a sentence that
/// begins with the op.
llvm::Expected<LapackCall> lapackCall(CustomCallOp op,
                                      llvm::ArrayRef<DimVector> operands);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_LAPACKCALLS_H
