// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: how do small changes of an op's operands change its results?

#ifndef ZENITH_PASSES_AUTODIFF_GRADIENTRULE_TD
#define ZENITH_PASSES_AUTODIFF_GRADIENTRULE_TD

include "mlir/IR/OpBase.td"

def GradientRule : OpInterface<"GradientRule"> {
  let cppNamespace = "::zenith::autodiff";
  let description = [{
    What differentiation asks about an op. One formula gives both modes: `linearize` builds the tangents of the results by ops that are
    linear in the tangents of the operands; forward mode keeps these ops, reverse mode transposes them one by one, which only ops that
    are linear need to answer. Values that both read are residuals: they need no declaration, because what the backward part reads of
    the forward part is seen where a loop or a branch is left. Answered per family in <Family>Gradients.cpp. Control flow answers
    here whether it has a derivative, and is differentiated as a whole by the sweeps.
  }];
  let methods = [
    InterfaceMethod<"Whether the op has a rule, a derivative of zero, or none, and why.",
                    "::zenith::autodiff::GradientAnswer", "gradientAnswer", (ins)>,
    InterfaceMethod<[{Values that the rule takes tangents of and gives cotangents for: the operands, or, where these are only another form of
it, a value that they were made of.}],
                    "::llvm::SmallVector<::mlir::Value>", "variables", (ins), "",
                    "return ::llvm::SmallVector<::mlir::Value>($_op->getOperands());">,
    InterfaceMethod<[{Tangents of the results, null where they are zero, from those of the variables, null where these are zero or have
none; at least one is given. The ops that it builds are linear in the tangents.}],
                    "::zenith::autodiff::Derivatives", "linearize",
                    (ins "::zenith::autodiff::RuleBuilder &":$rule, "::llvm::ArrayRef<::mlir::Value>":$tangents), "",
                    "return ::zenith::autodiff::refuseRule($_op);">,
    InterfaceMethod<[{Cotangents of the operands in `linear`, null where they are zero, from those of the results, null where these are
zero; at least one is given. The op is linear in the operands in `linear` together.}],
                    "::zenith::autodiff::Derivatives", "transpose",
                    (ins "::zenith::autodiff::RuleBuilder &":$rule, "::llvm::ArrayRef<::mlir::Value>":$cotangents,
                         "const ::llvm::BitVector &":$linear), "",
                    "return ::zenith::autodiff::notLinear($_op);">
  ];
}

#endif // ZENITH_PASSES_AUTODIFF_GRADIENTRULE_TD
