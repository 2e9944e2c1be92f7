// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a box of elements between two arrays with any strides, to which all
// ops of the Movement family reduce.

#ifndef ZENITH_IR_INTERPRETER_STRIDEDCOPY_H
#define ZENITH_IR_INTERPRETER_STRIDEDCOPY_H

#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

/// The offset of element (0, ..., 0) of a box in an array, and the distance in
/// elements of neighbours along each dimension (0 repeats, negative reverses).
struct StridedView {
  int64_t offset = 0;
  Shape strides;
};

/// Row-major strides.
Shape stridesOf(llvm::ArrayRef<int64_t> shape);
/// Moves `position` to the next one below `shape` in row-major order; false
/// after the last one, with `position` back at the first.
bool stepPosition(llvm::MutableArrayRef<int64_t> position,
                  llvm::ArrayRef<int64_t> shape);
/// `to[toView(i)] = from[fromView(i)]` for all i below `box`.
void copyStrided(char *to, const StridedView &toView, const char *from,
                 const StridedView &fromView, llvm::ArrayRef<int64_t> box,
                 unsigned bytes);
/// Fills `count` elements with one.
void fillElements(char *to, int64_t count, const char *element, unsigned bytes);
/// Elements in another order of dimensions: result dimension i is dimension
/// order[i]. Shares the bytes if the order does not change.
llvm::Expected<Tensor> permuted(const OpEvaluation &e, const Tensor &tensor,
                                llvm::ArrayRef<int64_t> order);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_STRIDEDCOPY_H
