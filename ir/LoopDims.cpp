// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions that go through control: what branches agree on, and what a loop
// leaves alone from step to step.

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"

using namespace mlir;

namespace zenith::graph {

/// True where `expr` speaks of data.
static bool fromData(const DimExpr &expr) {
  bool result = false;
  expr.forEachSymbol([&](const std::string &name) {
    result |= !name.empty() && name[0] == '%';
  });
  return result;
}

DimVector DimAnalysis::branchDims(OpResult result) {
  Operation *op = result.getOwner();
  auto yielded = [&](Region &region) {
    return region.front().getTerminator()->getOperand(result.getResultNumber());
  };
  DimVector agreed = dimsOf(yielded(op->getRegion(0)));
  for (DimExpr &dim : agreed)
    // A symbol of the only branch has no meaning outside of it; two branches
    // have none in common that is not from outside.
    if (op->getNumRegions() == 1 && fromData(dim))
      dim = freshSymbol();
  for (Region &region : op->getRegions().drop_front()) {
    const DimVector &other = dimsOf(yielded(region));
    for (size_t i = 0; i < agreed.size() && i < other.size(); ++i)
      if (agreed[i] != other[i])
        agreed[i] = freshSymbol();
  }
  return agreed;
}

static bool isInside(Operation *loop, Value value) {
  // Regions that are being built have no op around them yet.
  Operation *around = value.getParentBlock()->getParentOp();
  return around && loop->isAncestor(around);
}

void DimAnalysis::forgetInside(Operation *loop,
                               const llvm::DenseSet<Value> &known) {
  auto drop = [&](auto &entries, auto valueOf) {
    SmallVector<std::remove_reference_t<decltype(entries.begin()->first)>> gone;
    for (auto &entry : entries)
      if (Value value = valueOf(entry.first);
          isInside(loop, value) && !known.contains(value))
        gone.push_back(entry.first);
    for (auto &key : gone)
      entries.erase(key);
  };
  drop(dims, [](Value key) { return key; });
  drop(scalars, [](Value key) { return key; });
  drop(elements,
       [](const std::pair<Value, int64_t> &key) { return key.first; });
}

namespace {

/// One dynamic dimension of one carried value.
struct CarriedDim {
  unsigned value;
  unsigned dim;
};

} // namespace

static SmallVector<CarriedDim> carriedDims(WhileOp loop) {
  SmallVector<CarriedDim> result;
  for (OpResult carried : loop.getResults()) {
    auto type = cast<RankedTensorType>(carried.getType());
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        result.push_back({carried.getResultNumber(), dim});
  }
  return result;
}

/// Splits groups whose members start or go on differently; true where it did.
/// Groups only ever become finer, so that loops inside of loops end.
static bool refineGroups(SmallVector<int> &groups, ArrayRef<DimExpr> initial,
                         ArrayRef<DimExpr> next) {
  SmallVector<int> refined(groups);
  int bound = 0;
  for (int group : groups)
    bound = std::max(bound, group + 1);
  bool changed = false;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] == -1 && initial[i] == next[i])
      continue;
    size_t first = 0;
    while (first < i &&
           (groups[first] != groups[i] || initial[first] != initial[i] ||
            next[first] != next[i]))
      ++first;
    bool opensGroup =
        groups[i] >= 0 && std::find(groups.begin(), groups.begin() + i,
                                    groups[i]) == groups.begin() + i;
    if (first < i)
      refined[i] = refined[first];
    else if (!opensGroup)
      refined[i] = bound++;
    changed |= refined[i] != groups[i];
  }
  groups = std::move(refined);
  return changed;
}

void DimAnalysis::settleLoop(Operation *op) {
  auto loop = cast<WhileOp>(op);
  Block &body = loop.getBody().front(),
        &condition = loop.getCondition().front();
  SmallVector<CarriedDim> places = carriedDims(loop);
  llvm::DenseSet<Value> known;
  auto know = [&](Value value) {
    if (isInside(op, value))
      known.insert(value);
  };
  for (const auto &entry : dims)
    know(entry.first);
  for (const auto &entry : scalars)
    know(entry.first);
  for (const auto &entry : elements)
    know(entry.first.first);
  auto store = [&](Value value, unsigned number, ArrayRef<DimExpr> carried) {
    auto type = cast<RankedTensorType>(value.getType());
    auto entry = std::make_unique<DimVector>();
    for (int64_t size : type.getShape())
      entry->push_back(ShapedType::isDynamic(size) ? DimExpr() : DimExpr(size));
    for (auto [place, dim] : llvm::zip(places, carried))
      if (place.value == number)
        (*entry)[place.dim] = dim;
    dims[value] = std::move(entry);
  };
  SmallVector<DimExpr> initial;
  for (CarriedDim place : places)
    initial.push_back(dimsOf(loop.getInits()[place.value])[place.dim]);
  SmallVector<int> groups = carriedGroups.lookup(op);
  groups.resize(places.size(), -1);
  auto named = [&] {
    SmallVector<DimExpr> result(initial);
    llvm::DenseMap<int, DimExpr> symbols;
    for (size_t i = 0; i < groups.size(); ++i)
      if (groups[i] >= 0) {
        auto [entry, isNew] = symbols.try_emplace(groups[i]);
        if (isNew)
          entry->second = freshSymbol();
        result[i] = entry->second;
      }
    return result;
  };
  while (true) {
    SmallVector<DimExpr> assumed = named(), next;
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      store(body.getArgument(i), i, assumed);
      store(condition.getArgument(i), i, assumed);
    }
    for (CarriedDim place : places)
      next.push_back(
          dimsOf(body.getTerminator()->getOperand(place.value))[place.dim]);
    if (!refineGroups(groups, initial, next))
      break;
    forgetInside(op, known);
  }
  SmallVector<DimExpr> last = named();
  for (OpResult result : loop.getResults())
    store(result, result.getResultNumber(), last);
  carriedGroups[op] = std::move(groups);
}

} // namespace zenith::graph
