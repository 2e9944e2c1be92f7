// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place where a value dies at the kernel that replaces it, results straight
// into the caller's buffers, and the rest into the arena.

#include "lowering/memory/PlanBuffers.h"

#include "ir/interpreter/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace zenith::memory {

using graph::DimExpr;

DimExpr bytesOf(Value value, graph::DimAnalysis &dims) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return dims.elementCount(value) * DimExpr(int64_t(elementBytes(element)));
}

DerivedLayout layOutDerived(ModuleOp module) {
  DerivedLayout layout;
  auto prepare = module.lookupSymbol<func::FuncOp>(graph::prepareFunctionName);
  if (!prepare)
    return layout;
  for (Type type : prepare.getResultTypes()) {
    layout.offsets.push_back(layout.bytes);
    // One more line than needed: the next one then starts at another line of
    // its page.
    int64_t bytes = tensorBytes(cast<RankedTensorType>(type)).value_or(0);
    layout.bytes += (bytes + lineBytes - 1) / lineBytes * lineBytes + lineBytes;
  }
  return layout;
}

namespace {
class Planner {
public:
  Planner(func::FuncOp function, graph::DimAnalysis &dims,
          const kernels::KernelTarget &target, const DerivedLayout &derived)
      : function(function), dims(dims), target(target), derived(derived),
        lifetimes(function, dims),
        isPrepare(function.getName() == graph::prepareFunctionName) {}

  FailureOr<BufferPlan> run();

private:
  LogicalResult placeFixed(Operation &op);
  void shareInPlace(graph::FusionOp fusion);
  int dyingOperand(graph::FusionOp fusion, unsigned result,
                   const llvm::SmallBitVector &taken);
  void placeResults(func::ReturnOp ret);
  void findDonation(unsigned result, int group);
  void placeArena();
  bool isFixed(int group) const { return fixed.count(group); }

  func::FuncOp function;
  graph::DimAnalysis &dims;
  const kernels::KernelTarget &target;
  const DerivedLayout &derived;
  Lifetimes lifetimes;
  bool isPrepare;
  BufferPlan plan;
  llvm::DenseMap<int, Place> fixed; ///< groups outside the arena
  llvm::DenseSet<int> inArena;      ///< groups that a fusion defines
};
} // namespace

/// Index of the graph.param `name` among those of its module.
static unsigned paramIndex(ModuleOp module, StringRef name) {
  unsigned index = 0;
  for (graph::ParamOp param : module.getOps<graph::ParamOp>()) {
    if (param.getSymName() == name)
      return index;
    ++index;
  }
  return index;
}

LogicalResult Planner::placeFixed(Operation &op) {
  if (auto get = dyn_cast<graph::GetParamOp>(op)) {
    auto module = function->getParentOfType<ModuleOp>();
    Place place{Place::Param, 0, DimExpr(0)};
    if (auto made =
            module.lookupSymbol<graph::DerivedParamOp>(get.getParam())) {
      if (made.getIndex() >= derived.offsets.size())
        return op.emitOpError("reads derived parameter ")
               << made.getIndex() << " of a program that prepares "
               << derived.offsets.size();
      place = {Place::Derived, unsigned(made.getIndex()),
               DimExpr(derived.offsets[made.getIndex()])};
    } else {
      place.index = paramIndex(module, get.getParam());
    }
    fixed[lifetimes.groupOf(get.getResult())] = place;
    return success();
  }
  if (isa<graph::ConstantOp>(op)) {
    Value value = op.getResult(0);
    if (value.use_empty() || isHostScalar(value, dims))
      return success();
    fixed[lifetimes.groupOf(value)] = {
        Place::Constant, unsigned(plan.constants.size()), DimExpr(0)};
    plan.constants.push_back(&op);
    return success();
  }
  if (isa<graph::FusionOp, func::ReturnOp>(op) ||
      llvm::all_of(op.getResults(), [&](Value result) {
        return result.use_empty() || isHostScalar(result, dims);
      }))
    return success();
  return op.emitOpError("is not part of a fusion and has a value in memory");
}

/// The operand that dies at `fusion` and whose bytes `result` may overwrite; -1
/// where there is none.
int Planner::dyingOperand(graph::FusionOp fusion, unsigned result,
                          const llvm::SmallBitVector &taken) {
  unsigned step = lifetimes.stepOf(fusion);
  DimExpr bytes = bytesOf(fusion->getResult(result), dims);
  for (unsigned index = 0; index < fusion.getInputs().size(); ++index) {
    int group = lifetimes.groupOf(fusion.getInputs()[index]);
    if (taken[index] || group < 0 || isFixed(group) || !inArena.count(group) ||
        lifetimes.live(group).end != step)
      continue;
    // Another operand with the same bytes would read what this result
    // overwrites.
    unsigned readers = llvm::count_if(fusion.getInputs(), [&](Value input) {
      return lifetimes.groupOf(input) == group;
    });
    if (readers == 1 && bytesOf(fusion.getInputs()[index], dims) == bytes &&
        kernels::mayShareBytes(fusion, index, result))
      return index;
  }
  return -1;
}

void Planner::shareInPlace(graph::FusionOp fusion) {
  if (isReshapeOnly(fusion)) {
    for (OpResult result : fusion->getResults())
      if (writtenScalar(fusion, result.getResultNumber(), dims))
        inArena.insert(lifetimes.groupOf(result));
    return;
  }
  llvm::SmallBitVector taken(fusion.getInputs().size());
  for (OpResult result : fusion->getResults()) {
    int operand = dyingOperand(fusion, result.getResultNumber(), taken);
    if (operand >= 0) {
      taken.set(operand);
      lifetimes.join(lifetimes.groupOf(fusion.getInputs()[operand]), result);
    }
    inArena.insert(lifetimes.groupOf(result));
  }
}

/// A donated argument of the same size that is dead when the first value of
/// `group` is written.
void Planner::findDonation(unsigned result, int group) {
  Value first = lifetimes.values(group).front();
  auto fusion = first.getDefiningOp<graph::FusionOp>();
  unsigned step = lifetimes.live(group).begin;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (!fusion || !function.getArgAttr(index, donatedAttrName) ||
        llvm::any_of(
            plan.donations,
            [&](const Donation &made) { return made.argument == index; }) ||
        bytesOf(argument, dims) != bytesOf(first, dims))
      continue;
    int from = lifetimes.groupOf(argument);
    unsigned end = lifetimes.live(from).end;
    bool dead = end < step;
    if (end == step) {
      int operand = -1, readers = 0;
      for (auto [number, input] : llvm::enumerate(fusion.getInputs()))
        if (lifetimes.groupOf(input) == from)
          operand = number, ++readers;
      dead = readers == 1 &&
             kernels::mayShareBytes(fusion, operand,
                                    cast<OpResult>(first).getResultNumber());
    }
    if (dead) {
      plan.donations.push_back({result, index});
      return;
    }
  }
}

void Planner::placeResults(func::ReturnOp ret) {
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    unsigned result = index;
    Place place{Place::Result, result, DimExpr(0)};
    if (isPrepare)
      place = {Place::Derived, result, DimExpr(derived.offsets[result])};
    int group = lifetimes.groupOf(value);
    if (isHostScalar(value, dims)) {
      plan.copies.push_back({result, dims.scalar(value), Place(), DimExpr(8)});
      continue;
    }
    if (!isFixed(group)) {
      fixed[group] = place;
      if (!isPrepare)
        findDonation(result, group);
      continue;
    }
    plan.copies.push_back(
        {result, std::nullopt, fixed[group], bytesOf(value, dims)});
  }
}

void Planner::placeArena() {
  std::vector<BufferRequest> requests;
  std::vector<int> owners;
  for (int group : lifetimes.roots())
    if (inArena.count(group) && !isFixed(group)) {
      requests.push_back({bytesOf(lifetimes.values(group).front(), dims),
                          lifetimes.live(group)});
      owners.push_back(group);
    }
  plan.activationBytes = layOutArena(requests).bytes;
  std::vector<std::pair<Operation *, unsigned>> scratchOf;
  for (auto fusion : function.getOps<graph::FusionOp>()) {
    if (isReshapeOnly(fusion))
      continue;
    unsigned step = lifetimes.stepOf(fusion);
    for (DimExpr &bytes : kernels::scratchBytes(fusion, dims, target)) {
      scratchOf.push_back({fusion, plan.scratch[fusion].size()});
      plan.scratch[fusion].push_back({Place::Arena, 0, DimExpr(0)});
      requests.push_back({std::move(bytes), {step, step}});
    }
  }
  ArenaLayout layout = layOutArena(requests);
  plan.arenaBytes = layout.bytes;
  for (auto [group, offset] : llvm::zip(owners, layout.offsets))
    fixed[group] = {Place::Arena, 0, offset};
  for (auto [index, scratch] : llvm::enumerate(scratchOf))
    plan.scratch[scratch.first][scratch.second].offset =
        layout.offsets[owners.size() + index];
}

FailureOr<BufferPlan> Planner::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow, which has no lowering");
  for (BlockArgument argument : function.getArguments())
    fixed[lifetimes.groupOf(argument)] = {Place::Argument,
                                          argument.getArgNumber(), DimExpr(0)};
  for (Operation &op : function.getBody().front())
    if (failed(placeFixed(op)))
      return failure();
  for (auto fusion : function.getOps<graph::FusionOp>())
    shareInPlace(fusion);
  placeResults(
      cast<func::ReturnOp>(function.getBody().front().getTerminator()));
  placeArena();
  for (int group : lifetimes.roots())
    if (auto place = fixed.find(group); place != fixed.end())
      for (Value value : lifetimes.values(group))
        plan.places[value] = place->second;
  return std::move(plan);
}

FailureOr<BufferPlan> planBuffers(func::FuncOp function,
                                  graph::DimAnalysis &dims,
                                  const kernels::KernelTarget &target,
                                  const DerivedLayout &derived) {
  return Planner(function, dims, target, derived).run();
}

} // namespace zenith::memory
