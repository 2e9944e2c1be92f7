// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hop by hop: a window of the sender's block, a permutation, and the rows that
// the receiver lacks put in their places.

#include "passes/sharding/partition/MoveRows.h"

#include "ir/CollectiveOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

SmallVector<int64_t> zenith::sharding::multiples(int64_t shards, int64_t factor,
                                                 int64_t start) {
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < shards; ++i)
    values.push_back(i * factor + start);
  return values;
}

namespace {
/// What each block index gets in one hop; counts are 0 where it gets nothing.
struct Hop {
  SmallVector<int64_t> starts; ///< in the sender's block, by sender
  SmallVector<int64_t> places; ///< of the window's first row, by receiver
  SmallVector<int64_t> firsts, counts; ///< rows that are taken, by receiver
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  int64_t window = 0;
};
} // namespace

static bool isUniform(ArrayRef<int64_t> values) {
  return llvm::all_equal(values);
}

// values[block index of this device]
static Value entryOf(LocalBuilder &x, ArrayRef<int64_t> values,
                     ArrayRef<unsigned> atoms) {
  if (isUniform(values))
    return x.index(values.front());
  auto type = RankedTensorType::get({int64_t(values.size())}, x.b.getI64Type());
  Value table = x.b.create<graph::ConstantOp>(
      x.loc, DenseElementsAttr::get(type, values));
  return x.reshape(x.sliceAt(table, 0, x.blockIndex(atoms), 1), {});
}

static std::optional<Hop> planHop(const RowMove &move, int64_t block,
                                  int64_t distance) {
  int64_t shards = int64_t(move.bases.size());
  Hop hop;
  hop.starts.assign(shards, 0);
  hop.places = hop.firsts = hop.counts = hop.starts;
  for (int64_t receiver = 0; receiver < shards; ++receiver) {
    int64_t sender = receiver - distance;
    if (sender < 0 || sender >= shards)
      continue;
    int64_t base = move.bases[receiver], own = move.offsets[sender];
    int64_t first = std::max({base, own, move.from});
    int64_t end = std::min({base + move.length, own + block, move.to});
    if (first >= end)
      continue;
    hop.starts[sender] = first - own;
    hop.firsts[receiver] = first - base;
    hop.counts[receiver] = end - first;
    hop.window = std::max(hop.window, end - first);
    hop.pairs.push_back({sender, receiver});
  }
  if (hop.pairs.empty())
    return std::nullopt;
  for (auto [sender, receiver] : hop.pairs) {
    int64_t moved = std::min(hop.starts[sender], block - hop.window);
    hop.places[receiver] = hop.firsts[receiver] - (hop.starts[sender] - moved);
    hop.starts[sender] = moved;
  }
  // Devices that send or take nothing may do as the others.
  auto spread = [](SmallVector<int64_t> &values, ArrayRef<int64_t> used) {
    for (auto [i, value] : llvm::enumerate(values))
      if (!llvm::is_contained(used, int64_t(i)))
        value = values[used.front()];
  };
  SmallVector<int64_t> senders, receivers;
  for (auto [sender, receiver] : hop.pairs) {
    senders.push_back(sender);
    receivers.push_back(receiver);
  }
  spread(hop.starts, senders);
  spread(hop.places, receivers);
  return hop;
}

static Value windowOf(LocalBuilder &x, Value source, const RowMove &move,
                      const Hop &hop) {
  if (isUniform(hop.starts))
    return x.slice(source, move.dim, hop.starts.front(), hop.window);
  return x.sliceAt(source, move.dim, entryOf(x, hop.starts, move.atoms),
                   hop.window);
}

// The window's rows at their places in a value of the result's length.
static Value placed(LocalBuilder &x, Value window, const RowMove &move,
                    const Hop &hop) {
  if (isUniform(hop.places)) {
    int64_t place = hop.places.front();
    return x.pad(window, move.dim, place, move.length - hop.window - place);
  }
  Value padded = x.pad(window, move.dim, move.length, move.length);
  SmallVector<int64_t> starts;
  for (int64_t place : hop.places)
    starts.push_back(move.length - place);
  return x.sliceAt(padded, move.dim, entryOf(x, starts, move.atoms),
                   move.length);
}

// Rows [first, first + count) of this device.
static Value maskOf(LocalBuilder &x, Value like, const RowMove &move,
                    const Hop &hop) {
  ArrayRef<int64_t> shape = tensorTypeOf(like).getShape();
  auto line = RankedTensorType::get({move.length}, x.b.getI64Type());
  auto flags = RankedTensorType::get({move.length}, x.b.getI1Type());
  Value own = x.b.create<graph::IotaOp>(x.loc, line, uint64_t(0), ValueRange());
  SmallVector<int64_t> ends;
  for (auto [first, count] : llvm::zip_equal(hop.firsts, hop.counts))
    ends.push_back(first + count);
  auto compare = [&](graph::CompareDirection direction,
                     ArrayRef<int64_t> bounds) -> Value {
    return x.b.create<graph::CompareOp>(
        x.loc, flags, direction, own,
        x.fill(line, entryOf(x, bounds, move.atoms)));
  };
  Value inside = x.b.create<graph::AndOp>(
      x.loc, flags, compare(graph::CompareDirection::ge, hop.firsts),
      compare(graph::CompareDirection::lt, ends));
  return x.b.create<graph::BroadcastOp>(
      x.loc, RankedTensorType::get(shape, x.b.getI1Type()), inside,
      ArrayRef<int64_t>{move.dim}, ValueRange());
}

Value zenith::sharding::moveRows(LocalBuilder &x, Value source,
                                 const RowMove &move, Value background) {
  int64_t shards = int64_t(move.bases.size());
  int64_t block = tensorTypeOf(source).getDimSize(move.dim);
  Value result = background;
  for (int64_t distance = 1 - shards; distance < shards; ++distance) {
    std::optional<Hop> hop = planHop(move, block, distance);
    if (!hop)
      continue;
    Value window = windowOf(x, source, move, *hop);
    if (distance != 0) {
      SmallVector<int64_t> pairs;
      for (auto [sender, receiver] : hop->pairs) {
        pairs.push_back(sender);
        pairs.push_back(receiver);
      }
      auto type = RankedTensorType::get({int64_t(hop->pairs.size()), 2},
                                        x.b.getI64Type());
      window = x.b.create<graph::CollectivePermuteOp>(
          x.loc, window.getType(), window,
          DenseIntElementsAttr::get(type, pairs), x.axes.meshName(),
          x.axes.axesAttr(move.atoms));
    }
    Value aligned = placed(x, window, move, *hop);
    bool isAll =
        llvm::all_of(hop->firsts, [](int64_t first) { return first == 0; }) &&
        llvm::all_of(hop->counts,
                     [&](int64_t count) { return count == move.length; });
    result = isAll ? aligned
                   : x.select(maskOf(x, aligned, move, *hop), aligned, result);
  }
  return result;
}
