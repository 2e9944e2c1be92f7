// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: which element of its operand is an element of the result?

#ifndef ZENITH_LOWERING_BUILDER_INDEXMAPRULE_TD
#define ZENITH_LOWERING_BUILDER_INDEXMAPRULE_TD

include "mlir/IR/OpBase.td"

def IndexMapRule : OpInterface<"IndexMapRule"> {
  let cppNamespace = "::zenith::kernels";
  let description = [{
    Ops whose result at an index is always one element of operand 0: broadcast, transpose, reshape, reverse, slice.
  }];
  let methods = [
    InterfaceMethod<"Index of that element.",
                    "::llvm::SmallVector<::zenith::kernels::LaneIndex>", "operandIndex",
                    (ins "::zenith::kernels::IndexMath &":$math, "::zenith::graph::DimAnalysis &":$dims,
                         "::llvm::ArrayRef<::zenith::kernels::LaneIndex>":$index)>
  ];
}

#endif // ZENITH_LOWERING_BUILDER_INDEXMAPRULE_TD
