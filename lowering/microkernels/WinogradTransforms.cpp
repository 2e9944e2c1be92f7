// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates at zero, at pairs of points and at infinity, and interpolates:
// functions that all convolutions of a module share.

#include "lowering/microkernels/WinogradTransforms.h"
#include "lowering/builder/SharedFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

Value WinogradTileTransform::constant(double value) const {
  auto scalar = b.getFloatAttr(type.getElementType(), value);
  return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, scalar));
}

Value WinogradTileTransform::add(Value x, Value y) const {
  return b.create<arith::AddFOp>(loc, x, y);
}

Value WinogradTileTransform::sub(Value x, Value y) const {
  return b.create<arith::SubFOp>(loc, x, y);
}

Value WinogradTileTransform::scaled(double factor, Value x) const {
  if (factor == 1)
    return x;
  return b.create<arith::MulFOp>(loc, constant(factor), x);
}

Value WinogradTileTransform::addScaled(double factor, Value x,
                                       Value sum) const {
  if (factor == 1)
    return add(x, sum);
  if (factor == -1)
    return sub(sum, x);
  if (fma)
    return b.create<math::FmaOp>(loc, constant(factor), x, sum);
  return add(scaled(factor, x), sum);
}

/// Sum of factors[i] * pixels[first + 2 * i]; the last factor is 1.
Value WinogradTileTransform::polynomial(ArrayRef<double> factors,
                                        ArrayRef<Value> pixels,
                                        unsigned first) const {
  Value sum = pixels[first + 2 * (factors.size() - 1)];
  for (unsigned i = factors.size() - 1; i-- > 0;)
    sum = addScaled(factors[i], pixels[first + 2 * i], sum);
  return sum;
}

Vectors WinogradTileTransform::evaluate(ArrayRef<Value> pixels) const {
  if (transform.size == 1)
    return Vectors(pixels);
  std::vector<double> all = transform.evenPolynomial();
  Vectors values{polynomial(all, pixels, 0)};
  for (auto [number, point] : llvm::enumerate(transform.points)) {
    std::vector<double> others = transform.evenPolynomial(int(number));
    Value even = polynomial(others, pixels, 2),
          odd = polynomial(others, pixels, 1);
    values.push_back(addScaled(point, odd, even));
    values.push_back(addScaled(-point, odd, even));
  }
  values.push_back(polynomial(all, pixels, 1));
  return values;
}

Vectors WinogradTileTransform::interpolate(ArrayRef<Value> products) const {
  Vectors sums, differences, results;
  for (unsigned i = 0; i < transform.points.size(); ++i) {
    Value plus = products[1 + 2 * i], minus = products[2 + 2 * i];
    sums.push_back(add(plus, minus));
    differences.push_back(sub(plus, minus));
  }
  SmallVector<double> powers(transform.points.size(), 1.0);
  for (int64_t result = 0; result < transform.tile; ++result) {
    const Vectors &terms = result % 2 ? differences : sums;
    Value sum = result == 0                    ? products.front()
                : result + 1 == transform.tile ? products.back()
                                               : Value();
    for (auto [power, term] : llvm::zip(powers, terms))
      sum = sum ? addScaled(power, term, sum) : scaled(power, term);
    results.push_back(sum);
    for (auto [power, point] : llvm::zip(powers, transform.points))
      power *= point;
  }
  return results;
}

namespace {

/// The body of a shared function: squares of vectors from one place to another.
struct SquareWriter {
  OpBuilder &b;
  Location loc;
  VectorType type;

  Value mul(Value x, int64_t y) {
    return b.create<arith::MulIOp>(loc, x,
                                   b.create<arith::ConstantIndexOp>(loc, y),
                                   arith::IntegerOverflowFlags::nsw);
  }
  Value add(Value x, Value y) {
    return b.create<arith::AddIOp>(loc, x, y, arith::IntegerOverflowFlags::nsw);
  }
  Value at(const SquarePlace &place, int64_t line, int64_t pixel,
           Value channel) {
    Value inLine = add(mul(place.line, line), mul(place.pixel, pixel));
    return add(add(place.offset, inLine), channel);
  }
  void run(ValueRange arguments, const graph::WinogradFilter &window, bool fma,
           bool evaluates);
};

} // namespace

/// Transforms the columns of a square, then its lines.
void SquareWriter::run(ValueRange arguments,
                       const graph::WinogradFilter &window, bool fma,
                       bool evaluates) {
  auto transformed = [&](const graph::WinogradTransform &along,
                         ArrayRef<Value> values) {
    WinogradTileTransform points(b, loc, fma, along, type);
    return evaluates ? points.evaluate(values) : points.interpolate(values);
  };
  SquarePlace source{arguments[0], arguments[1], arguments[2], arguments[3]},
      target{arguments[4], arguments[5], arguments[6], arguments[7]};
  Value zero = b.create<arith::ConstantIndexOp>(loc, 0),
        step = b.create<arith::ConstantIndexOp>(loc, type.getNumElements());
  auto loop = b.create<scf::ForOp>(loc, zero, arguments[8], step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value channel = loop.getInductionVar();
  SmallVector<Vectors> lines(evaluates ? window.down.size : window.down.tile);
  for (int64_t j = 0; j < window.across.size; ++j) {
    Vectors column;
    for (int64_t i = 0; i < window.down.size; ++i)
      column.push_back(b.create<vector::LoadOp>(loc, type, source.memory,
                                                at(source, i, j, channel)));
    for (auto [line, value] : llvm::enumerate(transformed(window.down, column)))
      lines[line].push_back(value);
  }
  for (auto [i, line] : llvm::enumerate(lines))
    for (auto [j, value] : llvm::enumerate(transformed(window.across, line)))
      b.create<vector::StoreOp>(loc, value, target.memory,
                                at(target, int64_t(i), int64_t(j), channel));
}

static void callSquare(KernelBuilder &kernel,
                       const graph::WinogradFilter &window, unsigned lanes,
                       const SquarePlace &from, const SquarePlace &to,
                       Value channels, bool evaluates) {
  std::string name = (evaluates ? "evaluate_" : "interpolate_") +
                     std::to_string(window.down.tile) + "x" +
                     std::to_string(window.across.tile) + "x" +
                     std::to_string(lanes);
  SmallVector<Value> operands{from.memory, from.offset, from.line,
                              from.pixel,  to.memory,   to.offset,
                              to.line,     to.pixel,    channels};
  bool fma = kernel.target.fma;
  callShared(kernel, name, operands, [&](OpBuilder &b, Block &entry) {
    auto type = VectorType::get({int64_t(lanes)}, b.getF32Type());
    SquareWriter{b, b.getUnknownLoc(), type}.run(entry.getArguments(), window,
                                                 fma, evaluates);
  });
}

void callEvaluate(KernelBuilder &kernel, const graph::WinogradFilter &window,
                  unsigned lanes, const SquarePlace &from,
                  const SquarePlace &to, Value channels) {
  callSquare(kernel, window, lanes, from, to, channels, /*evaluates=*/true);
}

void callInterpolate(KernelBuilder &kernel, const graph::WinogradFilter &window,
                     unsigned lanes, const SquarePlace &from,
                     const SquarePlace &to, Value channels) {
  callSquare(kernel, window, lanes, from, to, channels, /*evaluates=*/false);
}

} // namespace zenith::kernels
