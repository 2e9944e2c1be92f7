// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of StableHLO's reference interpreter.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_INTERPRETEROPS_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_INTERPRETEROPS_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

def Interpreter_ProbeOp : Op<Interpreter_Dialect, "probe"> {
  let arguments = (ins HLO_Tensor:$operand, StrAttr:$probe_id);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `probe_id` `=` $probe_id attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}
def Interpreter_RunParallelOp : Op<Interpreter_Dialect, "run_parallel"> {
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<ArrayAttr>:$infeed, ArrayAttr:$programs);
  let results = (outs Variadic<AnyType>:$results);
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_INTERPRETEROPS_TD
