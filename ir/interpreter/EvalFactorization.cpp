// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cholesky factors and triangular solves, in double, rounded once to the
// element type.

#include "ir/GraphOps.h"
#include "ir/interpreter/ElementLoops.h"
#include "ir/interpreter/EvalLinearAlgebra.h"
#include <limits>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

// The type in which elements are computed.
template <typename T> struct WideOf {
  using type = double;
};
template <typename T> struct WideOf<std::complex<T>> {
  using type = std::complex<double>;
};

template <typename T> static T conjugate(const T &value) { return value; }
template <typename T>
static std::complex<T> conjugate(const std::complex<T> &value) {
  return std::conj(value);
}

static double realOf(double value) { return value; }
static double realOf(const std::complex<double> &value) { return value.real(); }

// Calls fn(TypeTag<T>) with the type of real and complex elements.
template <typename Fn> static void visitFloatOrComplex(Type element, Fn &&fn) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF32()
               ? fn(TypeTag<std::complex<float>>())
               : fn(TypeTag<std::complex<double>>());
  return element.isF32() ? fn(TypeTag<float>()) : fn(TypeTag<double>());
}

// The lower Cholesky factor of `a`, in place; false if it is not positive
// definite.
template <typename W> static bool factor(std::vector<W> &a, int64_t n) {
  auto at = [&](int64_t i, int64_t j) -> W & { return a[size_t(i * n + j)]; };
  for (int64_t j = 0; j < n; ++j) {
    double pivot = realOf(at(j, j));
    for (int64_t k = 0; k < j; ++k)
      pivot -= std::norm(at(j, k));
    if (!(pivot > 0) || !std::isfinite(pivot))
      return false;
    pivot = std::sqrt(pivot);
    at(j, j) = pivot;
    for (int64_t i = j + 1; i < n; ++i) {
      W sum = at(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= at(i, k) * conjugate(at(j, k));
      at(i, j) = sum / pivot;
    }
  }
  return true;
}

template <typename T>
static void choleskyOf(const T *from, T *to, int64_t n, bool lower) {
  using W = typename WideOf<T>::type;
  std::vector<W> a(size_t(n * n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j)
      a[size_t(i * n + j)] =
          lower ? W(from[i * n + j]) : conjugate(W(from[j * n + i]));
  bool isDefinite = factor(a, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      W value = isDefinite ? a[size_t(i * n + j)]
                           : W(std::numeric_limits<double>::quiet_NaN());
      if (lower)
        to[i * n + j] = T(value);
      else
        to[j * n + i] = T(i == j ? value : conjugate(value));
    }
}

static int64_t matrixCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape.drop_back(2))
    count *= size;
  return count;
}

static Expected<Tensor> evaluateCholesky(const OpEvaluation &e) {
  ArrayRef<int64_t> shape = e.operand(0).shape();
  int64_t n = shape.back(), count = matrixCount(shape);
  if (shape[shape.size() - 2] != n)
    return e.fail("matrices are " + Twine(shape[shape.size() - 2]) + " by " +
                  Twine(n) + " at run time");
  Expected<Tensor> result = e.allocate(shape);
  if (!result)
    return result;
  bool lower = cast<graph::CholeskyOp>(e.op).getLower();
  visitFloatOrComplex(e.resultElement(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *from = elementsOf<T>(e.operand(0)).data();
    T *to = writableElements<T>(*result).data();
    for (int64_t i = 0; i < count; ++i)
      choleskyOf(from + i * n * n, to + i * n * n, n, lower);
  });
  return result;
}

namespace {
/// m x = b for one vector b, where m(i, j) is the effective triangular matrix.
template <typename T> struct Triangle {
  using W = typename WideOf<T>::type;
  const T *a;
  int64_t n;
  bool swaps, conjugates, lower, unit;

  W at(int64_t i, int64_t j) const {
    W value = W(swaps ? a[j * n + i] : a[i * n + j]);
    return conjugates ? conjugate(value) : value;
  }
  void solve(std::vector<W> &x) const {
    for (int64_t step = 0; step < n; ++step) {
      int64_t i = lower ? step : n - 1 - step;
      W sum = x[size_t(i)];
      for (int64_t k = 0; k < step; ++k) {
        int64_t j = lower ? k : n - 1 - k;
        sum -= at(i, j) * x[size_t(j)];
      }
      x[size_t(i)] = unit ? sum : sum / at(i, i);
    }
  }
};
} // namespace

template <typename T>
static void solveMatrix(const Triangle<T> &triangle, bool left, const T *b,
                        T *to, int64_t rows, int64_t columns) {
  // A row vector times m is m transposed times a column.
  int64_t vectors = left ? columns : rows;
  int64_t step = left ? columns : 1, next = left ? 1 : columns;
  std::vector<typename Triangle<T>::W> x(size_t(triangle.n));
  for (int64_t v = 0; v < vectors; ++v) {
    for (int64_t i = 0; i < triangle.n; ++i)
      x[size_t(i)] = b[v * next + i * step];
    triangle.solve(x);
    for (int64_t i = 0; i < triangle.n; ++i)
      to[v * next + i * step] = T(x[size_t(i)]);
  }
}

static Expected<Tensor> evaluateTriangularSolve(const OpEvaluation &e) {
  auto op = cast<graph::TriangularSolveOp>(e.op);
  ArrayRef<int64_t> a = e.operand(0).shape(), b = e.operand(1).shape();
  int64_t n = a.back(), rows = b[b.size() - 2], columns = b.back();
  bool left = op.getLeft();
  if (a[a.size() - 2] != n || (left ? rows : columns) != n ||
      a.drop_back(2) != b.drop_back(2))
    return e.fail("shapes of a and b do not fit at run time");
  Expected<Tensor> result = e.allocate(b);
  if (!result)
    return result;
  bool turned = op.getForm() != graph::MatrixForm::plain;
  visitFloatOrComplex(e.resultElement(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *matrix = elementsOf<T>(e.operand(0)).data();
    const T *from = elementsOf<T>(e.operand(1)).data();
    T *to = writableElements<T>(*result).data();
    for (int64_t i = 0, count = matrixCount(a); i < count; ++i) {
      Triangle<T> triangle{matrix + i * n * n,
                           n,
                           turned == left,
                           op.getForm() == graph::MatrixForm::adjoint,
                           op.getLower() != (turned == left),
                           op.getUnitDiagonal()};
      solveMatrix(triangle, left, from + i * rows * columns,
                  to + i * rows * columns, rows, columns);
    }
  });
  return result;
}

Expected<Tensor>
zenith::interpreter::evaluateLinearAlgebra(const OpEvaluation &e) {
  if (isa<graph::CholeskyOp>(e.op))
    return evaluateCholesky(e);
  if (isa<graph::TriangularSolveOp>(e.op))
    return evaluateTriangularSolve(e);
  if (isa<graph::FourierOp>(e.op))
    return evaluateFourier(e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
