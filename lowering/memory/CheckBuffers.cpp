// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows which places hold which values, step by step: a value is lost where
// its bytes are written.

#include "lowering/memory/CheckBuffers.h"

#include "ir/LocationText.h"
#include "lowering/memory/BufferPlace.h"
#include "lowering/memory/PlanBuffers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::memory {

using graph::DimExpr;
using host::BufferKind;

namespace {
class BufferChecker {
public:
  BufferChecker(func::FuncOp function, const ModuleContext &context)
      : function(function), context(context), host(function, dims),
        isPrepare(function.getName() == graph::prepareFunctionName),
        isNested(function->hasAttr(host::nestedAttrName)) {}

  std::optional<Error> run();

private:
  void readPlaces();
  void step(Operation &op);
  void checkSource(Operation &op);
  void alias(Operation *op, Value result, Value operand);
  void passThrough(graph::BarrierOp barrier);
  void move(graph::PlaceOp place);
  void load(host::LoadRowOp row);
  void reshape(graph::FusionOp fusion);
  void launch(graph::FusionOp fusion);
  void control(Operation *op);
  void returnValues(func::ReturnOp ret);
  void checkInPlace(func::ReturnOp ret);
  void deallocate(Operation &op);

  std::vector<BufferPlace> scratchOf(Operation *op, ArrayRef<DimExpr> bytes);
  bool mayOverwrite(OpResult result, unsigned operand) const;
  bool mayStartIn(host::LoopOp loop, const BufferPlace &second,
                  unsigned operand, unsigned result) const;
  void checkResults(Operation *op);
  void checkApart(Operation *op, ArrayRef<BufferPlace> written);
  void checkRoom(Operation *op, const BufferPlace &place);
  void read(Operation *op, Value value);
  void write(Operation *op, const BufferPlace &place);
  void define(OpResult result);

  bool share(const BufferPlace &x, const BufferPlace &y) const;
  bool isDonated(const BufferPlace &result, const BufferPlace &argument) const;
  BufferPlace placeOf(Value value) const { return places.lookup(value); }
  bool fits(const DimExpr &x, const DimExpr &y) const {
    return isAtMost(samplesOf(x), samplesOf(y), possible);
  }
  void fail(Operation *op, const Twine &text);

  func::FuncOp function;
  const ModuleContext &context;
  graph::DimAnalysis dims;
  liveness::HostValues host;
  bool isPrepare, isNested;
  llvm::DenseMap<Value, BufferPlace> places;
  /// False for assignments at which a value would have a negative size.
  std::array<bool, sampleCount> possible;
  std::vector<Value> held;      ///< values whose bytes are in their place
  llvm::DenseSet<Value> isHeld; ///< the same
  std::map<int64_t, DimExpr> liveSlots; ///< with their bytes
  int64_t constants = 0;
  std::optional<Error> error;
};
} // namespace

static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

void BufferChecker::fail(Operation *op, const Twine &text) {
  if (!error)
    error = invalid(("'" + op->getName().getStringRef() + "' op " + text).str(),
                    graph::placeOf(op->getLoc()));
}

/// The places that attributes name, and the assignments that sizes admit.
void BufferChecker::readPlaces() {
  possible.fill(true);
  auto add = [&](Value value, host::BufferAttr buffer) {
    BufferPlace place(buffer, bytesOf(value, dims));
    for (auto [sample, bytes] : llvm::enumerate(samplesOf(place.bytes)))
      possible[sample] &= !bytes || *bytes >= 0;
    places[value] = std::move(place);
  };
  auto none = graph::DimAttr::get(function.getContext(), DimExpr(0));
  for (BlockArgument argument : function.getArguments())
    if (!liveness::isPassedByValue(argument)) {
      add(argument,
          host::BufferAttr::get(function.getContext(), BufferKind::argument,
                                argument.getArgNumber(), none));
      held.push_back(argument);
      isHeld.insert(argument);
    }
  for (Operation &op : function.getBody().front())
    if (auto buffers = op.getAttrOfType<ArrayAttr>(host::buffersAttrName))
      for (auto [result, buffer] : llvm::zip(op.getResults(), buffers))
        if (auto named = dyn_cast<host::BufferAttr>(buffer))
          add(result, named);
}

/// A result may lie in the memory of an argument that the caller gives up.
bool BufferChecker::isDonated(const BufferPlace &result,
                              const BufferPlace &argument) const {
  auto pairs =
      function->getAttrOfType<DenseI64ArrayAttr>(host::donationsAttrName);
  if (!pairs || !result.buffer || !argument.buffer ||
      result.buffer.getKind() != BufferKind::result ||
      argument.buffer.getKind() != BufferKind::argument)
    return false;
  for (unsigned i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i] == result.buffer.getIndex() &&
        pairs[i + 1] == argument.buffer.getIndex())
      return true;
  return false;
}

bool BufferChecker::share(const BufferPlace &x, const BufferPlace &y) const {
  return x.overlaps(y, possible) || isDonated(x, y) || isDonated(y, x);
}

void BufferChecker::read(Operation *op, Value value) {
  if (host.contains(value))
    return;
  BufferPlace place = placeOf(value);
  if (!place.buffer)
    return fail(op, "reads a value without a buffer");
  if (!isHeld.contains(value))
    fail(op, "reads a value from " + textOf(place.buffer) +
                 ", where another one has been written since");
}

void BufferChecker::write(Operation *op, const BufferPlace &place) {
  checkRoom(op, place);
  llvm::erase_if(held, [&](Value value) {
    bool isLost = share(place, placeOf(value));
    if (isLost)
      isHeld.erase(value);
    return isLost;
  });
}

void BufferChecker::define(OpResult result) {
  held.push_back(result);
  isHeld.insert(result);
}

void BufferChecker::checkRoom(Operation *op, const BufferPlace &place) {
  auto refuse = [&](const Twine &why) {
    fail(op, "writes to " + textOf(place.buffer) + ", " + why);
  };
  auto index = unsigned(place.buffer.getIndex());
  switch (place.buffer.getKind()) {
  case BufferKind::arena: {
    auto arena = function->getAttrOfType<graph::DimAttr>(host::arenaAttrName);
    for (auto [sample, begin] : llvm::enumerate(place.begin))
      if (possible[sample] && begin && (*begin < 0 || *begin % lineBytes != 0))
        return refuse("which does not begin at a line of " + Twine(lineBytes) +
                      " bytes");
    if (!arena || !isAtMost(place.end, samplesOf(arena.getExpr()), possible))
      return refuse("beyond the end of an arena of " +
                    (arena ? arena.getExpr().str() : "0") + " bytes");
    return;
  }
  case BufferKind::file: {
    auto most = function->getAttrOfType<IntegerAttr>(host::fileBytesAttrName);
    if (!most ||
        !isAtMost(place.end, samplesOf(DimExpr(most.getInt())), possible))
      return refuse("beyond the end of a file of " +
                    Twine(most ? most.getInt() : 0) + " bytes");
    return;
  }
  case BufferKind::result: {
    Value result =
        function.getBody().front().getTerminator()->getOperand(index);
    if (isPrepare)
      return refuse("but the results of @prepare are derived parameters");
    if (!fits(place.bytes, bytesOf(result, dims)))
      return refuse("which is smaller than the value");
    return;
  }
  case BufferKind::slot: {
    auto [live, isNew] = liveSlots.try_emplace(index, place.bytes);
    if (!isNew && !fits(place.bytes, live->second))
      return refuse("which is smaller than the value");
    return;
  }
  case BufferKind::argument:
    if (!isNested || !function.getArgAttr(index, donatedAttrName))
      return refuse("but the caller keeps that argument");
    if (!fits(place.bytes, bytesOf(function.getArgument(index), dims)))
      return refuse("which is smaller than the value");
    return;
  case BufferKind::derived:
    if (!isPrepare || index >= context.derived.offsets.size() ||
        place.buffer.getOffset().getExpr() !=
            DimExpr(context.derived.offsets[index]))
      return refuse("which no derived parameter is");
    return;
  default:
    return refuse("which is only read");
  }
}

/// Parameters and constants lie where the runtime puts them, what is shared
/// where an outer function has it.
void BufferChecker::checkSource(Operation &op) {
  Value value = op.getResult(0);
  host::BufferAttr buffer = placeOf(value).buffer;
  if (!buffer)
    return;
  auto at = [&](BufferKind kind, int64_t index, int64_t offset) {
    return buffer == host::BufferAttr::get(
                         op.getContext(), kind, index,
                         graph::DimAttr::get(op.getContext(), DimExpr(offset)));
  };
  bool isRight = false;
  if (auto get = dyn_cast<graph::GetParamOp>(op)) {
    Operation *param = context.symbols.lookup(get.getParam());
    auto derived = dyn_cast_or_null<graph::DerivedParamOp>(param);
    if (derived &&
        uint64_t(derived.getIndex()) < context.derived.offsets.size())
      isRight = at(BufferKind::derived, derived.getIndex(),
                   context.derived.offsets[derived.getIndex()]);
    else
      isRight = !derived &&
                at(BufferKind::param, context.paramIndices.lookup(param), 0);
  } else if (auto shared = dyn_cast<host::SharedOp>(op)) {
    isRight = at(BufferKind::shared, shared.getNumber(), 0);
  } else {
    isRight = at(BufferKind::constant, constants++, 0);
  }
  if (!isRight)
    return fail(&op, "is said to lie in " + textOf(buffer) +
                         ", which holds something else");
  define(cast<OpResult>(value));
}

/// `result` is the bytes of `operand`.
void BufferChecker::alias(Operation *op, Value result, Value operand) {
  read(op, operand);
  if (placeOf(result).buffer != placeOf(operand).buffer)
    return fail(op, "has a result that is an operand's bytes, in another "
                    "buffer");
  define(cast<OpResult>(result));
}

void BufferChecker::passThrough(graph::BarrierOp barrier) {
  for (auto [operand, result] :
       llvm::zip(barrier->getOperands(), barrier->getResults()))
    if (host.contains(result))
      read(barrier, operand);
    else
      alias(barrier, result, operand);
}

/// To or from the file. What is read or written meanwhile is looked at where
/// the transfer is waited for.
void BufferChecker::move(graph::PlaceOp place) {
  read(place, place.getOperand());
  checkResults(place);
  if (error)
    return;
  write(place, placeOf(place.getResult()));
  define(cast<OpResult>(place.getResult()));
}

/// As move(): a row comes from the file, where nothing in memory can be.
void BufferChecker::load(host::LoadRowOp row) {
  checkResults(row);
  if (error)
    return;
  write(row, placeOf(row.getRow()));
  define(cast<OpResult>(row.getRow()));
}

void BufferChecker::reshape(graph::FusionOp fusion) {
  for (OpResult result : fusion->getResults()) {
    unsigned index = result.getResultNumber();
    if (!host.writtenBy(fusion, index)) {
      alias(fusion, result,
            fusion.getInputs()[liveness::reshapedOperand(fusion, index)]);
    } else if (!placeOf(result).buffer) {
      fail(fusion, "has a result without a buffer");
    } else {
      write(fusion, placeOf(result));
      define(result);
    }
  }
}

std::vector<BufferPlace> BufferChecker::scratchOf(Operation *op,
                                                  ArrayRef<DimExpr> bytes) {
  auto named = op->getAttrOfType<ArrayAttr>(host::scratchAttrName);
  size_t count = named ? named.size() : 0;
  if (count != bytes.size()) {
    fail(op, "has " + Twine(count) + " buffers for scratch, needs " +
                 Twine(bytes.size()));
    return {};
  }
  std::vector<BufferPlace> scratch;
  for (auto [index, size] : llvm::enumerate(bytes))
    scratch.emplace_back(cast<host::BufferAttr>(named[index]), size);
  return scratch;
}

/// The rules of the planner for values that are updated in place.
bool BufferChecker::mayOverwrite(OpResult result, unsigned operand) const {
  Operation *op = result.getOwner();
  BufferPlace from = placeOf(op->getOperand(operand)), to = placeOf(result);
  if ((from.buffer != to.buffer && !isDonated(to, from)) ||
      from.bytes != to.bytes)
    return false;
  if (auto fusion = dyn_cast<graph::FusionOp>(op))
    return mayShareBytes(fusion, operand, result.getResultNumber());
  auto loop = dyn_cast<host::LoopOp>(op);
  return loop && operand == result.getResultNumber() &&
         updatesInPlace(op, operand, context.symbols) &&
         !isAllocatedInside(op, operand, context.symbols);
}

/// Results lie apart from each other and from what the op reads, but for values
/// that it updates in place.
void BufferChecker::checkResults(Operation *op) {
  for (OpResult result : op->getResults()) {
    BufferPlace place = placeOf(result);
    if (host.contains(result))
      continue;
    if (!place.buffer)
      return fail(op, "has a result without a buffer");
    for (OpResult other : op->getResults().take_front(result.getResultNumber()))
      if (share(place, placeOf(other)))
        return fail(op, "has two results in " + textOf(place.buffer));
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (!host.contains(operand) && share(place, placeOf(operand)) &&
          !mayOverwrite(result, index))
        return fail(op, "would overwrite operand " + Twine(index) + " in " +
                            textOf(place.buffer) + " while it reads it");
  }
}

/// Memory that `op` uses while it runs lies apart from its operands and
/// results.
void BufferChecker::checkApart(Operation *op, ArrayRef<BufferPlace> written) {
  for (size_t index = 0; index < written.size(); ++index) {
    const BufferPlace &place = written[index];
    auto isShared = [&](Value value) {
      return !host.contains(value) && share(place, placeOf(value));
    };
    bool overlaps =
        llvm::any_of(written.take_front(index), [&](const BufferPlace &other) {
          return share(place, other);
        });
    if (overlaps || llvm::any_of(op->getOperands(), isShared) ||
        llvm::any_of(op->getResults(), isShared))
      return fail(op, "needs " + textOf(place.buffer) +
                          " for scratch and for something else");
  }
}

void BufferChecker::launch(graph::FusionOp fusion) {
  if (!fusion.getScheduleAttr())
    return fail(fusion, "has no schedule");
  for (Value input : fusion.getInputs())
    read(fusion, input);
  std::vector<BufferPlace> scratch =
      scratchOf(fusion, fusion.getScheduleAttr().scratch(fusion, dims));
  checkResults(fusion);
  checkApart(fusion, scratch);
  for (const BufferPlace &place : scratch)
    write(fusion, place);
  for (OpResult result : fusion->getResults()) {
    if (error)
      return;
    write(fusion, placeOf(result));
  }
  for (OpResult result : fusion->getResults())
    define(result);
}

/// A second buffer may be that of the loop's own initial value, which only the
/// first step reads.
bool BufferChecker::mayStartIn(host::LoopOp loop, const BufferPlace &second,
                               unsigned operand, unsigned result) const {
  Value init = loop.getInits()[result];
  return operand == result && second.buffer == placeOf(init).buffer &&
         second.bytes == placeOf(init).bytes;
}

void BufferChecker::control(Operation *op) {
  for (Value operand : op->getOperands())
    read(op, operand);
  checkResults(op);
  SmallVector<DimExpr> secondBytes;
  SmallVector<unsigned> carried; ///< results with a second buffer
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    if (host.contains(result) || error)
      continue;
    host::BufferAttr buffer = placeOf(result).buffer;
    bool isInside = isAllocatedInside(op, index, context.symbols);
    if (isInside && buffer.getKind() != BufferKind::slot &&
        !(buffer.getKind() == BufferKind::result &&
          isAllocatedResult(function, buffer.getIndex(), dims)))
      return fail(op, "allocates result " + Twine(index) +
                          " inside, which cannot lie in " + textOf(buffer));
    if (isa<host::LoopOp>(op) && !isInside &&
        !updatesInPlace(op, index, context.symbols)) {
      secondBytes.push_back(bytesOf(result, dims));
      carried.push_back(index);
    }
  }
  std::vector<BufferPlace> second = scratchOf(op, secondBytes), apart;
  for (auto [place, index] : llvm::zip(second, carried))
    if (!mayStartIn(cast<host::LoopOp>(op), place, index, index))
      apart.push_back(place);
  std::optional<DimExpr> arena = nestedArenaBytes(op, context.symbols);
  auto nested = op->getAttrOfType<host::BufferAttr>(host::nestedArenaAttrName);
  if (arena && !arena->isConstant(0)) {
    if (!nested)
      return fail(op, "has no arena for the functions that it calls");
    apart.emplace_back(nested, *arena);
    second.emplace_back(nested, *arena);
  }
  checkApart(op, apart);
  for (const BufferPlace &place : second)
    write(op, place);
  for (OpResult result : op->getResults())
    if (!host.contains(result) && !error)
      write(op, placeOf(result));
  for (OpResult result : op->getResults())
    if (!host.contains(result))
      define(result);
}

/// The caller finds a loop-carried value in the argument where the function
/// says so.
void BufferChecker::checkInPlace(func::ReturnOp ret) {
  auto list = function->getAttrOfType<DenseI64ArrayAttr>(host::inPlaceAttrName);
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    host::BufferAttr buffer = placeOf(value).buffer;
    bool isThere = !host.contains(value) && buffer &&
                   buffer.getKind() == BufferKind::argument &&
                   buffer.getIndex() == int64_t(index) &&
                   function.getArgAttr(index, donatedAttrName);
    if (isThere != (list && llvm::is_contained(list.asArrayRef(), index)))
      return fail(ret, "returns value " + Twine(index) +
                           (isThere ? " in" : " outside of") +
                           " its argument, against host.in_place");
  }
}

void BufferChecker::returnValues(func::ReturnOp ret) {
  if (isNested)
    checkInPlace(ret);
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    read(ret, value);
    if (error || (isNested && host.contains(value)))
      continue;
    auto buffer = host::BufferAttr::get(
        ret.getContext(), isPrepare ? BufferKind::derived : BufferKind::result,
        index,
        graph::DimAttr::get(
            ret.getContext(),
            DimExpr(isPrepare ? context.derived.offsets[index] : 0)));
    host::BufferAttr from = placeOf(value).buffer;
    bool isInArgument = isNested && from.getKind() == BufferKind::argument &&
                        from.getIndex() == int64_t(index);
    if (from != buffer && !isInArgument)
      write(ret, BufferPlace(buffer, bytesOf(value, dims)));
  }
}

void BufferChecker::deallocate(Operation &op) {
  auto slots = op.getAttrOfType<DenseI64ArrayAttr>(host::deallocsAttrName);
  if (!slots)
    return;
  for (int64_t slot : slots.asArrayRef()) {
    liveSlots.erase(slot);
    llvm::erase_if(held, [&](Value value) {
      host::BufferAttr buffer = placeOf(value).buffer;
      bool isLost =
          buffer.getKind() == BufferKind::slot && buffer.getIndex() == slot;
      if (isLost)
        isHeld.erase(value);
      return isLost;
    });
  }
}

void BufferChecker::step(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<graph::GetParamOp, graph::ConstantOp, host::SharedOp>(
          [&](auto) { checkSource(op); })
      .Case([&](graph::FusionOp fusion) {
        if (liveness::isReshapeOnly(fusion))
          reshape(fusion);
        else
          launch(fusion);
      })
      .Case([&](graph::BarrierOp barrier) { passThrough(barrier); })
      .Case([&](graph::PlaceOp place) { move(place); })
      .Case([&](host::StoreRowOp store) { read(store, store.getRow()); })
      .Case([&](host::LoadRowOp row) { load(row); })
      .Case([&](graph::HostReadOp reader) {
        for (Value operand : reader->getOperands())
          read(reader, operand);
      })
      .Case<host::BranchOp, host::LoopOp>([&](auto) { control(&op); })
      .Case([&](func::ReturnOp ret) { returnValues(ret); });
  deallocate(op);
}

std::optional<Error> BufferChecker::run() {
  if (!function.getBody().hasOneBlock())
    return std::nullopt;
  readPlaces();
  for (Operation &op : function.getBody().front()) {
    step(op);
    if (error)
      break;
  }
  return std::move(error);
}

std::optional<Error> checkBuffers(ModuleOp module) {
  ModuleContext context(module);
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (auto error = BufferChecker(function, context).run())
      return error;
  return std::nullopt;
}

} // namespace zenith::memory
