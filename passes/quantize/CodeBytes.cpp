// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shifts codes together.

#include "passes/quantize/CodeBytes.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

Value codesFromZero(OpBuilder &builder, Location loc, Value integers,
                    int64_t low) {
  Value codes = converted(builder, integers, builder.getI8Type());
  return low ? builder.create<SubOp>(loc, codes.getType(), codes,
                                     integersLike(builder, loc, codes, low))
             : codes;
}

Value entryOf(OpBuilder &builder, Location loc, Value value, int64_t dim,
              int64_t index) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  starts[dim] = index;
  sizes[dim] = 1;
  Value one =
      builder.create<SliceOp>(loc, type.clone(sizes), value, ValueRange(),
                              ValueRange(), starts, sizes, strides);
  sizes.erase(sizes.begin() + dim);
  return reshaped(builder, loc, one, sizes);
}

Value pairsInBytes(OpBuilder &builder, Location loc, Value codes, int64_t dim) {
  constexpr int64_t highShift = 4;
  Value first = entryOf(builder, loc, codes, dim, 0),
        second = entryOf(builder, loc, codes, dim, 1);
  Value high = builder.create<ShiftLeftOp>(
      loc, second.getType(), second,
      integersLike(builder, loc, second, highShift));
  return builder.create<OrOp>(loc, first.getType(), first, high);
}

} // namespace zenith::quantize
