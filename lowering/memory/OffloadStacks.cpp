// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows come from the kernels that stacked them, without the stack, and later
// kernels read them where they sliced the stack.

#include "lowering/memory/OffloadStacks.h"

#include "ir/LocationText.h"
#include "ir/matchers/HostScalars.h"
#include "ir/matchers/TypeOf.h"
#include "ir/remarks/Remark.h"
#include "ir/tensor/Tensor.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/memory/LoopEdits.h"
#include "lowering/memory/RowKernels.h"
#include <set>

using namespace mlir;

namespace zenith::memory {

using graph::FusionOp;
using graph::typeOf;

static int64_t bytesOf(Type type) {
  return tensorBytes(cast<RankedTensorType>(type)).value_or(0);
}

static RankedTensorType typeOfStack(const LoopStack &stack) {
  return typeOf(graph::DynamicUpdateSliceOp(stack.write).getResult());
}

/// Whether `value`, a scalar of the body of `reader`, follows from the number
/// of the trip and from what is around the loop.
static bool followsFromTrip(Value value, host::LoopOp reader,
                            unsigned counter) {
  if (!graph::isHostScalarType(value.getType()) ||
      !typeOf(value).getElementType().isSignlessInteger())
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() == counter ||
           argument.getArgNumber() >= reader.getInits().size();
  Operation *op = value.getDefiningOp();
  return isa<graph::ConstantOp>(op) ||
         (graph::isHostArithmetic(op) &&
          llvm::all_of(op->getOperands(), [&](Value operand) {
            return followsFromTrip(operand, reader, counter);
          }));
}

/// Whether the loops that read a stack know one trip ahead which rows, and
/// rows on the way take less memory than all.
static bool mayLeave(const LoopStack &stack, const LoopEdits &edits) {
  constexpr int64_t rowsOnTheWay = 3; // one is written, two are read
  if (typeOfStack(stack).getDimSize(0) <= rowsOnTheWay)
    return false;
  return llvm::all_of(stack.reads, [&](const StackRead &read) {
    host::LoopOp reader =
        edits.loopOf(FusionOp(read.fusion)->getParentOfType<func::FuncOp>());
    std::optional<LoopTrips> trips = tripsOf(reader, edits.symbols);
    return trips && followsFromTrip(read.index, reader, trips->counter);
  });
}

namespace {

/// A stack of the module: the body of the loop that makes it, and which of its
/// carried values it is.
struct ChosenStack {
  func::FuncOp body;
  unsigned index;
  int64_t bytes;
};

/// The stacks of one loop that go to the file.
class LoopOffload {
public:
  /// Stacks lie from `end` on, which is moved.
  LoopOffload(StackedLoop &stacked, LoopEdits &edits,
              const target::TargetModel &target, int64_t &end)
      : stacked(stacked), edits(edits), kernels(target), end(end) {}

  LogicalResult rewrite(const std::set<unsigned> &chosen);

private:
  LogicalResult store(const LoopStack &stack, int64_t offset);
  void load(const LoopStack &stack, int64_t offset);
  void load(func::FuncOp body, Value index, ArrayRef<StackRead> reads,
            RankedTensorType type, int64_t offset);

  StackedLoop &stacked;
  LoopEdits &edits;
  RowKernels kernels;
  int64_t &end;
  SmallVector<Value> rows; ///< that the body writes
};

} // namespace

static Value await(OpBuilder &builder, Value value) {
  auto barrier =
      builder.create<graph::BarrierOp>(value.getLoc(), value.getType(), value);
  barrier->setAttr(host::awaitsAttrName, builder.getUnitAttr());
  return barrier->getResult(0);
}

/// Writes the rows as soon as what they are made of is there.
LogicalResult LoopOffload::store(const LoopStack &stack, int64_t offset) {
  FusionOp update = stack.update;
  Block &body = stacked.body.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (Value input : update.getInputs())
    if (Operation *op = input.getDefiningOp();
        op && !op->isBeforeInBlock(&*builder.getInsertionPoint()))
      builder.setInsertionPointAfter(op);
  FailureOr<Value> row = kernels.rowOf(builder, update, IRMapping());
  if (failed(row))
    return failure();
  builder.create<host::StoreRowOp>(update.getLoc(), *row,
                                   body.getArgument(stacked.counter),
                                   typeOfStack(stack), offset);
  rows.push_back(*row);
  return success();
}

/// A copy of the scalar `value` and of what it follows from.
static Value copyOf(Value value, OpBuilder &builder, IRMapping &made) {
  Operation *op = value.getDefiningOp();
  if (made.contains(value) || !op)
    return made.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    copyOf(operand, builder, made);
  return builder.clone(*op, made)->getResult(0);
}

/// Starts to read row `index`, or the next one that there is, as slices stay
/// within the stack.
static Value startRow(OpBuilder &builder, Value index, RankedTensorType stack,
                      int64_t offset) {
  Location loc = index.getLoc();
  Type type = index.getType();
  index = builder.create<graph::MinOp>(
      loc, type, index,
      integerScalar(builder, loc, type, stack.getDimSize(0) - 1));
  index = builder.create<graph::MaxOp>(loc, type, index,
                                       integerScalar(builder, loc, type, 0));
  SmallVector<int64_t> shape(stack.getShape());
  shape.front() = 1;
  return builder.create<host::LoadRowOp>(
      loc, RankedTensorType::get(shape, stack.getElementType()), index, stack,
      offset);
}

/// Lets the loop of `body` carry the row of its trip, which `reads` read.
void LoopOffload::load(func::FuncOp body, Value index,
                       ArrayRef<StackRead> reads, RankedTensorType type,
                       int64_t offset) {
  host::LoopOp reader = edits.loopOf(body);
  Value counter = body.getArgument(tripsOf(reader, edits.symbols)->counter);
  unsigned count = reader.getInits().size();
  // Of the first trip before the loop, of the next one while a trip runs.
  OpBuilder before(reader),
      inside = OpBuilder::atBlockBegin(&body.getBody().front());
  IRMapping atFirst, atNext;
  atFirst.map(counter,
              integerScalar(before, reader.getLoc(), counter.getType(), 0));
  for (auto [number, value] : llvm::enumerate(reader.getBodyCaptures()))
    atFirst.map(body.getArgument(count + number), value);
  Value first = await(
      before, startRow(before, copyOf(index, before, atFirst), type, offset));
  atNext.map(counter,
             inside.create<graph::AddOp>(
                 reader.getLoc(), counter.getType(), counter,
                 integerScalar(inside, reader.getLoc(), counter.getType(), 1)));
  Value next = startRow(inside, copyOf(index, inside, atNext), type, offset);
  edits.carryMore(reader, first);
  Value row = body.getArgument(count);
  for (const StackRead &read : reads)
    readRow(read, row);
  Operation *end = body.getBody().front().getTerminator();
  OpBuilder last(end);
  end->insertOperands(count, await(last, next));
}

void LoopOffload::load(const LoopStack &stack, int64_t offset) {
  llvm::MapVector<std::pair<func::FuncOp, Value>, SmallVector<StackRead>>
      places;
  for (const StackRead &read : stack.reads)
    places[{FusionOp(read.fusion)->getParentOfType<func::FuncOp>(), read.index}]
        .push_back(read);
  for (auto &[place, reads] : places)
    load(place.first, place.second, reads, typeOfStack(stack), offset);
}

LogicalResult LoopOffload::rewrite(const std::set<unsigned> &chosen) {
  for (const LoopStack &stack : stacked.stacks) {
    if (!chosen.count(stack.index))
      continue;
    if (failed(store(stack, end)))
      return failure();
    load(stack, end);
    end += int64_t(
        llvm::alignTo(uint64_t(bytesOf(typeOfStack(stack))), lineBytes));
  }
  edits.dropStacks(stacked, [&](const LoopStack &stack) {
    return chosen.count(stack.index) > 0;
  });
  OpBuilder last(stacked.body.getBody().front().getTerminator());
  for (Value row : rows)
    await(last, row);
  return success();
}

/// Those that may leave, the largest first.
static std::vector<ChosenStack> choices(ModuleOp module) {
  std::vector<ChosenStack> all;
  (void)forEachStackedLoop(module, [&](StackedLoop &stacked, LoopEdits &edits) {
    for (const LoopStack &stack : stacked.stacks)
      if (mayLeave(stack, edits))
        all.push_back({stacked.body, stack.index, bytesOf(typeOfStack(stack))});
    return success();
  });
  llvm::stable_sort(all, [](const ChosenStack &x, const ChosenStack &y) {
    return x.bytes > y.bytes;
  });
  return all;
}

unsigned stacksToOffload(ModuleOp module) { return choices(module).size(); }

LogicalResult offloadStacks(ModuleOp module, const target::TargetModel &target,
                            unsigned count) {
  std::vector<ChosenStack> all = choices(module);
  all.resize(std::min<size_t>(all.size(), count));
  std::map<Operation *, std::set<unsigned>> chosen;
  for (const ChosenStack &stack : all)
    chosen[stack.body].insert(stack.index);
  int64_t end = 0;
  LogicalResult done = forEachStackedLoop(
      module, [&](StackedLoop &stacked, LoopEdits &edits) -> LogicalResult {
        auto found = chosen.find(stacked.body);
        if (found == chosen.end())
          return success();
        return LoopOffload(stacked, edits, target, end).rewrite(found->second);
      });
  if (failed(done))
    return failure();
  SymbolTable symbols(module);
  Builder builder(module.getContext());
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function->hasAttr(graph::nestedAttrName))
      if (FileUse use = stacksInFile(function, symbols, /*explain=*/false);
          use.values)
        function->setAttr(host::fileBytesAttrName,
                          builder.getI64IntegerAttr(use.fileBytes));
  return success();
}

/// Visits a function and all that it runs.
static void forEachReached(func::FuncOp function, const SymbolTable &symbols,
                           std::set<Operation *> &seen,
                           llvm::function_ref<void(func::FuncOp)> visit) {
  if (!seen.insert(function).second)
    return;
  visit(function);
  function.walk([&](Operation *op) {
    forEachCallee(op, symbols, [&](func::FuncOp callee) {
      forEachReached(callee, symbols, seen, visit);
    });
  });
}

FileUse stacksInFile(func::FuncOp entry, const SymbolTable &symbols,
                     bool explain) {
  FileUse use;
  std::set<Operation *> seen;
  std::map<int64_t, host::LoadRowOp> readers; // by offset, the first
  SmallVector<host::StoreRowOp> stores;
  forEachReached(entry, symbols, seen, [&](func::FuncOp function) {
    for (host::LoadRowOp load : function.getOps<host::LoadRowOp>())
      readers.try_emplace(load.getOffset(), load);
    llvm::append_range(stores, function.getOps<host::StoreRowOp>());
  });
  for (host::StoreRowOp store : stores) {
    int64_t bytes = bytesOf(store.getStack());
    ++use.values;
    use.bytes += bytes;
    use.fileBytes = std::max<int64_t>(use.fileBytes, store.getOffset() + bytes);
    if (auto reader = readers.find(store.getOffset());
        explain && reader != readers.end())
      remarks::emit(store, remarks::Code::REM003,
                    {bytes, reader->second->getName().getStringRef(),
                     graph::placeOf(reader->second->getLoc())});
  }
  return use;
}

} // namespace zenith::memory
