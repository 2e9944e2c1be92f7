// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of elementwise ops: arithmetic and bounded functions follow, other
// functions magnify the rounding of their operands and are denied.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {
template <typename Op>
struct ElementwisePrecision
    : PrecisionRule::ExternalModel<ElementwisePrecision<Op>, Op> {
  List list(Operation *op) const {
    if (isa<ConvertOp, BitcastOp, NotOp, PopcountOp, CountLeadingZerosOp, AndOp,
            OrOp, XorOp, ShiftLeftOp, ShiftRightArithmeticOp,
            ShiftRightLogicalOp, ComplexOp, RealOp, ImagOp, ComplexAbsOp>(op))
      return List::None;
    bool follows =
        isa<AddOp, SubOp, MulOp, DivOp, MaxOp, MinOp, NegOp, AbsOp, SignOp,
            TanhOp, LogisticOp, ErfOp, SelectOp, ClampOp, CompareOp>(op);
    return follows ? List::Follow : List::Deny;
  }
  StringRef unlisted(Operation *op) const {
    if (list(op) != List::None)
      return {};
    if (isa<ConvertOp, BitcastOp>(op))
      return "has the types that the program wrote";
    if (isa<ComplexOp, RealOp, ImagOp, ComplexAbsOp>(op))
      return "computes on complex numbers";
    return "computes on integers";
  }
};
} // namespace

void attachElementwisePrecision(MLIRContext *context) {
  attachAll<ElementwisePrecision,
#define GET_OP_LIST
#include "ir/Elementwise.cpp.inc"
            >(context);
}

} // namespace zenith::precision
