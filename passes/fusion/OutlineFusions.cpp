// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones the members of each group and the metadata ops that they read into a
// region, writes composites out there, and removes the originals.

#include "passes/fusion/OutlineFusions.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/fusion/EraseDeadOps.h"
#include <functional>
#include <queue>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

namespace {

class Outliner {
public:
  explicit Outliner(FusionGraph &graph) : graph(graph) {}
  void outline(Group *group);
  const IRMapping &replacements() const { return global; }

private:
  /// The value inside the region: of a member, of a metadata op's clone, or an
  /// argument.
  Value resolve(Value value);
  bool hasOtherReaders(Value value, Group *group) const;

  FusionGraph &graph;
  IRMapping global; ///< results of groups made so far
  IRMapping local;
  Block *body = nullptr;
  SmallVector<Value> inputs;
};

} // namespace

bool Outliner::hasOtherReaders(Value value, Group *group) const {
  return llvm::any_of(graph.reads(value), [&](const Read &read) {
    // A dimension that an op of the region reads needs no memory.
    bool sizesOutside = read.asSize && !isa<DimOp>(read.path.front());
    return sizesOutside || !graph.isWork(read.reader) ||
           graph.group(read.reader) != group;
  });
}

Value Outliner::resolve(Value value) {
  if (Value known = local.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (op && !graph.isWork(op) && graph.role(op) == Role::Metadata) {
    for (Value operand : op->getOperands())
      resolve(operand);
    body->push_back(op->clone(local));
    local.map(value, body->back().getResult(0));
    return body->back().getResult(0);
  }
  inputs.push_back(global.lookupOrDefault(value));
  Value argument = body->addArgument(value.getType(), value.getLoc());
  local.map(value, argument);
  return argument;
}

/// Part of the outlining, not a pass: no kernel is made for a region with
/// composites.
static void writeCompositesOut(FusionOp fusion) {
  for (Operation &op : llvm::make_early_inc_range(fusion.getBody().front())) {
    if (isa<AttentionOp>(op))
      continue;
    OpBuilder builder(&op);
    if (Value formula = buildFormula(builder, &op)) {
      op.getResult(0).replaceAllUsesWith(formula);
      op.erase();
    }
  }
}

void Outliner::outline(Group *group) {
  auto owned = std::make_unique<Block>();
  body = owned.get();
  local.clear();
  inputs.clear();
  SmallVector<Value> outer, yielded;
  SmallVector<Type> types;
  for (Operation *member : group->members) {
    for (Value operand : FusionGraph::operandsOf(member))
      resolve(operand);
    body->push_back(member->clone(local));
    for (auto [value, inner] :
         llvm::zip(member->getResults(), body->back().getResults())) {
      local.map(value, inner);
      auto rule = dyn_cast<FusionRule>(member);
      if (!hasOtherReaders(value, group) && !(rule && rule.writesAllResults()))
        continue;
      outer.push_back(value);
      yielded.push_back(inner);
      types.push_back(value.getType());
    }
  }
  OpBuilder builder(group->members.back());
  auto fusion = builder.create<FusionOp>(group->anchor->getLoc(), types,
                                         group->kind, inputs);
  fusion.getBody().push_back(owned.release());
  builder.setInsertionPointToEnd(body);
  builder.create<YieldOp>(fusion.getLoc(), yielded);
  writeCompositesOut(fusion);
  if (group->kind == FusionKind::contraction ||
      group->kind == FusionKind::attention)
    moveEpilogueFirst(fusion);
  eraseDeadOps(*body);
  for (auto [value, result] : llvm::zip(outer, fusion.getResults()))
    global.map(value, result);
}

/// Orders the block so that operands are defined before their readers: of the
/// ops that can run, the one that stands first comes next. What a fusion makes
/// is thus read as soon as its readers stood before it, not after all else.
static void sortByOperands(Block &block) {
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> places;
  for (Operation &op : block.without_terminator()) {
    places[&op] = ops.size();
    ops.push_back(&op);
  }
  std::vector<SmallVector<unsigned, 2>> readers(ops.size());
  SmallVector<unsigned> pending(ops.size());
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (auto [place, op] : llvm::enumerate(ops)) {
    op->walk([&, place = unsigned(place)](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        auto found =
            places.find(maker ? block.findAncestorOpInBlock(*maker) : nullptr);
        if (found == places.end() || found->second == place)
          continue;
        readers[found->second].push_back(place);
        ++pending[place];
      }
    });
    if (pending[place] == 0)
      ready.push(unsigned(place));
  }
  while (!ready.empty()) {
    unsigned place = ready.top();
    ready.pop();
    ops[place]->moveBefore(block.getTerminator());
    for (unsigned reader : readers[place])
      if (--pending[reader] == 0)
        ready.push(reader);
  }
}

void outlineFusions(func::FuncOp function, FusionGraph &graph) {
  Block &block = function.getBody().front();
  Outliner outliner(graph);
  for (Group *group : graph.order())
    outliner.outline(group);
  for (Operation *op : graph.work())
    for (Value value : op->getResults())
      if (Value result = outliner.replacements().lookupOrNull(value))
        value.replaceAllUsesWith(result);
  eraseDeadOps(block);
  sortByOperands(block);
}

} // namespace zenith::fusion
