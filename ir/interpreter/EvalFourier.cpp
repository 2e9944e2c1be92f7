// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete Fourier transforms (FFT) in double: radix-2 for powers of two,
// Bluestein's convolution for other lengths, direct sums for short ones.

#include "ir/GraphOps.h"
#include "ir/interpreter/ElementLoops.h"
#include "ir/interpreter/EvalLinearAlgebra.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/tensor/Scalar.h"
#include "llvm/Support/MathExtras.h"
#include <memory>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

using Complex = std::complex<double>;

// Lengths up to this one are summed directly.
static constexpr int64_t shortLength = 16;

// exp(-2 pi i k / n)
static Complex root(int64_t k, int64_t n) {
  long double angle = -2 * 3.14159265358979323846264338327950288L *
                      (long double)(k % n) / (long double)n;
  return {double(std::cos(angle)), double(std::sin(angle))};
}

namespace {
/// Forward transforms of one length.
class Transform {
public:
  explicit Transform(int64_t length) : length(length) {
    roots.reserve(size_t(length));
    for (int64_t k = 0; k < length; ++k)
      roots.push_back(root(k, length));
    if (length > shortLength && !llvm::isPowerOf2_64(uint64_t(length)))
      prepareConvolution();
  }

  void run(std::vector<Complex> &x) const {
    if (llvm::isPowerOf2_64(uint64_t(length)))
      return runHalves(x);
    if (length <= shortLength)
      return runSum(x);
    runConvolution(x);
  }

private:
  void runSum(std::vector<Complex> &x) const {
    std::vector<Complex> sums(x.size());
    for (int64_t k = 0; k < length; ++k)
      for (int64_t j = 0; j < length; ++j)
        sums[size_t(k)] += x[size_t(j)] * roots[size_t(j * k % length)];
    x.swap(sums);
  }

  void runHalves(std::vector<Complex> &x) const {
    size_t n = size_t(length);
    for (size_t i = 1, j = 0; i < n; ++i) {
      size_t bit = n >> 1;
      for (; j & bit; bit >>= 1)
        j ^= bit;
      j |= bit;
      if (i < j)
        std::swap(x[i], x[j]);
    }
    for (size_t width = 2; width <= n; width *= 2)
      for (size_t first = 0; first < n; first += width)
        for (size_t k = 0; k < width / 2; ++k) {
          Complex &low = x[first + k], &high = x[first + k + width / 2];
          Complex turned = high * roots[k * (n / width)];
          high = low - turned;
          low += turned;
        }
  }

  // Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2 makes the sum a convolution,
  // which transforms of a power of two compute.
  void prepareConvolution() {
    int64_t padded = int64_t(llvm::PowerOf2Ceil(uint64_t(2 * length - 1)));
    inner = std::make_unique<Transform>(padded);
    filter.assign(size_t(padded), Complex(0));
    for (int64_t k = 0; k < length; ++k) {
      uint64_t square =
          uint64_t((unsigned __int128)k * k % uint64_t(2 * length));
      chirp.push_back(root(int64_t(square), 2 * length));
      filter[size_t(k)] = std::conj(chirp.back());
      filter[size_t(k ? padded - k : 0)] = std::conj(chirp.back());
    }
    inner->run(filter);
  }
  void runConvolution(std::vector<Complex> &x) const {
    std::vector<Complex> y(filter.size(), Complex(0));
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = x[i] * chirp[i];
    inner->run(y);
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = std::conj(y[i] * filter[i]);
    inner->run(y);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = std::conj(y[i]) * chirp[i] / double(y.size());
  }

  int64_t length;
  std::vector<Complex> roots, chirp, filter;
  std::unique_ptr<Transform> inner;
};
} // namespace

// Transforms all lines along a dimension, in place.
static void transformAlong(MutableArrayRef<Complex> values,
                           ArrayRef<int64_t> shape, size_t dim, bool inverse) {
  int64_t length = shape[dim], inner = stridesOf(shape)[dim];
  if (values.empty() || length == 0)
    return;
  Transform transform(length);
  std::vector<Complex> line(static_cast<size_t>(length));
  for (size_t first = 0; first < values.size(); first += size_t(length * inner))
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t k = 0; k < length; ++k) {
        Complex x = values[first + size_t(k * inner + i)];
        line[size_t(k)] = inverse ? std::conj(x) : x;
      }
      transform.run(line);
      for (int64_t k = 0; k < length; ++k) {
        Complex y = line[size_t(k)];
        values[first + size_t(k * inner + i)] =
            inverse ? std::conj(y) / double(length) : y;
      }
    }
}

static llvm::Error checkSizes(graph::FourierOp op, const OpEvaluation &e) {
  ArrayRef<int64_t> length = op.getLength(), shape = e.operand(0).shape();
  size_t lead = shape.size() - length.size();
  for (auto [i, size] : llvm::enumerate(length)) {
    bool isHalf =
        op.getKind() == graph::FourierKind::c2r && i + 1 == length.size();
    int64_t expected = isHalf ? (size ? size / 2 + 1 : 0) : size;
    if (shape[lead + i] != expected && !(isHalf && size == 0))
      return e.fail("dimension " + Twine(lead + i) + " is " +
                    Twine(shape[lead + i]) + " at run time, the transform of " +
                    Twine(size) + " takes " + Twine(expected));
  }
  return llvm::Error::success();
}

// Completes n / 2 + 1 values to the whole line of n by conjugate symmetry.
static void mirror(ArrayRef<Complex> half, MutableArrayRef<Complex> whole) {
  size_t n = whole.size();
  for (size_t k = 0; k < n; ++k)
    whole[k] = k <= n / 2 ? half[k] : std::conj(half[n - k]);
  if (n > 0)
    whole[0] = whole[0].real();
  if (n % 2 == 0 && n > 0)
    whole[n / 2] = whole[n / 2].real();
}

Expected<Tensor> zenith::interpreter::evaluateFourier(const OpEvaluation &e) {
  auto op = cast<graph::FourierOp>(e.op);
  using graph::FourierKind;
  FourierKind kind = op.getKind();
  const Tensor &operand = e.operand(0);
  ArrayRef<int64_t> length = op.getLength();
  if (llvm::Error error = checkSizes(op, e))
    return std::move(error);
  bool toReal = kind == FourierKind::c2r, fromReal = kind == FourierKind::r2c;
  bool inverse = toReal || kind == FourierKind::c2c_inverse;
  Shape whole(operand.shape()), shape(operand.shape());
  whole.back() = length.back();
  shape.back() =
      fromReal && length.back() ? length.back() / 2 + 1 : length.back();
  Expected<Tensor> result = e.allocate(shape);
  if (!result || result->size() == 0)
    return result;
  auto wide = ComplexType::get(Float64Type::get(op.getContext()));
  Expected<Tensor> work = e.temporary(operand.shape(), wide);
  if (!work)
    return work;
  ElementAccess from(operand.elementType()), to(e.resultElement());
  MutableArrayRef<Complex> values = writableElements<Complex>(*work);
  for (auto [i, value] : llvm::enumerate(values)) {
    Scalar x = from.load(operand.bytes() + i * from.bytes());
    value = {x.real, x.imag};
  }
  size_t last = shape.size() - 1, lead = shape.size() - length.size();
  if (!toReal)
    transformAlong(values, whole, last, inverse);
  for (size_t dim = lead; dim < last; ++dim)
    transformAlong(values, operand.shape(), dim, inverse);
  if (toReal) {
    Expected<Tensor> full = e.temporary(whole, wide);
    if (!full)
      return full;
    MutableArrayRef<Complex> lines = writableElements<Complex>(*full);
    size_t n = size_t(whole.back()), half = size_t(operand.shape().back());
    for (size_t i = 0; i * n < lines.size(); ++i)
      mirror(values.slice(i * half, half), lines.slice(i * n, n));
    transformAlong(lines, whole, last, inverse);
    *work = std::move(*full);
  }
  // The result keeps the first elements of each line.
  ArrayRef<Complex> lines = elementsOf<Complex>(*work);
  char *target = result->writable();
  int64_t kept = shape.back();
  for (int64_t i = 0, count = result->size(); i < count; ++i) {
    const Complex &x = lines[size_t(i / kept * whole.back() + i % kept)];
    to.store(target + i * int64_t(to.bytes()),
             toReal ? Scalar::ofFloat(x.real())
                    : Scalar::ofComplex(x.real(), x.imag()));
  }
  return result;
}
