// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counter-based random bits as unsigned arithmetic on tensors of words:
// Threefry-2x32 with 20 rounds and Philox-4x32 with 10.

#ifndef ZENITH_IR_RANDOM_RANDOMWORDS_H
#define ZENITH_IR_RANDOM_RANDOMWORDS_H

#include "ir/GraphOps.h"

namespace zenith::graph {

/// Builds unsigned arithmetic on tensors of one shape.
class WordBuilder {
public:
  using Value = mlir::Value;
  /// The words of a counter, least significant first, or of a hash.
  using Words = llvm::SmallVector<Value, 4>;

  /// `sizes` are those of the dynamic dimensions of `shape`.
  WordBuilder(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::ArrayRef<int64_t> shape, mlir::ValueRange sizes = {})
      : b(builder), loc(loc), shape(shape), sizes(sizes) {}

  mlir::IntegerType word(unsigned width) const {
    return mlir::IntegerType::get(b.getContext(), width,
                                  mlir::IntegerType::Unsigned);
  }
  mlir::RankedTensorType type(mlir::Type element) const {
    return mlir::RankedTensorType::get(shape, element);
  }
  /// The scalar in each element.
  Value everywhere(Value scalar);
  Value number(unsigned width, uint64_t value);
  template <typename Op> Value make(Value lhs, Value rhs) {
    return b.create<Op>(loc, lhs.getType(), lhs, rhs);
  }
  Value add(Value lhs, Value rhs) { return make<AddOp>(lhs, rhs); }
  Value exclusive(Value lhs, Value rhs) { return make<XorOp>(lhs, rhs); }
  Value convert(Value value, unsigned width);
  /// The lower and the upper half of 64 bits.
  std::pair<Value, Value> halves(Value value);
  /// 64 bits of two words.
  Value joined(Value low, Value high);
  Value rotatedLeft(Value value, unsigned amount);
  /// Element `index` of a vector of words, everywhere.
  Value elementOf(Value vector, int64_t index);
  /// The row-major index of each element, in words of this width.
  Value places(unsigned width);
  /// `low` and `high` as 128 bits, plus 64 bits.
  std::pair<Value, Value> sum128(Value low, Value high, Value steps);

  /// Five groups of four rounds, a word of the key after each.
  Words threefry(Words counter, Value keyLow, Value keyHigh);
  Words philox(Words counter, Value keyLow, Value keyHigh);

  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Value> sizes;
};

/// What graph.random_bits computes: the new state and the bits, in the order of
/// XLA's RngBitGenerator.
std::pair<mlir::Value, mlir::Value> randomBitsFormula(mlir::OpBuilder &builder,
                                                      RandomBitsOp op);

} // namespace zenith::graph

#endif // ZENITH_IR_RANDOM_RANDOMWORDS_H
