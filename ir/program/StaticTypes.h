// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that state what dimension analysis knows of a function's values.

#ifndef ZENITH_IR_PROGRAM_STATICTYPES_H
#define ZENITH_IR_PROGRAM_STATICTYPES_H

namespace mlir::func {
class FuncOp;
}

namespace zenith::graph {

/// Makes each dynamic dimension static whose size the analysis knows, from the
/// types of the arguments on, in regions and results too. Operands that gave
/// such a size go; calls keep the types of what they call. The caller verifies:
/// sizes that contradict each other are no valid program.
void giveStaticTypes(mlir::func::FuncOp function);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_STATICTYPES_H
