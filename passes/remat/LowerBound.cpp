// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds from what must live at one step.

#include "passes/remat/LowerBound.h"

#include "passes/remat/StepOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace zenith::remat {

namespace {

class Bounds {
public:
  explicit Bounds(const MemoryGraph &graph)
      : graph(graph), writers(writersOf(graph)) {}
  LowerBound run() const;

private:
  int64_t bytesOf(unsigned value) const {
    return writers[value] < 0 ? 0 : graph.values[value];
  }
  int64_t shared(const MemoryStep &step, ArrayRef<unsigned> living) const;
  int64_t needOf(const MemoryStep &step, ArrayRef<unsigned> living) const;
  int64_t whileOperandsAreMade(const MemoryStep &step) const;

  const MemoryGraph &graph;
  std::vector<int> writers;
};

} // namespace

/// The most that `step` may write over operands other than `living`. Each pair
/// counts by its smaller side, so the sum by either side is a bound.
int64_t Bounds::shared(const MemoryStep &step,
                       ArrayRef<unsigned> living) const {
  SmallVector<std::pair<unsigned, int64_t>> reads, writes; // value, best pair
  auto raise = [](auto &list, unsigned value, int64_t bytes) {
    auto *found =
        find_if(list, [&](const auto &entry) { return entry.first == value; });
    if (found == list.end())
      list.push_back({value, bytes});
    else
      found->second = std::max(found->second, bytes);
  };
  for (const SharedPair &pair : step.shares) {
    if (is_contained(living, pair.read))
      continue;
    int64_t bytes = std::min(bytesOf(pair.read), bytesOf(pair.written));
    raise(reads, pair.read, bytes);
    raise(writes, pair.written, bytes);
  }
  int64_t byReads = 0, byWrites = 0;
  for (const auto &entry : reads)
    byReads += entry.second;
  for (const auto &entry : writes)
    byWrites += entry.second;
  return std::min(byReads, byWrites);
}

/// Bytes while `step` runs and `living` are needed later.
int64_t Bounds::needOf(const MemoryStep &step,
                       ArrayRef<unsigned> living) const {
  int64_t bytes = step.scratch - shared(step, living);
  for (unsigned value : step.reads)
    bytes += bytesOf(value);
  for (unsigned value : step.writes)
    bytes += bytesOf(value);
  for (unsigned value : living)
    if (!is_contained(step.reads, value) && !is_contained(step.writes, value))
      bytes += bytesOf(value);
  return bytes;
}

/// One of the operands is made last: all others live then.
int64_t Bounds::whileOperandsAreMade(const MemoryStep &step) const {
  int64_t least = INT64_MAX;
  for (unsigned value : step.reads)
    if (writers[value] >= 0)
      least = std::min(least,
                       needOf(graph.steps[size_t(writers[value])], step.reads));
  return least == INT64_MAX ? 0 : least;
}

LowerBound Bounds::run() const {
  LowerBound bound;
  auto consider = [&](int64_t bytes, size_t step) {
    if (bytes > bound.bytes)
      bound = {bytes, unsigned(step)};
  };
  for (auto [index, step] : enumerate(graph.steps)) {
    consider(needOf(step, {}), index);
    consider(whileOperandsAreMade(step), index);
  }
  // The kept values that are made last are made while all others live.
  MemoryStep end;
  end.reads = graph.keep;
  if (!graph.keep.empty())
    consider(whileOperandsAreMade(end), size_t(writers[graph.keep.back()]));
  return bound;
}

LowerBound lowerBound(const MemoryGraph &graph) { return Bounds(graph).run(); }

} // namespace zenith::remat
