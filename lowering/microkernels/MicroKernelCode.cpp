// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of micro-kernels.

#include "lowering/microkernels/MicroKernelCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

static constexpr auto noWrap = arith::IntegerOverflowFlags::nsw;

Value MicroKernelCode::index(int64_t value) {
  return b.create<arith::ConstantIndexOp>(loc, value);
}

Value MicroKernelCode::add(Value x, Value y) {
  return b.create<arith::AddIOp>(loc, x, y, noWrap);
}

Value MicroKernelCode::sub(Value x, Value y) {
  return b.create<arith::SubIOp>(loc, x, y, noWrap);
}

Value MicroKernelCode::mul(Value x, Value y) {
  return b.create<arith::MulIOp>(loc, x, y, noWrap);
}

Value MicroKernelCode::zero() {
  return b.create<arith::ConstantOp>(loc, b.getZeroAttr(vectorType));
}

MicroKernelCode::Values MicroKernelCode::loop(Value high, Value step,
                                              ValueRange init, Body body,
                                              Value low) {
  auto op =
      b.create<scf::ForOp>(loc, low ? low : index(0), high, step, init,
                           [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  Block *block = op.getBody();
  if (!block->empty())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  b.create<scf::YieldOp>(loc,
                         body(op.getInductionVar(), op.getRegionIterArgs()));
  return Values(op.getResults());
}

Value MicroKernelCode::toSum(Value x, Type element) {
  Type to = typeLike(kernel.sum, x.getType());
  if (element.isBF16()) {
    Type wide = typeLike(b.getI32Type(), x.getType());
    Value bits = b.create<arith::ExtUIOp>(loc, wide, x);
    Value sixteen = b.create<arith::ConstantOp>(
        loc, isa<VectorType>(wide) ? TypedAttr(DenseElementsAttr::get(
                                         cast<VectorType>(wide),
                                         b.getI32IntegerAttr(16).getValue()))
                                   : TypedAttr(b.getI32IntegerAttr(16)));
    return b.create<arith::BitcastOp>(
        loc, to, b.create<arith::ShLIOp>(loc, bits, sixteen));
  }
  Type from = getElementTypeOrSelf(x.getType());
  if (from == kernel.sum)
    return x;
  if (isa<FloatType>(from))
    return b.create<arith::ExtFOp>(loc, to, x);
  if (isa<FloatType>(kernel.sum)) {
    if (element.isUnsignedInteger())
      return b.create<arith::UIToFPOp>(loc, to, x);
    return b.create<arith::SIToFPOp>(loc, to, x);
  }
  if (from.getIntOrFloatBitWidth() > kernel.sum.getIntOrFloatBitWidth())
    return b.create<arith::TruncIOp>(loc, to, x);
  if (element.isUnsignedInteger())
    return b.create<arith::ExtUIOp>(loc, to, x);
  return b.create<arith::ExtSIOp>(loc, to, x);
}

Value MicroKernelCode::multiplyAdd(Value x, Value y, Value sum) {
  return kernels::multiplyAdd(b, loc, x, y, sum, kernel.fma);
}

Value MicroKernelCode::loadVector(Value memory, Value offset, Type element,
                                  Value mask) {
  return toSum(loadRaw(memory, offset, element, mask), element);
}

Value MicroKernelCode::loadRaw(Value memory, Value offset, Type element,
                               Value mask) {
  auto type = VectorType::get({int64_t(kernel.lanes)}, memoryType(element));
  if (!mask)
    return b.create<vector::LoadOp>(loc, type, memory, offset);
  Value zeros = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  return b.create<vector::MaskedLoadOp>(loc, type, memory, offset, mask, zeros);
}

Value MicroKernelCode::firstLanes(Value count) {
  return b.create<vector::CreateMaskOp>(
      loc, VectorType::get({int64_t(kernel.lanes)}, b.getI1Type()),
      ValueRange{count});
}

Value MicroKernelCode::shuffled(Value x, Value y, int64_t count,
                                function_ref<int64_t(int64_t lane)> source) {
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < count; ++lane)
    lanes.push_back(source(lane));
  return b.create<vector::ShuffleOp>(loc, x, y, lanes);
}

Value MicroKernelCode::addSums(Value x, Value y) {
  if (isa<FloatType>(kernel.sum))
    return b.create<arith::AddFOp>(loc, x, y);
  return b.create<arith::AddIOp>(loc, x, y);
}

void MicroKernelCode::where(Value condition, MutableArrayRef<Value> sums,
                            function_ref<void()> body) {
  Values before(sums.begin(), sums.end());
  auto branch =
      b.create<scf::IfOp>(loc, ValueRange(before).getTypes(), condition,
                          /*withElseRegion=*/!sums.empty());
  OpBuilder::InsertionGuard guard(b);
  if (sums.empty()) {
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    body();
    return;
  }
  b.setInsertionPointToEnd(branch.thenBlock());
  body();
  b.create<scf::YieldOp>(loc, ValueRange(ArrayRef<Value>(sums)));
  b.setInsertionPointToEnd(branch.elseBlock());
  b.create<scf::YieldOp>(loc, before);
  llvm::copy(branch.getResults(), sums.begin());
}

/// A row that is not there is followed by none.
void MicroKernelCode::forRows(Value lastRow, MutableArrayRef<Value> sums,
                              function_ref<void(unsigned)> body,
                              unsigned first) {
  unsigned r = first;
  bool isThere = true;
  for (; r < kernel.mr && isThere; ++r) {
    body(r);
    isThere = !kernel.skipsRows || r + 1 + kernel.repeatedRows < kernel.mr;
  }
  if (r == kernel.mr)
    return;
  Value next = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, lastRow,
                                       index(r));
  where(next, sums.empty() ? sums : sums.drop_front(r * kernel.vectors),
        [&] { forRows(lastRow, sums, body, r); });
}

Value MicroKernelCode::sumOfLanes(Value x) {
  for (int64_t half = kernel.lanes / 2; half; half /= 2) {
    Value low = b.create<vector::ExtractStridedSliceOp>(
        loc, x, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
    Value high = b.create<vector::ExtractStridedSliceOp>(
        loc, x, ArrayRef<int64_t>{half}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
    x = addSums(low, high);
  }
  return b.create<vector::ExtractOp>(loc, x, 0);
}

} // namespace zenith::kernels
