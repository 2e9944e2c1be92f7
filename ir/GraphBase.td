// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, traits and op classes that the op files of all families share.

#ifndef ZENITH_IR_GRAPHBASE_TD
#define ZENITH_IR_GRAPHBASE_TD

include "ir/GraphAttrs.td"
include "ir/GraphDialect.td"
include "ir/GraphEnums.td"
include "ir/ShapeRule.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Graph_Float : AnyTypeOf<[F16, BF16, F32, F64, F8E4M3, F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E4M3B11FNUZ], "float">;
def Graph_Int : AnyTypeOf<[I<4>, I8, I16, I32, I64, UI<4>, UI8, UI16, UI32, UI64], "integer">;
def Graph_Bool : AnyTypeOf<[I<1>], "boolean">;
def Graph_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;
def Graph_Element : AnyTypeOf<[Graph_Float, Graph_Int, Graph_Bool, Graph_Complex]>;

def Graph_Tensor : RankedTensorOf<[Graph_Element]>;
def Graph_FloatTensor : RankedTensorOf<[Graph_Float]>;
def Graph_FloatOrComplexTensor : RankedTensorOf<[Graph_Float, Graph_Complex]>;
def Graph_NumberTensor : RankedTensorOf<[Graph_Float, Graph_Int, Graph_Complex]>;
def Graph_RealTensor : RankedTensorOf<[Graph_Float, Graph_Int]>;
def Graph_OrderedTensor : RankedTensorOf<[Graph_Float, Graph_Int, Graph_Bool]>;
def Graph_IntTensor : RankedTensorOf<[Graph_Int]>;
def Graph_IntOrBoolTensor : RankedTensorOf<[Graph_Int, Graph_Bool]>;
def Graph_BoolTensor : RankedTensorOf<[Graph_Bool]>;
def Graph_IndexScalar
    : Type<0DTensorOf<[I64]>.predicate, "tensor<i64>", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

// The family of an op: its row in the grid (question x family) of the design.
class InFamily<string family> : ParamNativeOpTrait<"InFamily", "::zenith::graph::Family::" # family> {
  let cppNamespace = "::zenith::graph";
}

class Graph_Op<string mnemonic, string family, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic,
         [InFamily<family>, DeclareOpInterfaceMethods<ShapeRule>] # traits> {
  // True when the op has constraints beyond those of its traits: see docs/graphir.md.
  let hasVerifier = 1;
}

// An op without regions or effects.
class Graph_PureOp<string mnemonic, string family, list<Trait> traits = []>
    : Graph_Op<mnemonic, family, [Pure] # traits>;

// Ops whose result type follows from operand types and attributes alone. refineReturnTypes accepts
// every type: the op's verifier compares, and its message names the constraint.
def InfersType : DeclareOpInterfaceMethods<InferTypeOpInterface, ["refineReturnTypes"]>;

#endif // ZENITH_IR_GRAPHBASE_TD
