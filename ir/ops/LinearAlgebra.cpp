// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of Cholesky, triangular solve and FFT.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/LinearAlgebra.cpp.inc"

namespace zenith::graph {

void insertLinearAlgebraOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/LinearAlgebra.cpp.inc"
      >(dialect);
}

static LogicalResult checkSquare(const ShapeChecks &checks, const Twine &place,
                                 RankedTensorType matrix, unsigned constraint) {
  int64_t rank = matrix.getRank();
  return checks.sameSize(place, matrix.getDimSize(rank - 1),
                         matrix.getDimSize(rank - 2), constraint);
}

template <typename Op>
static FailureOr<RankedTensorType> choleskyType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  // cholesky_c1
  if (operand.getRank() < 2) {
    (void)checks.fail("rank", Twine(operand.getRank()), "at least 2", 1);
    return failure();
  }
  if (failed(checkSquare(checks, "columns", operand, 1)))
    return failure();
  return operand;
}

ZENITH_INFER_WITH(CholeskyOp, choleskyType)

LogicalResult CholeskyOp::verify() {
  ShapeChecks checks(*this);
  auto expected = choleskyType(checks, *this);
  // cholesky_c2
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 2);
}

DimVector CholeskyOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

template <typename Op>
static FailureOr<RankedTensorType> solveType(ShapeChecks &checks, Op op) {
  RankedTensorType a = tensorType(op.getA()), b = tensorType(op.getB());
  int64_t rank = b.getRank();
  // triangular_solve_c1
  if (rank < 2) {
    (void)checks.fail("rank of b", Twine(rank), "at least 2", 1);
    return failure();
  }
  if (failed(checks.count("rank of a", a.getRank(), rank, 1)) ||
      failed(checks.sameType("element type of a", a.getElementType(),
                             b.getElementType(), 1)))
    return failure();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (failed(checks.sameSize("dimension " + Twine(dim) + " of a",
                               a.getDimSize(dim), b.getDimSize(dim), 1)))
      return failure();
  // triangular_solve_c2
  int64_t multiplied = b.getDimSize(op.getLeft() ? rank - 2 : rank - 1);
  if (failed(checkSquare(checks, "columns of a", a, 2)) ||
      failed(checks.sameSize("columns of a", a.getDimSize(rank - 1), multiplied,
                             2)) ||
      failed(
          checks.sameSize("rows of a", a.getDimSize(rank - 2), multiplied, 2)))
    return failure();
  return b;
}

ZENITH_INFER_WITH(TriangularSolveOp, solveType)

LogicalResult TriangularSolveOp::verify() {
  ShapeChecks checks(*this);
  auto expected = solveType(checks, *this);
  // triangular_solve_c3
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 3);
}

DimVector TriangularSolveOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getB());
}

/// Half of a spectrum whose other half mirrors it.
static int64_t halfSpectrum(int64_t length) { return length / 2 + 1; }

/// The element type that `kind` gives; null where it doesn't take `operand`.
static Type transformed(FourierKind kind, Type operand) {
  auto complex = dyn_cast<ComplexType>(operand);
  if (kind == FourierKind::r2c)
    return complex ? Type() : ComplexType::get(operand);
  if (!complex)
    return {};
  return kind == FourierKind::c2r ? complex.getElementType() : operand;
}

template <typename Op>
static FailureOr<RankedTensorType> fourierType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  ArrayRef<int64_t> length = op.getLength();
  int64_t first = operand.getRank() - int64_t(length.size());
  // fourier_c1
  if (length.empty() || first < 0) {
    (void)checks.fail("entries of length", Twine(length.size()),
                      "1 to " + Twine(operand.getRank()), 1);
    return failure();
  }
  if (failed(checks.atLeast("length", length, 0, 1)))
    return failure();
  // fourier_c2
  Type element = transformed(op.getKind(), operand.getElementType());
  if (!element) {
    (void)checks.fail(
        stringifyEnum(op.getKind()), typeText(operand.getElementType()),
        op.getKind() == FourierKind::r2c ? "real elements" : "complex elements",
        2);
    return failure();
  }
  // fourier_c3, fourier_c4
  SmallVector<int64_t> shape(operand.getShape());
  for (auto [i, size] : llvm::enumerate(length)) {
    bool isLast = i + 1 == length.size();
    bool half = isLast && op.getKind() == FourierKind::c2r;
    if (failed(checks.sameSize("dimension " + Twine(first + int64_t(i)),
                               operand.getDimSize(first + i),
                               half ? halfSpectrum(size) : size, 3)))
      return failure();
    shape[first + i] =
        isLast && op.getKind() == FourierKind::r2c ? halfSpectrum(size) : size;
  }
  return RankedTensorType::get(shape, element);
}

ZENITH_INFER_WITH(FourierOp, fourierType)

LogicalResult FourierOp::verify() {
  ShapeChecks checks(*this);
  auto expected = fourierType(checks, *this);
  if (failed(expected))
    return failure();
  RankedTensorType result = tensorType(getResult());
  // fourier_c2, fourier_c4
  if (failed(checks.sameType("result element type", result.getElementType(),
                             expected->getElementType(), 2)))
    return failure();
  return checks.compatible("result", result, *expected, 4);
}

DimVector FourierOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf(getOperand());
  size_t first = result.size() - getLength().size();
  for (auto [i, size] : llvm::enumerate(getLength()))
    result[first + i] = size;
  if (getKind() == FourierKind::r2c)
    result.back() = halfSpectrum(getLength().back());
  return result;
}

} // namespace zenith::graph
