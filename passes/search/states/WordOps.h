// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds arithmetic on lists of 64-bit words.

#ifndef ZENITH_PASSES_SEARCH_STATES_WORDOPS_H
#define ZENITH_PASSES_SEARCH_STATES_WORDOPS_H

#include "ir/GraphOps.h"
#include <map>

namespace zenith::search {

/// The type of a list of words of any length.
inline mlir::RankedTensorType wordListType(mlir::OpBuilder &builder) {
  return mlir::RankedTensorType::get({mlir::ShapedType::kDynamic},
                                     builder.getIntegerType(64, false));
}

/// Words of lists that are as long as `like`.
class WordOps {
public:
  WordOps(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like)
      : builder(builder), location(location), like(like) {}

  mlir::Value number(uint64_t value);
  mlir::Value shiftLeft(mlir::Value x, unsigned bits) {
    return bits == 0 ? x : make<graph::ShiftLeftOp>(x, number(bits));
  }
  mlir::Value shiftLeft(mlir::Value x, mlir::Value bits) {
    return make<graph::ShiftLeftOp>(x, bits);
  }
  mlir::Value shiftRight(mlir::Value x, unsigned bits) {
    return bits == 0 ? x : make<graph::ShiftRightLogicalOp>(x, number(bits));
  }
  mlir::Value shiftRight(mlir::Value x, mlir::Value bits) {
    return make<graph::ShiftRightLogicalOp>(x, bits);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return make<graph::AndOp>(x, y);
  }
  mlir::Value both(mlir::Value x, uint64_t mask) {
    return mask == ~uint64_t(0) ? x : both(x, number(mask));
  }
  /// `x` may be null, which stands for 0.
  mlir::Value either(mlir::Value x, mlir::Value y) {
    return x ? make<graph::OrOp>(x, y) : y;
  }
  mlir::Value differ(mlir::Value x, mlir::Value y) {
    return make<graph::XorOp>(x, y);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return x ? make<graph::AddOp>(x, y) : y;
  }
  mlir::Value subtract(mlir::Value x, mlir::Value y) {
    return make<graph::SubOp>(x, y);
  }
  mlir::Value multiply(mlir::Value x, mlir::Value y) {
    return make<graph::MulOp>(x, y);
  }
  mlir::Value multiply(mlir::Value x, uint64_t factor) {
    return factor == 1 ? x : multiply(x, number(factor));
  }
  mlir::Value divide(mlir::Value x, mlir::Value y) {
    return make<graph::DivOp>(x, y);
  }
  mlir::Value remainder(mlir::Value x, uint64_t divisor) {
    return make<graph::RemOp>(x, number(divisor));
  }

  /// `yes` where x is `value`.
  mlir::Value selectWhere(mlir::Value x, uint64_t value, mlir::Value yes,
                          mlir::Value no) {
    return select(isSame(x, number(value)), yes, no);
  }

  /// Lists of i1, for which both() and either() are and, or.
  mlir::Value isLess(mlir::Value x, mlir::Value y) {
    return compare(graph::CompareDirection::lt, x, y);
  }
  mlir::Value isSame(mlir::Value x, mlir::Value y) {
    return compare(graph::CompareDirection::eq, x, y);
  }
  mlir::Value select(mlir::Value is, mlir::Value yes, mlir::Value no) {
    return builder.create<graph::SelectOp>(location, is, yes, no);
  }

private:
  mlir::Value compare(graph::CompareDirection direction, mlir::Value x,
                      mlir::Value y) {
    return builder.create<graph::CompareOp>(location, direction, x, y);
  }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return builder.create<Op>(location, x, y);
  }

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Value like, size;
  std::map<uint64_t, mlir::Value> numbers; // all ones is a key too
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_WORDOPS_H
