// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: may an op compute on narrow floats, and who decides?

#ifndef ZENITH_PASSES_PRECISION_PRECISIONRULE_TD
#define ZENITH_PASSES_PRECISION_PRECISIONRULE_TD

include "mlir/IR/OpBase.td"

def PrecisionRule : OpInterface<"PrecisionRule"> {
  let cppNamespace = "::zenith::precision";
  let description = [{
    The list that an op is on before a policy moves it. Answered per family in <Family>Precision.cpp, by every op of GraphIR.
  }];
  let methods = [
    InterfaceMethod<"The list that the op is on.", "::zenith::precision::List", "list", (ins)>,
    InterfaceMethod<"Where that is none: why, for a sentence that begins with the op.", "::llvm::StringRef", "unlisted", (ins), "",
                    "return {};">
  ];
}

#endif // ZENITH_PASSES_PRECISION_PRECISIONRULE_TD
