// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops by which programs test themselves.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_CHECKOPS_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_CHECKOPS_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

class Check_Op<string mnemonic> : Op<Check_Dialect, mnemonic>;
def Check_ExpectEqOp : Check_Op<"expect_eq"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<OneOrTwoTypes>(type($lhs), type($rhs))";
}
def Check_ExpectEqConstOp : Op<Check_Dialect, "expect_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let arguments = (ins HLO_Tensor:$lhs, TypedAttrInterface:$value);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}
def Check_ExpectAlmostEqOp : Check_Op<"expect_almost_eq"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = "$lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` custom<OneOrTwoTypes>(type($lhs), type($rhs))";
}
def Check_ExpectAlmostEqConstOp : Op<Check_Dialect, "expect_almost_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let arguments = (ins HLO_Tensor:$lhs, TypedAttrInterface:$value, OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = "$lhs `,` $value (`,` `tolerance` `=` $tolerance^)? attr-dict";
}
def Check_ExpectCloseOp : Check_Op<"expect_close"> {
  let arguments = (ins HLO_Tensor:$actual, HLO_Tensor:$expected, OptionalAttr<I64Attr>:$min_ulp_difference, OptionalAttr<I64Attr>:$max_ulp_difference);
  let assemblyFormat = [{
    $actual `,` $expected custom<UlpDifferences>($min_ulp_difference, $max_ulp_difference) attr-dict
    `:` custom<OneOrTwoTypes>(type($actual), type($expected))
  }];
}
def Check_ExpectSerializedEqOp : Check_Op<"expect_serialized_eq"> {
  let arguments = (ins HLO_Tensor:$expected, StrAttr:$probe_id, OptionalAttr<I32Attr>:$iteration);
  let assemblyFormat = "$expected `,` `probe_id` `=` $probe_id (`,` `iteration` `=` $iteration^)? attr-dict `:` type($expected)";
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_CHECKOPS_TD
