// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms at zero, at pairs of points p and -p, and at infinity, in
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

/// Sum of factors[i] * positions[first + 2 * i]; the last factor is 1.
Value WinogradTileTransform::polynomial(ArrayRef<double> factors,
                                        ArrayRef<Value> positions,
                                        unsigned first) const {
  Value sum = positions[first + 2 * (factors.size() - 1)];
  for (unsigned i = factors.size() - 1; i-- > 0;)
    sum = addScaled(factors[i], positions[first + 2 * i], sum);
  return sum;
}

Vectors WinogradTileTransform::input(ArrayRef<Value> positions) const {
  if (transform.size == 1)
    return Vectors(positions);
  std::vector<double> all = transform.evenPolynomial();
  Vectors values{scaled(transform.scaleAt(0), polynomial(all, positions, 0))};
  for (auto [i, point] : llvm::enumerate(transform.points)) {
    std::vector<double> others = transform.evenPolynomial(int(i));
    double scale = transform.scaleAt(point);
    Value even = scaled(scale, polynomial(others, positions, 2)),
          odd = scaled(scale, polynomial(others, positions, 1));
    values.push_back(addScaled(point, odd, even));
    values.push_back(addScaled(-point, odd, even));
  }
  values.push_back(polynomial(all, positions, 1));
  return values;
}

Vectors WinogradTileTransform::output(ArrayRef<Value> values) const {
  Vectors sums, differences, results;
  for (unsigned i = 0; i < transform.points.size(); ++i) {
    Value plus = values[1 + 2 * i], minus = values[2 + 2 * i];
    sums.push_back(add(plus, minus));
    differences.push_back(sub(plus, minus));
  }
  SmallVector<double> powers(transform.points.size(), 1.0);
  for (int64_t result = 0; result < transform.tile; ++result) {
    const Vectors &terms = result % 2 ? differences : sums;
    Value sum = result == 0                    ? values.front()
                : result + 1 == transform.tile ? values.back()
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

/// The body of a shared function: transforms a two-dimensional tile.
struct TileTransformWriter {
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
  Value at(const TileView &view, int64_t y, int64_t x, Value channel) {
    Value inTile = add(mul(view.strideY, y), mul(view.strideX, x));
    return add(add(view.offset, inTile), channel);
  }
  void run(ValueRange arguments, const graph::WinogradFilter &filter, bool fma,
           bool isInput);
};

} // namespace

/// Transforms the columns of a tile, then its rows.
void TileTransformWriter::run(ValueRange arguments,
                              const graph::WinogradFilter &filter, bool fma,
                              bool isInput) {
  auto transformed = [&](const graph::WinogradTransform &along,
                         ArrayRef<Value> values) {
    WinogradTileTransform tile(b, loc, fma, along, type);
    return isInput ? tile.input(values) : tile.output(values);
  };
  TileView source{arguments[0], arguments[1], arguments[2], arguments[3]},
      target{arguments[4], arguments[5], arguments[6], arguments[7]};
  Value zero = b.create<arith::ConstantIndexOp>(loc, 0),
        step = b.create<arith::ConstantIndexOp>(loc, type.getNumElements());
  auto loop = b.create<scf::ForOp>(loc, zero, arguments[8], step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value channel = loop.getInductionVar();
  SmallVector<Vectors> rows(isInput ? filter.down.size : filter.down.tile);
  for (int64_t j = 0; j < filter.across.size; ++j) {
    Vectors column;
    for (int64_t i = 0; i < filter.down.size; ++i)
      column.push_back(b.create<vector::LoadOp>(loc, type, source.memory,
                                                at(source, i, j, channel)));
    for (auto [y, value] : llvm::enumerate(transformed(filter.down, column)))
      rows[y].push_back(value);
  }
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [j, value] : llvm::enumerate(transformed(filter.across, row)))
      b.create<vector::StoreOp>(loc, value, target.memory,
                                at(target, int64_t(i), int64_t(j), channel));
}

static void callTransform(KernelBuilder &kernel,
                          const graph::WinogradFilter &filter, unsigned lanes,
                          const TileView &from, const TileView &to,
                          Value channels, bool isInput) {
  std::string name = (isInput ? "winograd_input_" : "winograd_output_") +
                     std::to_string(filter.down.tile) + "x" +
                     std::to_string(filter.across.tile) + "x" +
                     std::to_string(lanes);
  if (!filter.across.unused.empty())
    name += "_of" + std::to_string(filter.across.storedSize());
  SmallVector<Value> operands{from.memory,  from.offset, from.strideY,
                              from.strideX, to.memory,   to.offset,
                              to.strideY,   to.strideX,  channels};
  bool fma = kernel.target.fma;
  callShared(kernel, name, operands, [&](OpBuilder &b, Block &entry) {
    auto type = VectorType::get({int64_t(lanes)}, b.getF32Type());
    TileTransformWriter{b, b.getUnknownLoc(), type}.run(entry.getArguments(),
                                                        filter, fma, isInput);
  });
}

void callInputTransform(KernelBuilder &kernel,
                        const graph::WinogradFilter &filter, unsigned lanes,
                        const TileView &from, const TileView &to,
                        Value channels) {
  callTransform(kernel, filter, lanes, from, to, channels, /*isInput=*/true);
}

void callOutputTransform(KernelBuilder &kernel,
                         const graph::WinogradFilter &filter, unsigned lanes,
                         const TileView &from, const TileView &to,
                         Value channels) {
  callTransform(kernel, filter, lanes, from, to, channels, /*isInput=*/false);
}

} // namespace zenith::kernels
