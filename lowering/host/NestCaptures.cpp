// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over a nest, which knows the regions around the op that it visits.

#include "lowering/host/NestCaptures.h"

#include "ir/GraphOps.h"
#include "ir/liveness/Liveness.h"
#include "ir/matchers/HostScalars.h"
#include "ir/matchers/ParameterDependence.h"
#include "lowering/host/HostDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace zenith {

/// Through so many regions values are passed as arguments: few programs nest
/// deeper, and memory of arguments may be reused.
constexpr unsigned mostPassed = 4;

static bool isControl(Operation *op) {
  return isa<graph::IfOp, graph::CaseOp, graph::WhileOp>(op);
}

NestCaptures::NestCaptures(func::FuncOp function, int64_t &nextNumber)
    : nextNumber(nextNumber) {
  visit(function, function.getBody());
}

void NestCaptures::replace(Operation *op, ValueRange results) {
  for (auto [before, after] : llvm::zip(op->getResults(), results))
    replaced[before] = after;
  op->replaceAllUsesWith(results);
  op->erase();
}

void NestCaptures::visit(Operation *control, Region &region) {
  Block &block = region.front();
  unsigned depth = path.size();
  path.push_back({control, &region, &block.front()});
  for (BlockArgument argument : block.getArguments())
    depths[argument] = depth;
  for (Operation &op : block) {
    for (Region &inner : op.getRegions())
      if (isControl(&op))
        visit(&op, inner);
      else
        inner.walk([&](Operation *user) { readOperands(user); });
    readOperands(&op);
    for (Value result : op.getResults())
      depths[result] = depth;
  }
  path.pop_back();
}

void NestCaptures::readOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto found = depths.find(operand.get());
    if (found != depths.end() && found->second + 1 < path.size())
      operand.set(valueHere(operand.get(), found->second));
  }
}

/// What the innermost region reads for `value`, which is defined in the region
/// of that depth.
Value NestCaptures::valueHere(Value value, unsigned depth) {
  if (Value known = path.back().local.lookup(value))
    return known;
  Value here = value;
  if (isWorthCopying(value))
    here = copyHere(value);
  else if (path.size() - 1 - depth > mostPassed && hasNamedSizes(value))
    here = shareHere(value, depth);
  else
    capture(value, depth);
  return path.back().local[value] = here;
}

Value NestCaptures::copyHere(Value value) {
  Operation *op = value.getDefiningOp();
  IRMapping here;
  op->walk([&](Operation *user) {
    for (Value operand : user->getOperands())
      if (auto found = depths.find(operand); found != depths.end())
        here.map(operand, valueHere(operand, found->second));
  });
  Operation *copy = OpBuilder(path.back().first).clone(*op, here);
  Value result = copy->getResult(cast<OpResult>(value).getResultNumber());
  depths[result] = path.size() - 1;
  return result;
}

Value NestCaptures::shareHere(Value value, unsigned depth) {
  auto [number, isNew] = numbers.try_emplace(value, nextNumber);
  nextNumber += isNew;
  shared[path[depth + 1].control].insert(value);
  OpBuilder builder(path.back().first);
  SmallVector<Attribute> sizes;
  for (const graph::DimExpr &size : dims.dimsOf(value))
    sizes.push_back(graph::DimAttr::get(builder.getContext(), size));
  Value result = builder.create<host::SharedOp>(value.getLoc(), value.getType(),
                                                number->second,
                                                builder.getArrayAttr(sizes));
  depths[result] = path.size() - 1;
  return result;
}

void NestCaptures::capture(Value value, unsigned depth) {
  for (unsigned level = depth + 1; level < path.size(); ++level) {
    RegionCaptures &needed = captures[path[level].region];
    needed.values.insert(value);
    needed.reach = std::max<unsigned>(needed.reach, path.size() - 1 - level);
  }
}

/// Sizes, constants, parameters and values that depend on these alone. The
/// function can optimise a copy, but not an argument, and the layout phase
/// moves what depends on parameters from there into @prepare.
bool NestCaptures::isWorthCopying(Value value) {
  if (auto found = worthCopying.find(value); found != worthCopying.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool worth =
      op &&
      (isa<graph::ConstantOp, graph::GetParamOp, graph::DimOp>(op) ||
       (graph::isHostArithmetic(op) &&
        llvm::all_of(op->getOperands(),
                     [&](Value operand) { return isWorthCopying(operand); })) ||
       (op->getNumResults() == 1 && graph::isParameter(value)));
  return worthCopying[value] = worth;
}

/// Whether all functions know the names of its sizes. Sizes from data have
/// names of their own in each.
bool NestCaptures::hasNamedSizes(Value value) {
  return cast<RankedTensorType>(value.getType()).hasStaticShape() ||
         llvm::none_of(dims.dimsOf(value), liveness::dependsOnData);
}

} // namespace zenith
