// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: what does an op become where its operands have one more dimension?

#ifndef ZENITH_PASSES_BATCHING_BATCHRULE_TD
#define ZENITH_PASSES_BATCHING_BATCHRULE_TD

include "mlir/IR/OpBase.td"

def BatchRule : OpInterface<"BatchRule"> {
  let cppNamespace = "::zenith::batching";
  let description = [{
    The batched form of an op: each value that differs between rows gets the row as its dimension 0. Answered per family in
    <Family>Batching.cpp. Only asked where an operand, or a value that a region captures, differs between rows; other ops are cloned.
  }];
  let methods = [
    InterfaceMethod<"Why the op has no batched form, for a sentence that begins with the op; empty where it has one.",
                    "::llvm::StringRef", "refusal", (ins), "", "return {};">,
    InterfaceMethod<[{Emits the batched op where `batcher` stands and binds each result. A failure has been reported.}],
                    "::llvm::LogicalResult", "batch", (ins "::zenith::batching::Batcher &":$batcher)>
  ];
}

#endif // ZENITH_PASSES_BATCHING_BATCHRULE_TD
