// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: what may an op be fused with, and which kernel computes it?

#ifndef ZENITH_PASSES_FUSION_FUSIONRULE_TD
#define ZENITH_PASSES_FUSION_FUSIONRULE_TD

include "mlir/IR/OpBase.td"

def FusionRule : OpInterface<"FusionRule"> {
  let cppNamespace = "::zenith::fusion";
  let description = [{
    What greedy fusion asks about an op: its role in a kernel, the kind of that kernel, and how the kernel reads and writes
    the op's operands and results. Answered per family in <Family>Fusion.cpp. An op without an answer cannot be fused:
    zenith-form-fusions refuses it by name.
  }];
  let methods = [
    InterfaceMethod<"Role of the op in its function.",
                    "::zenith::fusion::Role", "role", (ins "::zenith::graph::DimAnalysis &":$dims)>,
    InterfaceMethod<"Kind of the kernel that computes the op where it is fused with nothing; none where it stays in the function.",
                    "::std::optional<::zenith::graph::FusionKind>", "kernelKind", (ins)>,
    InterfaceMethod<[{Values that the kernel reads from memory, whatever it is fused with: operands, or what they are strided
views of. Operands that are not among them may be computed inside of the kernel.}],
                    "::llvm::SmallVector<::mlir::Value>", "memoryOperands", (ins "::zenith::graph::DimAnalysis &":$dims),
                    "", "return {};">,
    InterfaceMethod<"Whether an element of the result takes the elements of the operands at the same index and nothing else.",
                    "bool", "isElementwise", (ins), "", "return false;">,
    InterfaceMethod<"Whether the kernel widens operand `operand` in registers, so that memory keeps the narrow type.",
                    "bool", "widensOperand", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<[{Whether the kernel computes operand `operand` itself, a chunk at a time, whatever that costs: in memory it
would be the largest value of the program.}],
                    "bool", "readsChunks", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<"Leading operands that the kernel updates in place.",
                    "unsigned", "updatedOperands", (ins), "", "return 0;">,
    InterfaceMethod<"Whether the kernel writes all results, also those that nobody reads.",
                    "bool", "writesAllResults", (ins), "", "return false;">,
    InterfaceMethod<"Dimensions of operand 0 that the op reduces.",
                    "::llvm::SmallVector<int64_t>", "reducedDims", (ins), "", "return {};">
  ];
}

#endif // ZENITH_PASSES_FUSION_FUSIONRULE_TD
