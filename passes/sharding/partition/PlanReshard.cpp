// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the steps of a reshard: cuts first, which send nothing and make the
// rest smaller, then exchanges, gathers last.

#include "passes/sharding/partition/Reshard.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

namespace {
class Planner {
public:
  Planner(RankedTensorType whole, Layout from, const Layout &to,
          const DeviceAxes &axes)
      : whole(whole), now(std::move(from)), to(to), axes(axes) {}

  std::vector<ReshardStep> run();

private:
  /// Axes at the front of dimension `dim` that may stay while the others leave.
  Atoms kept(unsigned dim) const;
  Atoms leaving(unsigned dim) const;
  Atoms entering(unsigned dim) const;
  /// Whether blocks over `outer` are runs of whole blocks over `inner`.
  bool nests(unsigned dim, ArrayRef<unsigned> outer,
             ArrayRef<unsigned> inner) const;
  double blockBytes() const;
  void take(ReshardStep::Kind kind, Layout next, Atoms met, double sent);

  bool cut();
  bool scatterTerms();
  bool joinTerms();
  bool permute();
  bool exchange();
  bool gather();

  RankedTensorType whole;
  Layout now;
  const Layout &to;
  const DeviceAxes &axes;
  std::vector<ReshardStep> steps;
};
} // namespace

static Atoms joinedList(ArrayRef<unsigned> first, ArrayRef<unsigned> second) {
  Atoms list(first);
  llvm::append_range(list, second);
  return list;
}

bool Planner::nests(unsigned dim, ArrayRef<unsigned> outer,
                    ArrayRef<unsigned> inner) const {
  int64_t size = whole.getDimSize(dim);
  if (axes.size(outer) == 1)
    return true;
  return axes.blockSize(size, outer) * axes.size(outer) ==
         axes.blockSize(size, inner) * axes.size(inner);
}

Atoms Planner::kept(unsigned dim) const {
  const Atoms &own = now.dims[dim], &wanted = to.dims[dim];
  Atoms common;
  for (auto [lhs, rhs] : llvm::zip(own, wanted)) {
    if (lhs != rhs)
      break;
    common.push_back(lhs);
  }
  if (own == wanted)
    return common;
  while (!common.empty() &&
         !(nests(dim, common, own) && nests(dim, common, wanted)))
    common.pop_back();
  return common;
}

Atoms Planner::leaving(unsigned dim) const {
  return Atoms(ArrayRef<unsigned>(now.dims[dim]).drop_front(kept(dim).size()));
}

Atoms Planner::entering(unsigned dim) const {
  return Atoms(ArrayRef<unsigned>(to.dims[dim]).drop_front(kept(dim).size()));
}

double Planner::blockBytes() const {
  return double(bytesOf(axes.blockType(whole, now)));
}

void Planner::take(ReshardStep::Kind kind, Layout next, Atoms met,
                   double sent) {
  now = next;
  steps.push_back({kind, std::move(next), std::move(met), sent});
}

// Each device cuts its own block along axes that are in no use.
bool Planner::cut() {
  Layout next = now;
  Atoms met;
  for (unsigned dim = 0; dim < now.dims.size(); ++dim) {
    if (!leaving(dim).empty())
      continue;
    for (unsigned atom : entering(dim)) {
      if (next.uses(atom))
        break;
      next.dims[dim].push_back(atom);
      met.push_back(atom);
    }
    // Half of what enters may not nest with the rest of it.
    if (next.dims[dim] != now.dims[dim] && next.dims[dim] != to.dims[dim] &&
        !nests(dim, next.dims[dim], to.dims[dim]))
      next.dims[dim] = now.dims[dim];
  }
  if (next == now)
    return false;
  take(ReshardStep::Slice, next, met, 0);
  return true;
}

bool Planner::scatterTerms() {
  for (unsigned dim = 0; dim < now.dims.size(); ++dim) {
    if (!leaving(dim).empty())
      continue;
    Atoms run;
    for (unsigned atom : entering(dim)) {
      if (!llvm::is_contained(now.partial, atom) ||
          llvm::is_contained(to.partial, atom))
        break;
      run.push_back(atom);
    }
    if (run.empty())
      continue;
    Layout next = now;
    llvm::append_range(next.dims[dim], run);
    if (next.dims[dim] != to.dims[dim] &&
        !nests(dim, next.dims[dim], to.dims[dim]))
      continue;
    llvm::erase_if(next.partial, [&](unsigned atom) {
      return llvm::is_contained(run, atom);
    });
    double parts = double(axes.size(run));
    take(ReshardStep::ReduceScatter, next, run,
         blockBytes() * (parts - 1) / parts);
    return true;
  }
  return false;
}

bool Planner::joinTerms() {
  Atoms joined;
  for (unsigned atom : now.partial)
    if (!llvm::is_contained(to.partial, atom))
      joined.push_back(atom);
  if (joined.empty())
    return false;
  Layout next = now;
  next.partial = to.partial;
  double devices = double(axes.size(joined));
  take(ReshardStep::AllReduce, next, joined,
       2 * blockBytes() * (devices - 1) / devices);
  return true;
}

// All dimensions keep their number of blocks, which go to other devices.
bool Planner::permute() {
  bool changes = false;
  Atoms met;
  for (unsigned dim = 0; dim < now.dims.size(); ++dim) {
    if (axes.size(now.dims[dim]) != axes.size(to.dims[dim]))
      return false;
    changes |= now.dims[dim] != to.dims[dim];
    if (now.dims[dim] != to.dims[dim])
      for (unsigned atom : joinedList(now.dims[dim], to.dims[dim]))
        if (!llvm::is_contained(met, atom))
          met.push_back(atom);
  }
  if (!changes)
    return false;
  Layout next = to;
  next.partial = now.partial;
  next.fold = now.fold;
  take(ReshardStep::Permute, next, met, blockBytes());
  return true;
}

// One exchange of all axes that go from the end of a dimension to another one.
bool Planner::exchange() {
  // Axes that may move, shrunk until those of each dimension are its last ones
  // and reach their new dimensions in order.
  Atoms movable;
  for (unsigned dim = 0; dim < now.dims.size(); ++dim)
    for (unsigned atom : leaving(dim))
      movable.push_back(atom);
  SmallVector<Atoms> arriving(now.dims.size());
  while (true) {
    Atoms before = movable;
    Atoms reached;
    for (unsigned dim = 0; dim < now.dims.size(); ++dim) {
      arriving[dim].clear();
      if (!leaving(dim).empty())
        continue;
      for (unsigned atom : entering(dim)) {
        if (!llvm::is_contained(movable, atom))
          break;
        arriving[dim].push_back(atom);
      }
      Atoms next = joinedList(now.dims[dim], arriving[dim]);
      if (next != to.dims[dim] && !nests(dim, next, to.dims[dim]))
        arriving[dim].clear();
      llvm::append_range(reached, arriving[dim]);
    }
    Atoms last;
    for (unsigned dim = 0; dim < now.dims.size(); ++dim)
      for (unsigned atom : llvm::reverse(leaving(dim))) {
        if (!llvm::is_contained(reached, atom))
          break;
        last.push_back(atom);
      }
    movable = last;
    if (movable.size() == before.size())
      break;
  }
  if (movable.empty())
    return false;
  Layout next = now;
  for (unsigned dim = 0; dim < now.dims.size(); ++dim) {
    llvm::erase_if(next.dims[dim], [&](unsigned atom) {
      return llvm::is_contained(movable, atom);
    });
    // What stays must be runs of the blocks that leave.
    if (next.dims[dim] != now.dims[dim] && arriving[dim].empty() &&
        !nests(dim, next.dims[dim], now.dims[dim]))
      return false;
    llvm::append_range(next.dims[dim], arriving[dim]);
  }
  double devices = double(axes.size(movable));
  take(ReshardStep::AllToAll, next, axes.inMeshOrder(movable),
       blockBytes() * (devices - 1) / devices);
  return true;
}

// All axes that leave, of all dimensions, in one collective.
bool Planner::gather() {
  Layout next = now;
  Atoms met;
  for (unsigned dim = 0; dim < now.dims.size(); ++dim) {
    llvm::append_range(met, leaving(dim));
    next.dims[dim] = kept(dim);
  }
  if (met.empty())
    return false;
  take(ReshardStep::AllGather, next, axes.inMeshOrder(met),
       blockBytes() * double(axes.size(met) - 1));
  return true;
}

std::vector<ReshardStep> Planner::run() {
  while (now != to)
    if (!cut() && !scatterTerms() && !joinTerms() && !permute() &&
        !exchange() && !gather())
      break;
  return std::move(steps);
}

std::vector<ReshardStep> zenith::sharding::planReshard(RankedTensorType whole,
                                                       const Layout &from,
                                                       const Layout &to,
                                                       const DeviceAxes &axes) {
  Layout target = to;
  target.fold = from.fold;
  return Planner(whole, from, target, axes).run();
}

double zenith::sharding::sentBytes(ArrayRef<ReshardStep> steps) {
  double sent = 0;
  for (const ReshardStep &step : steps)
    sent += step.sent;
  return sent;
}
