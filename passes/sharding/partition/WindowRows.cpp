// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows travel as they are where all devices see them at the same places of
// their windows, else spread.

#include "passes/sharding/partition/WindowRows.h"

#include "passes/sharding/partition/MoveRows.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

static int64_t ceilOf(int64_t value, int64_t divisor) {
  return value >= 0 ? int64_t(llvm::divideCeil(value, divisor))
                    : -(-value / divisor);
}

// Each row followed by `dilation` - 1 neutral ones.
static Value spread(LocalBuilder &x, Value source, int64_t dim,
                    int64_t dilation, Value neutral) {
  RankedTensorType type = tensorTypeOf(source);
  SmallVector<int64_t> shape(type.getShape()), none(type.getRank(), 0),
      high(none), interior(none);
  shape[dim] *= dilation;
  high[dim] = interior[dim] = dilation - 1;
  return x.b.create<graph::PadOp>(
      x.loc, RankedTensorType::get(shape, type.getElementType()), source,
      neutral, ValueRange(), ValueRange(), none, high, interior);
}

WindowRows zenith::sharding::windowRows(LocalBuilder &x, Value source,
                                        const WindowPlaces &places,
                                        Value neutral) {
  int64_t shards = x.axes.size(places.atoms), dilation = places.dilation;
  int64_t block = x.axes.blockSize(places.size, places.atoms);
  // Rows of the source at places [0, total).
  int64_t first = ceilOf(-places.low, dilation);
  int64_t from = std::max<int64_t>(first, 0);
  int64_t to = std::clamp(ceilOf(places.total - places.low, dilation), from,
                          std::max(places.size, from));
  int64_t phase = first * dilation + places.low;
  WindowRows result;
  RowMove move;
  move.dim = places.dim;
  move.atoms = places.atoms;
  if (places.step % dilation == 0 && phase < places.places) {
    move.length = (places.places - 1 - phase) / dilation + 1;
    move.offsets = multiples(shards, block, 0);
    move.bases = multiples(shards, places.step / dilation, first);
    move.from = from;
    move.to = to;
    result.low = phase;
    result.high = places.places - phase - ((move.length - 1) * dilation + 1);
    result.dilation = dilation;
  } else {
    source = spread(x, source, places.dim, dilation, neutral);
    move.length = places.places;
    move.offsets = multiples(shards, block * dilation, places.low);
    move.bases = multiples(shards, places.step, 0);
    move.from = from * dilation + places.low;
    move.to = (to - 1) * dilation + 1 + places.low;
  }
  RankedTensorType type = tensorTypeOf(source);
  SmallVector<int64_t> shape(type.getShape());
  shape[places.dim] = move.length;
  Value background =
      x.fill(RankedTensorType::get(shape, type.getElementType()), neutral);
  result.rows = moveRows(x, source, move, background);
  return result;
}
