// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which routines of LAPACK a custom_call may name, and what each takes and
// gives for a matrix.

#ifndef ZENITH_IR_MATCHERS_LAPACKCALLS_H
#define ZENITH_IR_MATCHERS_LAPACKCALLS_H

#include "ir/GraphOps.h"
#include "ir/dims/DimAnalysis.h"
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

/// The call that `op` is on operands of these dimensions, which may know more
/// than the op's own types. Otherwise what is wrong, for a sentence that begins
/// with the op.
llvm::Expected<LapackCall> lapackCall(CustomCallOp op,
                                      llvm::ArrayRef<DimVector> operands);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_LAPACKCALLS_H
