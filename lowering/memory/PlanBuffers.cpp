// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value whose last reader is the kernel that replaces it is updated in place
// (its buffers alias), results are written into the caller's buffers, and the
// rest lies in the arena.

#include "lowering/memory/PlanBuffers.h"

#include "ir/tensor/Tensor.h"
#include "lowering/host/HostDialect.h"
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
    // One cache line more than needed: the next parameter then starts at
    // another line of its page.
    int64_t bytes = tensorBytes(cast<RankedTensorType>(type)).value_or(0);
    layout.bytes += (bytes + lineBytes - 1) / lineBytes * lineBytes + lineBytes;
  }
  return layout;
}

ModuleContext::ModuleContext(ModuleOp module)
    : derived(layOutDerived(module)), symbols(module) {
  for (graph::ParamOp param : module.getOps<graph::ParamOp>())
    paramIndices.try_emplace(param, paramIndices.size());
}

bool mayShareBytes(graph::FusionOp fusion, unsigned operand, unsigned result) {
  return llvm::any_of(fusion.getScheduleAttr().shares(),
                      [&](const graph::SharedBytes &pair) {
                        return pair.result == result && pair.operand == operand;
                      });
}

namespace {
class Planner {
public:
  Planner(func::FuncOp function, graph::DimAnalysis &dims,
          const target::TargetModel &target, const ModuleContext &context)
      : function(function), dims(dims), target(target), context(context),
        host(function, dims), lifetimes(function, host),
        isPrepare(function.getName() == graph::prepareFunctionName),
        isNested(function->hasAttr(host::nestedAttrName)) {}

  FailureOr<BufferPlan> run();

private:
  LogicalResult assignFixed(Operation &op);
  void shareInPlace(graph::FusionOp fusion);
  void shareCarried(host::LoopOp loop);
  bool isFreeAt(int group, Operation *op) const;
  int dyingOperand(graph::FusionOp fusion, unsigned result,
                   const llvm::SmallBitVector &used);
  bool isAllocatedLate(int group);
  void assignResults(func::ReturnOp ret);
  void findDonation(unsigned result, int group);
  bool diesInto(BlockArgument argument, Value first);
  void assignGroups();
  void requestScratch(Operation &op);
  void request(Operation *op, DimExpr bytes, bool nestedArena);
  void requestSecond(host::LoopOp loop, unsigned index);
  void layOut();
  BufferLocation newSlot(unsigned lastStep);
  bool isFixed(int group) const { return fixed.count(group); }

  func::FuncOp function;
  graph::DimAnalysis &dims;
  const target::TargetModel &target;
  const ModuleContext &context;
  liveness::HostValues host;
  liveness::Liveness lifetimes;
  bool isPrepare, isNested;
  BufferPlan plan;
  unsigned slots = 0;
  llvm::DenseMap<int, BufferLocation> fixed; ///< groups outside the arena
  llvm::DenseSet<int> inArena;               ///< groups that an op defines
  /// What lies in the arena, and which location its offset goes to.
  std::vector<BufferRequest> requests;
  struct Owner {
    int group = -1;          ///< a group, else
    Operation *op = nullptr; ///< the op whose
    int scratch = -1;        ///< scratch, or nested arena, it is
  };
  std::vector<Owner> owners;
  /// Scratch of loops that lies in the memory of a group.
  std::vector<Owner> seconds;
  /// Donated arguments by their bytes, those of one size in order.
  std::map<DimExpr, SmallVector<unsigned>> donated;
};
} // namespace

LogicalResult Planner::assignFixed(Operation &op) {
  if (auto get = dyn_cast<graph::GetParamOp>(op)) {
    Operation *param = context.symbols.lookup(get.getParam());
    BufferLocation location{BufferLocation::Param,
                            context.paramIndices.lookup(param), DimExpr(0)};
    if (auto made = dyn_cast_or_null<graph::DerivedParamOp>(param)) {
      ArrayRef<int64_t> offsets = context.derived.offsets;
      if (made.getIndex() >= offsets.size())
        return op.emitOpError("reads derived parameter ")
               << made.getIndex() << " of a program that prepares "
               << offsets.size();
      location = {BufferLocation::Derived, unsigned(made.getIndex()),
                  DimExpr(offsets[made.getIndex()])};
    }
    fixed[lifetimes.groupOf(get.getResult())] = location;
    return success();
  }
  if (isa<graph::ConstantOp>(op)) {
    Value value = op.getResult(0);
    if (value.use_empty() || host.contains(value))
      return success();
    fixed[lifetimes.groupOf(value)] = {
        BufferLocation::Constant, unsigned(plan.constants.size()), DimExpr(0)};
    plan.constants.push_back(&op);
    return success();
  }
  if (auto read = dyn_cast<host::SharedOp>(op)) {
    if (!host.contains(read.getResult()))
      fixed[lifetimes.groupOf(read.getResult())] = {
          BufferLocation::Shared, unsigned(read.getNumber()), DimExpr(0)};
    return success();
  }
  if (auto place = dyn_cast<graph::PlaceOp>(op)) {
    auto offset = op.getAttrOfType<IntegerAttr>(host::fileOffsetAttrName);
    if (place.getPlace() == graph::MemoryPlace::device) {
      inArena.insert(lifetimes.groupOf(place.getResult()));
      return success();
    }
    if (!offset)
      return op.emitOpError("has no place in a file");
    fixed[lifetimes.groupOf(place.getResult())] = {BufferLocation::File, 0,
                                                   DimExpr(offset.getInt())};
    return success();
  }
  if (auto load = dyn_cast<host::LoadRowOp>(op))
    inArena.insert(lifetimes.groupOf(load.getRow()));
  if (isa<graph::FusionOp, func::ReturnOp, graph::BarrierOp, host::BranchOp,
          host::LoopOp, host::LoadRowOp>(op) ||
      llvm::all_of(op.getResults(), [&](Value result) {
        return result.use_empty() || host.contains(result);
      }))
    return success();
  return op.emitOpError("is not part of a fusion and has a value in memory");
}

/// True where `op` is the last and only reader of a group that may be
/// overwritten.
bool Planner::isFreeAt(int group, Operation *op) const {
  return group >= 0 && !isFixed(group) && inArena.count(group) &&
         lifetimes.live(group).end == lifetimes.stepOf(op) &&
         llvm::count_if(op->getOperands(), [&](Value input) {
           return lifetimes.groupOf(input) == group;
         }) == 1;
}

/// The operand that dies at `fusion` and whose bytes `result` may overwrite; -1
/// where there is none.
int Planner::dyingOperand(graph::FusionOp fusion, unsigned result,
                          const llvm::SmallBitVector &used) {
  DimExpr bytes = bytesOf(fusion->getResult(result), dims);
  for (unsigned index = 0; index < fusion.getInputs().size(); ++index)
    if (!used[index] &&
        isFreeAt(lifetimes.groupOf(fusion.getInputs()[index]), fusion) &&
        bytesOf(fusion.getInputs()[index], dims) == bytes &&
        mayShareBytes(fusion, index, result))
      return index;
  return -1;
}

void Planner::shareInPlace(graph::FusionOp fusion) {
  if (liveness::isReshapeOnly(fusion)) {
    for (OpResult result : fusion->getResults())
      if (host.writtenBy(fusion, result.getResultNumber()))
        inArena.insert(lifetimes.groupOf(result));
    return;
  }
  llvm::SmallBitVector used(fusion.getInputs().size());
  for (OpResult result : fusion->getResults()) {
    int operand = dyingOperand(fusion, result.getResultNumber(), used);
    if (operand >= 0) {
      used.set(operand);
      lifetimes.join(lifetimes.groupOf(fusion.getInputs()[operand]), result);
    }
    inArena.insert(lifetimes.groupOf(result));
  }
}

static func::FuncOp calleeOf(Operation *control, const SymbolTable &symbols) {
  auto loop = dyn_cast<host::LoopOp>(control);
  auto name = loop ? loop.getBodyAttr()
                   : cast<FlatSymbolRefAttr>(
                         cast<host::BranchOp>(control).getBranches()[0]);
  return symbols.lookup<func::FuncOp>(name.getValue());
}

bool updatesInPlace(Operation *loop, unsigned result,
                    const SymbolTable &symbols) {
  auto body = calleeOf(loop, symbols);
  auto list =
      body ? body->getAttrOfType<DenseI64ArrayAttr>(host::inPlaceAttrName)
           : DenseI64ArrayAttr();
  return list && llvm::is_contained(list.asArrayRef(), int64_t(result));
}

bool isAllocatedResult(func::FuncOp function, unsigned result,
                       graph::DimAnalysis &dims) {
  if (function->hasAttr(host::nestedAttrName))
    return bool(function.getResultAttr(result, host::allocatedAttrName));
  Value value = function.getBody().front().getTerminator()->getOperand(result);
  return function.getName() != graph::prepareFunctionName &&
         liveness::dependsOnData(bytesOf(value, dims));
}

bool isAllocatedInside(Operation *control, unsigned result,
                       const SymbolTable &symbols) {
  func::FuncOp callee = calleeOf(control, symbols);
  return callee && callee.getResultAttr(result, host::allocatedAttrName);
}

/// A loop-carried value that is updated in place starts in the memory of its
/// initial value, unless another op needs that value.
void Planner::shareCarried(host::LoopOp loop) {
  for (OpResult result : loop.getResults()) {
    unsigned index = result.getResultNumber();
    if (host.contains(result) ||
        isAllocatedInside(loop, index, context.symbols) ||
        !updatesInPlace(loop, index, context.symbols))
      continue;
    int group = lifetimes.groupOf(loop.getInits()[index]);
    if (isFreeAt(group, loop) &&
        bytesOf(loop.getInits()[index], dims) == bytesOf(result, dims))
      lifetimes.join(group, result);
  }
}

/// True where the memory of an argument may become that of `first`, whose op is
/// the argument's last reader or comes later.
bool Planner::diesInto(BlockArgument argument, Value first) {
  int from = lifetimes.groupOf(argument);
  Operation *op = first.getDefiningOp();
  unsigned end = lifetimes.live(from).end, step = lifetimes.stepOf(op);
  if (end != step)
    return end < step;
  int operand = -1, readers = 0;
  for (auto [index, input] : llvm::enumerate(op->getOperands()))
    if (lifetimes.groupOf(input) == from)
      operand = index, ++readers;
  unsigned result = cast<OpResult>(first).getResultNumber();
  if (readers != 1)
    return false;
  if (auto fusion = dyn_cast<graph::FusionOp>(op))
    return mayShareBytes(fusion, unsigned(operand), result);
  return isa<host::LoopOp>(op) && operand == int(result) &&
         updatesInPlace(op, result, context.symbols) &&
         !isAllocatedInside(op, result, context.symbols);
}

/// A donated argument of the same size that is dead when the first value of
/// `group` is written.
void Planner::findDonation(unsigned result, int group) {
  Value first = lifetimes.values(group).front();
  if (!isa_and_nonnull<graph::FusionOp, host::LoopOp>(first.getDefiningOp()))
    return;
  DimExpr bytes = bytesOf(first, dims);
  auto found = donated.find(bytes);
  if (found == donated.end() || (!isNested && liveness::dependsOnData(bytes)))
    return;
  // The caller of a nested function finds a result in the argument of the same
  // index.
  // One that the op itself reads is better left to no other result.
  auto isRead = [&](unsigned index) {
    int group = lifetimes.groupOf(function.getArgument(index));
    return llvm::any_of(
        first.getDefiningOp()->getOperands(),
        [&](Value operand) { return lifetimes.groupOf(operand) == group; });
  };
  auto fits = [&](unsigned index) {
    return (!isNested || index == result) &&
           diesInto(function.getArgument(index), first);
  };
  auto *argument = llvm::find_if(found->second, [&](unsigned index) {
    return isRead(index) && fits(index);
  });
  if (argument == found->second.end())
    argument = llvm::find_if(found->second, fits);
  if (argument == found->second.end())
    return;
  if (isNested) {
    fixed[group] = {BufferLocation::Argument, *argument, DimExpr(0)};
    plan.inPlace.push_back(result);
    return;
  }
  plan.donations.push_back({result, *argument});
  found->second.erase(argument);
}

/// True where a value's memory is allocated when only the run knows its size.
bool Planner::isAllocatedLate(int group) {
  auto first = cast<OpResult>(lifetimes.values(group).front());
  Operation *op = first.getOwner();
  return (isa<host::BranchOp, host::LoopOp>(op) &&
          isAllocatedInside(op, first.getResultNumber(), context.symbols)) ||
         liveness::dependsOnData(bytesOf(first, dims));
}

void Planner::assignResults(func::ReturnOp ret) {
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    unsigned result = index;
    BufferLocation location{BufferLocation::Result, result, DimExpr(0)};
    if (isPrepare)
      location = {BufferLocation::Derived, result,
                  DimExpr(context.derived.offsets[result])};
    if (host.contains(value)) {
      plan.copies.push_back(
          {result, dims.scalar(value), BufferLocation(), DimExpr(8)});
      continue;
    }
    int group = lifetimes.groupOf(value);
    // A size that contradicts the result's is found when it has been written.
    if (!isFixed(group) && isAllocatedLate(group) &&
        !isAllocatedResult(function, result, dims))
      fixed[group] = newSlot(lifetimes.live(group).end);
    if (!isFixed(group)) {
      fixed[group] = location;
      if (!isPrepare)
        findDonation(result, group);
      continue;
    }
    BufferLocation argument{BufferLocation::Argument, result, DimExpr(0)};
    if (isNested && fixed[group] == argument &&
        function.getArgAttr(result, donatedAttrName)) {
      plan.inPlace.push_back(result);
      continue;
    }
    plan.copies.push_back(
        {result, std::nullopt, fixed[group], bytesOf(value, dims)});
  }
}

BufferLocation Planner::newSlot(unsigned lastStep) {
  plan.deallocs[lifetimes.opOf(lastStep)].push_back(slots);
  return {BufferLocation::Slot, slots++, DimExpr(0)};
}

void Planner::assignGroups() {
  for (int group : lifetimes.roots()) {
    if (!inArena.count(group) || isFixed(group))
      continue;
    if (isAllocatedLate(group)) {
      fixed[group] = newSlot(lifetimes.live(group).end);
      continue;
    }
    Value first = lifetimes.values(group).front();
    requests.push_back({bytesOf(first, dims), lifetimes.live(group)});
    owners.push_back({group, nullptr, -1});
  }
}

/// Memory that an op needs while it runs.
void Planner::request(Operation *op, DimExpr bytes, bool nestedArena) {
  unsigned step = lifetimes.stepOf(op);
  BufferLocation location{BufferLocation::Arena, 0, DimExpr(0)};
  if (liveness::dependsOnData(bytes)) {
    location = newSlot(step);
  } else {
    owners.push_back({-1, op, nestedArena ? -1 : int(plan.scratch[op].size())});
    requests.push_back({std::move(bytes), {step, step}});
  }
  if (nestedArena)
    plan.nestedArenas[op] = location;
  else
    plan.scratch[op].push_back(location);
}

std::optional<DimExpr> nestedArenaBytes(Operation *control,
                                        const SymbolTable &symbols) {
  SmallVector<FlatSymbolRefAttr> callees;
  if (auto loop = dyn_cast<host::LoopOp>(control))
    callees = {loop.getConditionAttr(), loop.getBodyAttr()};
  else
    for (Attribute branch : cast<host::BranchOp>(control).getBranches())
      callees.push_back(cast<FlatSymbolRefAttr>(branch));
  DimExpr most(0);
  for (FlatSymbolRefAttr name : callees) {
    auto callee = symbols.lookup<func::FuncOp>(name.getValue());
    auto arena = callee->getAttrOfType<graph::DimAttr>(host::arenaAttrName);
    if (!arena)
      return std::nullopt;
    const DimExpr &bytes = arena.getExpr();
    bool known = true;
    bytes.forEachSymbol([&](const std::string &symbol) {
      known &= !StringRef(symbol).starts_with((name.getValue() + ".").str());
    });
    if (!known)
      return std::nullopt;
    most = most.provablyAtMost(bytes)   ? bytes
           : bytes.provablyAtMost(most) ? most
                                        : DimExpr::max(most, bytes);
  }
  return most;
}

/// The second buffer of a loop-carried value: that of its initial value, which
/// only the first step reads, or new memory.
void Planner::requestSecond(host::LoopOp loop, unsigned index) {
  DimExpr bytes = bytesOf(loop.getResult(index), dims);
  Value init = loop.getInits()[index];
  int group = lifetimes.groupOf(init);
  if (!isFreeAt(group, loop) || bytesOf(init, dims) != bytes)
    return request(loop, std::move(bytes), /*nestedArena=*/false);
  seconds.push_back({group, loop, int(plan.scratch[loop].size())});
  plan.scratch[loop].push_back(BufferLocation());
}

void Planner::requestScratch(Operation &op) {
  if (auto fusion = dyn_cast<graph::FusionOp>(op)) {
    if (!liveness::isReshapeOnly(fusion))
      for (DimExpr &bytes : fusion.getScheduleAttr().scratch(fusion, dims))
        request(&op, std::move(bytes), /*nestedArena=*/false);
    return;
  }
  if (!isa<host::BranchOp, host::LoopOp>(op))
    return;
  if (std::optional<DimExpr> bytes = nestedArenaBytes(&op, context.symbols);
      bytes && !bytes->isConstant(0))
    request(&op, std::move(*bytes), /*nestedArena=*/true);
  if (auto loop = dyn_cast<host::LoopOp>(op))
    for (OpResult result : loop.getResults())
      if (unsigned index = result.getResultNumber();
          !host.contains(result) &&
          !isAllocatedInside(loop, index, context.symbols) &&
          !updatesInPlace(loop, index, context.symbols))
        requestSecond(loop, index);
}

void Planner::layOut() {
  assignGroups();
  ArenaLayout layout = layOutArena(requests, target);
  plan.activationBytes = layout.bytes;
  size_t activations = requests.size();
  for (Operation &op : function.getBody().front())
    requestScratch(op);
  if (requests.size() != activations)
    layout = layOutArena(requests, target);
  plan.arenaBytes = layout.bytes;
  for (auto [owner, offset, request] :
       llvm::zip(owners, layout.offsets, requests)) {
    Value first = owner.op ? Value() : lifetimes.values(owner.group).front();
    plan.buffers.push_back({first, owner.op && owner.scratch < 0, request.bytes,
                            offset, request.live});
    if (!owner.op)
      fixed[owner.group] = {BufferLocation::Arena, 0, offset};
    else if (owner.scratch < 0)
      plan.nestedArenas[owner.op].offset = offset;
    else
      plan.scratch[owner.op][owner.scratch].offset = offset;
  }
  for (const Owner &owner : seconds)
    plan.scratch[owner.op][owner.scratch] = fixed[owner.group];
}

FailureOr<BufferPlan> Planner::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow, which has no lowering");
  for (auto fusion : function.getOps<graph::FusionOp>())
    if (!fusion.getScheduleAttr())
      return fusion.emitOpError(
          "has no schedule: the schedule phase has not run");
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (!liveness::isPassedByValue(argument))
      fixed[lifetimes.groupOf(argument)] = {BufferLocation::Argument, index,
                                            DimExpr(0)};
    if (function.getArgAttr(index, donatedAttrName))
      donated[bytesOf(argument, dims)].push_back(index);
  }
  for (Operation &op : function.getBody().front())
    if (failed(assignFixed(op)))
      return failure();
  for (Operation &op : function.getBody().front()) {
    if (auto fusion = dyn_cast<graph::FusionOp>(op))
      shareInPlace(fusion);
    if (auto loop = dyn_cast<host::LoopOp>(op))
      shareCarried(loop);
    if (isa<host::BranchOp, host::LoopOp>(op))
      for (Value result : op.getResults())
        if (!host.contains(result))
          inArena.insert(lifetimes.groupOf(result));
  }
  assignResults(
      cast<func::ReturnOp>(function.getBody().front().getTerminator()));
  layOut();
  for (int group : lifetimes.roots())
    if (auto found = fixed.find(group); found != fixed.end())
      for (Value value : lifetimes.values(group))
        plan.locations[value] = found->second;
  return std::move(plan);
}

FailureOr<BufferPlan> planBuffers(func::FuncOp function,
                                  graph::DimAnalysis &dims,
                                  const target::TargetModel &target,
                                  const ModuleContext &context) {
  return Planner(function, dims, target, context).run();
}

} // namespace zenith::memory
