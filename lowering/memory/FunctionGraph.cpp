// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads costs, scratch and in-place pairs from schedules, and clones fusions
// for orders in which steps come again.

#include "lowering/memory/FunctionGraph.h"

#include "ir/matchers/HostScalars.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/PlanBuffers.h"
#include "lowering/schedule/ContractionSpace.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith::memory {

using graph::DimExpr;

/// Bytes in whole lines, with dynamic dimensions at their typical sizes.
static int64_t typicalBytes(const DimExpr &bytes) {
  double known = std::min(kernels::estimate(bytes), 1e15);
  return (int64_t(std::max(known, 0.0)) + lineBytes - 1) / lineBytes *
         lineBytes;
}

/// What has its value without a step.
static bool isSource(Operation *op) {
  return isa<graph::ConstantOp, graph::GetParamOp, host::SharedOp>(op);
}

bool FunctionGraph::isAlias(Operation *op) const {
  if (isa<graph::BarrierOp>(op))
    return op->hasAttr(remat::offloadAttrName);
  auto fusion = dyn_cast<graph::FusionOp>(op);
  if (!fusion || !liveness::isReshapeOnly(fusion))
    return false;
  for (unsigned result = 0; result < fusion->getNumResults(); ++result)
    if (host.writtenBy(fusion, result))
      return false;
  return true;
}

/// The operand that result `index` of an op which only renames bytes is.
static Value aliased(Operation *op, unsigned index) {
  auto fusion = dyn_cast<graph::FusionOp>(op);
  return op->getOperand(fusion ? liveness::reshapedOperand(fusion, index)
                               : index);
}

/// The value whose bytes `value` is; `barriers` gets the steps that it comes
/// behind.
Value FunctionGraph::rootOf(Value value,
                            SmallVectorImpl<unsigned> *barriers) const {
  while (Operation *op = value.getDefiningOp()) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (isAlias(op)) {
      value = aliased(op, index);
    } else if (isa<graph::BarrierOp>(op) && !host.contains(value)) {
      if (barriers)
        barriers->push_back(steps.lookup(op));
      value = op->getOperand(index);
    } else {
      break;
    }
  }
  return value;
}

unsigned FunctionGraph::valueOf(Value root) {
  auto [found, isNew] = values.try_emplace(root, memory.values.size());
  if (isNew) {
    roots.push_back(root);
    // Values of data-dependent sizes lie in the pool, but count here as well.
    bool isInArena = root.getDefiningOp() && !host.contains(root) &&
                     !isReturned(root) && !isSource(root.getDefiningOp());
    memory.values.push_back(isInArena ? typicalBytes(bytesOf(root, dims)) : 0);
  }
  return found->second;
}

std::optional<unsigned> FunctionGraph::valueIndex(Value value) const {
  auto found = values.find(rootOf(value, nullptr));
  return found == values.end() ? std::nullopt
                               : std::optional<unsigned>(found->second);
}

std::vector<bool> FunctionGraph::mayLeave() const {
  std::vector<bool> may(roots.size());
  for (auto [index, root] : llvm::enumerate(roots)) {
    auto type = cast<RankedTensorType>(root.getType());
    may[index] = memory.values[index] > 0 && type.hasStaticShape() &&
                 steps.contains(root.getDefiningOp());
  }
  return may;
}

/// Of an op: what its kernel, or the functions that it calls, need.
int64_t FunctionGraph::scratchOf(Operation *op) {
  int64_t bytes = 0;
  if (auto fusion = dyn_cast<graph::FusionOp>(op)) {
    if (!liveness::isReshapeOnly(fusion))
      for (const DimExpr &part : fusion.getScheduleAttr().scratch(fusion, dims))
        bytes += typicalBytes(part);
    return bytes;
  }
  if (!isa<host::BranchOp, host::LoopOp>(op))
    return 0;
  if (std::optional<DimExpr> arena = nestedArenaBytes(op, symbols))
    bytes += typicalBytes(*arena);
  // The second buffer of a carried value is that of its first one where only
  // the loop reads it.
  if (auto loop = dyn_cast<host::LoopOp>(op))
    for (OpResult result : loop.getResults()) {
      unsigned index = result.getResultNumber();
      Value init = loop.getInits()[index];
      if (!host.contains(result) && !isAllocatedInside(op, index, symbols) &&
          !updatesInPlace(op, index, symbols) &&
          !(init.hasOneUse() && memory.values[valueOf(rootOf(init, nullptr))]))
        bytes += typicalBytes(bytesOf(result, dims));
    }
  return bytes;
}

void FunctionGraph::addShares(Operation *op, remat::MemoryStep &step) {
  SmallVector<std::pair<unsigned, unsigned>> pairs; // operand, result
  if (auto fusion = dyn_cast<graph::FusionOp>(op)) {
    if (!liveness::isReshapeOnly(fusion))
      for (const graph::SharedBytes &pair : fusion.getScheduleAttr().shares())
        pairs.push_back({pair.operand, pair.result});
  } else if (isa<host::LoopOp>(op)) {
    for (unsigned index = 0; index < op->getNumResults(); ++index)
      if (updatesInPlace(op, index, symbols) &&
          !isAllocatedInside(op, index, symbols))
        pairs.push_back({index, index});
  }
  // As PlanBuffers: results in order, each takes the first operand that fits.
  llvm::stable_sort(pairs, [](auto a, auto b) {
    return std::tie(a.second, a.first) < std::tie(b.second, b.first);
  });
  llvm::DenseSet<std::pair<unsigned, unsigned>> seen;
  for (auto [operand, result] : pairs) {
    Value root = rootOf(op->getOperand(operand), nullptr);
    unsigned read = valueOf(root), written = valueOf(op->getResult(result));
    bool isOnlyReader = llvm::count_if(op->getOperands(), [&](Value other) {
                          return rootOf(other, nullptr) == root;
                        }) == 1;
    if (isOnlyReader && memory.values[read] && memory.values[written] &&
        bytesOf(op->getOperand(operand), dims) ==
            bytesOf(op->getResult(result), dims) &&
        seen.insert({read, written}).second)
      step.shares.push_back({read, written});
  }
}

/// What sizes of arguments and constants give is known, and checked, before the
/// first step.
void FunctionGraph::noteScalarsOfData(Block &body) {
  for (Operation &op : body) {
    bool isOfData = true;
    if (isa<graph::ConstantOp>(op))
      isOfData = false;
    else if (isa<graph::DimOp>(op))
      isOfData = liveness::dependsOnData(dims.scalar(op.getResult(0)));
    else if (graph::isHostArithmetic(&op))
      isOfData = llvm::any_of(op.getOperands(), [&](Value operand) {
        return scalarsOfData.contains(operand);
      });
    for (Value result : op.getResults())
      if (isOfData && host.contains(result))
        scalarsOfData.insert(result);
  }
}

void FunctionGraph::addStep(Operation *op) {
  unsigned index = ops.size();
  remat::MemoryStep step;
  step.kind = op->getName().stripDialect().str();
  SmallVector<unsigned> after;
  llvm::SmallSetVector<unsigned, 8> reads;
  for (Value operand : op->getOperands())
    reads.insert(valueOf(rootOf(operand, &after)));
  step.reads.assign(reads.begin(), reads.end());
  for (Value result : op->getResults())
    if (rootOf(result, nullptr) == result)
      step.writes.push_back(valueOf(result));
  StepCost cost;
  auto fusion = dyn_cast<graph::FusionOp>(op);
  bool isMovable = fusion && isMemoryEffectFree(op);
  if (fusion) {
    step.kind = stringifyEnum(fusion.getKind()).str();
    graph::ScheduleCost estimate =
        fusion.getScheduleAttr().cost(fusion, dims, target);
    cost = {estimate.flops, estimate.microseconds};
  }
  step.cost = cost.microseconds;
  step.scratch = scratchOf(op);
  addShares(op, step);
  if (!isMovable) {
    step.repeatable = false;
    if (lastFixed)
      after.push_back(*lastFixed);
    lastFixed = index;
  } else if (lastCheck) {
    after.push_back(*lastCheck);
  }
  if (isa<graph::AssertOp>(op) &&
      llvm::any_of(op->getOperands(), [&](Value operand) {
        return scalarsOfData.contains(operand);
      }))
    lastCheck = index;
  llvm::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  step.after.assign(after.begin(), after.end());
  steps[op] = index;
  ops.push_back(op);
  costs.push_back(cost);
  memory.steps.push_back(std::move(step));
}

/// Whether `second` cannot come before `first`.
bool FunctionGraph::mustPrecede(unsigned first, unsigned second) const {
  llvm::DenseMap<unsigned, unsigned> writers;
  for (auto [index, step] : llvm::enumerate(memory.steps))
    for (unsigned value : step.writes)
      writers[value] = index;
  std::vector<bool> seen(memory.steps.size());
  SmallVector<unsigned> open{second};
  while (!open.empty()) {
    unsigned step = open.pop_back_val();
    if (step == first)
      return true;
    if (seen[step])
      continue;
    seen[step] = true;
    for (unsigned value : memory.steps[step].reads)
      if (auto writer = writers.find(value); writer != writers.end())
        open.push_back(writer->second);
    llvm::append_range(open, memory.steps[step].after);
  }
  return false;
}

/// An update of a donated argument that it reads, such as a step of an
/// optimiser, waits for the others that read it.
void FunctionGraph::keepDonations() {
  Block &body = function.getBody().front();
  llvm::DenseSet<Value> taken;
  for (Value result : body.getTerminator()->getOperands()) {
    auto found = steps.find(rootOf(result, nullptr).getDefiningOp());
    if (found == steps.end())
      continue;
    unsigned update = found->second;
    for (Value operand : ops[update]->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(rootOf(operand, nullptr));
      if (!argument || argument.getOwner() != &body ||
          !function.getArgAttr(argument.getArgNumber(), donatedAttrName) ||
          bytesOf(argument, dims) != bytesOf(result, dims) ||
          taken.contains(argument))
        continue;
      unsigned value = valueOf(argument);
      SmallVector<unsigned> readers;
      for (auto [index, step] : llvm::enumerate(memory.steps))
        if (index != update && llvm::is_contained(step.reads, value))
          readers.push_back(index);
      if (llvm::any_of(readers, [&](unsigned reader) {
            return mustPrecede(update, reader);
          }))
        continue;
      taken.insert(argument);
      std::vector<unsigned> &after = memory.steps[update].after;
      for (unsigned reader : readers)
        if (!llvm::is_contained(after, reader))
          after.push_back(reader);
      llvm::sort(after);
      break;
    }
  }
}

FunctionGraph::FunctionGraph(func::FuncOp function, graph::DimAnalysis &dims,
                             const target::TargetModel &target,
                             const SymbolTable &symbols)
    : function(function), dims(dims), target(target), symbols(symbols),
      host(function, dims) {
  memory.name = function.getSymName().str();
  Block &body = function.getBody().front();
  for (Value value : body.getTerminator()->getOperands())
    returned.insert(rootOf(value, nullptr));
  noteScalarsOfData(body);
  for (Operation &op : body.without_terminator())
    if (!isSource(&op) && !isAlias(&op))
      addStep(&op);
  keepDonations();
  llvm::SetVector<unsigned> keep;
  for (Value value : body.getTerminator()->getOperands())
    if (Value root = rootOf(value, nullptr);
        steps.contains(root.getDefiningOp()))
      keep.insert(valueOf(root));
  memory.keep.assign(keep.begin(), keep.end());
}

namespace {

/// The ops of a block in a new order.
class Reordering {
public:
  using IsAlias = llvm::function_ref<bool(Operation *)>;

  Reordering(Block &block, const liveness::HostValues &host, IsAlias isAlias)
      : block(block), host(host), isAlias(isAlias) {
    for (Operation &op : block)
      operands[&op].assign(op.operand_begin(), op.operand_end());
  }

  /// Ops that stay in front.
  void keep(Operation *op) { op->moveBefore(&block, block.end()); }
  /// Runs the step of `op` for the first time, or once more, and returns what
  /// does.
  Operation *run(Operation *op, unsigned step);
  void finish(Operation *terminator);

private:
  Value current(Value value);
  SmallVector<Value> currentOperands(Operation *op) {
    SmallVector<Value> given;
    for (Value value : operands.lookup(op))
      given.push_back(current(value));
    return given;
  }

  Block &block;
  const liveness::HostValues &host;
  IsAlias isAlias;
  llvm::DenseMap<Operation *, SmallVector<Value, 4>> operands; ///< at first
  llvm::DenseSet<Operation *> placed;
  llvm::DenseMap<Value, Value> latest; ///< results of steps that ran again
  /// Copies of aliases, by the bytes that they rename.
  llvm::DenseMap<std::pair<Operation *, Value>, Operation *> renamed;
};

} // namespace

/// What the latest run made of a value of the original order.
Value Reordering::current(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (isa<graph::BarrierOp>(op) && !isAlias(op) && !host.contains(value)) {
    Value bytes = current(operands.lookup(op)[index]);
    return bytes == op->getOperand(index) ? value : bytes;
  }
  if (isAlias(op)) {
    SmallVector<Value> given = currentOperands(op);
    Operation *&copy = renamed[{op, given.front()}];
    if (!copy) {
      bool isFirst = placed.insert(op).second;
      copy = isFirst ? op : op->clone();
      if (isFirst)
        op->moveBefore(&block, block.end());
      else
        block.push_back(copy);
      copy->setOperands(given);
    }
    return copy->getResult(index);
  }
  Value found = latest.lookup(value);
  return found ? found : value;
}

Operation *Reordering::run(Operation *op, unsigned step) {
  // Bytes may be renamed right before.
  SmallVector<Value> given = currentOperands(op);
  if (placed.insert(op).second) {
    op->moveBefore(&block, block.end());
    op->setOperands(given);
    return op;
  }
  Operation *copy = op->clone();
  block.push_back(copy);
  copy->setOperands(given);
  copy->setAttr(
      recomputesAttrName,
      FlatSymbolRefAttr::get(op->getContext(), "step" + std::to_string(step)));
  for (auto [result, again] : llvm::zip(op->getResults(), copy->getResults()))
    latest[result] = again;
  return copy;
}

void Reordering::finish(Operation *terminator) {
  SmallVector<Value> given = currentOperands(terminator);
  terminator->moveBefore(&block, block.end());
  terminator->setOperands(given);
}

void FunctionGraph::replaceFrom(Value from, Value to, Operation *first) {
  llvm::SmallSetVector<Operation *, 8> users(from.user_begin(),
                                             from.user_end());
  users.remove(to.getDefiningOp());
  for (Operation *user : users) {
    if (!isAlias(user)) {
      if (!user->isBeforeInBlock(first))
        user->replaceUsesOfWith(from, to);
      else if (isa<graph::BarrierOp>(user))
        for (auto [operand, result] :
             llvm::zip(user->getOperands(), user->getResults()))
          if (operand == from)
            replaceFrom(result, to, first);
    } else if (isa<graph::BarrierOp>(user)) {
      replaceFrom(user->getResult(0), to, first);
    } else {
      Operation *copy = OpBuilder(first).clone(*user);
      copy->replaceUsesOfWith(from, to);
      for (auto [result, again] :
           llvm::zip(user->getResults(), copy->getResults()))
        replaceFrom(result, again, first);
      if (copy->use_empty())
        copy->erase();
    }
    if (isAlias(user) && user->use_empty())
      user->erase();
  }
}

void FunctionGraph::apply(ArrayRef<unsigned> order,
                          ArrayRef<remat::ReadGap> gaps) {
  Block &block = function.getBody().front();
  SmallVector<Operation *> all, aliases, runs;
  for (Operation &op : block)
    all.push_back(&op);
  auto renames = [&](Operation *op) { return isAlias(op); };
  Reordering reordering(block, host, renames);
  for (Operation *op : all) {
    if (isSource(op))
      reordering.keep(op);
    else if (!steps.contains(op) && op != all.back())
      aliases.push_back(op);
  }
  for (unsigned step : order)
    runs.push_back(reordering.run(ops[step], step));
  reordering.finish(all.back());
  // What nothing reads any more.
  for (Operation *op : llvm::reverse(aliases))
    if (op->use_empty())
      op->erase();
  for (const remat::ReadGap &gap : gaps) {
    unsigned index = cast<OpResult>(roots[gap.value]).getResultNumber();
    Value value = runs[gap.made]->getResult(index);
    Operation *next = runs[gap.next];
    OpBuilder builder(next);
    auto barrier = builder.create<graph::BarrierOp>(next->getLoc(),
                                                    value.getType(), value);
    barrier->setAttr(remat::offloadAttrName, builder.getUnitAttr());
    replaceFrom(value, barrier->getResult(0), next);
  }
}

} // namespace zenith::memory
