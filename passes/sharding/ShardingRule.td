// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: which dimensions of operands and results of an op are dealt together, and what it takes to compute a block?

#ifndef ZENITH_PASSES_SHARDING_SHARDINGRULE_TD
#define ZENITH_PASSES_SHARDING_SHARDINGRULE_TD

include "mlir/IR/OpBase.td"

def ShardingRule : OpInterface<"ShardingRule"> {
  let cppNamespace = "::zenith::sharding";
  let description = [{
    An op seen as a loop nest: each factor is a loop, and each dimension of an operand or result is a list of factors, major to minor.
    Propagation and the partitioner see nothing else of an op. Answered per family in <Family>Shardings.cpp.
  }];
  let methods = [
    InterfaceMethod<[{The factors of the op; none where no dimension of one value follows from another's. `conservative`: no factors that
                    need neighbours' data.}],
                    "::zenith::sharding::FactorMapping", "factorMapping", (ins "bool":$conservative)>,
    InterfaceMethod<"Why the op has no factors, for a sentence that begins with the op; empty where it may have some.",
                    "::llvm::StringRef", "refusal", (ins), "", "return {};">
  ];
}

#endif // ZENITH_PASSES_SHARDING_SHARDINGRULE_TD
