// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factorizations of matrices, triangular systems and Fourier transforms.

#ifndef ZENITH_IR_OPS_LINEARALGEBRA_TD
#define ZENITH_IR_OPS_LINEARALGEBRA_TD

include "ir/GraphBase.td"

class Graph_LinearAlgebraOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "LinearAlgebra", [InfersType] # traits>;

def Graph_CholeskyOp : Graph_LinearAlgebraOp<"cholesky"> {
  let summary = "triangular factor of symmetric or Hermitian positive definite matrices";
  let description = [{
    Of the operand's last two dimensions only the triangle that `lower` names is read; the result's other triangle is zero. A matrix that is not
    positive definite gives NaN in that triangle.
    c1: rank is at least 2 and the last two dimensions are equal; c2: the result has the operand's type.
    Example: `%l = graph.cholesky %a lower : (tensor<3x3xf32>) -> tensor<3x3xf32>`
  }];
  let arguments = (ins RankedTensorOf<[F32, F64, Complex<F32>, Complex<F64>]>:$operand, UnitAttr:$lower);
  let results = (outs RankedTensorOf<[F32, F64, Complex<F32>, Complex<F64>]>:$result);
  let assemblyFormat = "$operand (`lower` $lower^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_TriangularSolveOp : Graph_LinearAlgebraOp<"triangular_solve"> {
  let summary = "x with op(a) x = b, or x op(a) = b, for triangular matrices a";
  let description = [{
    `left`: op(a) x = b. Only the triangle that `lower` names is read; with `unit_diagonal` its diagonal counts as ones.
    c1: both have one rank, at least 2, one element type, and equal dimensions before the last two; c2: a is square and of b's size along
    the dimension that it multiplies; c3: the result has b's type.
    Example: `%x = graph.triangular_solve plain, %a, %b left lower : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>`
  }];
  let arguments = (ins Graph_MatrixFormAttr:$form, RankedTensorOf<[F32, F64, Complex<F32>, Complex<F64>]>:$a,
    RankedTensorOf<[F32, F64, Complex<F32>, Complex<F64>]>:$b, UnitAttr:$left, UnitAttr:$lower, UnitAttr:$unit_diagonal);
  let results = (outs RankedTensorOf<[F32, F64, Complex<F32>, Complex<F64>]>:$result);
  let assemblyFormat = [{
    custom<EnumWord>($form) `,` $a `,` $b (`left` $left^)? (`lower` $lower^)? (`unit_diagonal` $unit_diagonal^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_FourierOp : Graph_LinearAlgebraOp<"fourier"> {
  let summary = "discrete Fourier transform over the last dimensions";
  let description = [{
    `length` gives the sizes of the transformed dimensions, of the real side where one is real. Inverse kinds divide by their product.
    c1: `length` has at least one entry and at most the operand's rank; c2: element types fit the kind; c3: the operand's last dimensions are
    `length`, the last one length / 2 + 1 for c2r; c4: so are the result's, the last one length / 2 + 1 for r2c.
    Example: `%y = graph.fourier r2c, %x [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>`
  }];
  let arguments = (ins Graph_FourierKindAttr:$kind, RankedTensorOf<[F32, F64, Complex<F32>, Complex<F64>]>:$operand, DenseI64ArrayAttr:$length);
  let results = (outs RankedTensorOf<[F32, F64, Complex<F32>, Complex<F64>]>:$result);
  let assemblyFormat = "custom<EnumWord>($kind) `,` $operand $length attr-dict `:` functional-type(operands, results)";
}

#endif // ZENITH_IR_OPS_LINEARALGEBRA_TD
