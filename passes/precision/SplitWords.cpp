// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a function and computes on pairs of words where it computes on 64-bit
// integers.

#include "passes/precision/SplitWords.h"

#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/HostScalars.h"
#include "ir/matchers/TypeOf.h"
#include "passes/precision/WordArithmetic.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {

class WordSplitter {
public:
  explicit WordSplitter(llvm::function_ref<bool(Type)> lacks) : lacks(lacks) {}

  LogicalResult run(Block &block);
  void eraseReplaced() {
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    for (auto [block, count] : oldArguments)
      block->eraseArguments(0, count);
  }

private:
  bool isLacking(Value value) const {
    return lacks(typeOf(value).getElementType());
  }
  bool isWide(Value value) const {
    return isLacking(value) && !hosts.contains(value);
  }
  bool isSigned(Value value) const {
    return !typeOf(value).getElementType().isUnsignedInteger();
  }
  Words of(Value value);
  void readWhole(Operation *op);
  LogicalResult splitOp(Operation *op);
  LogicalResult splitRegion(Operation *op);
  void splitArguments(Operation *op, Block &block);
  std::optional<Words> result(Operation *op, WordArithmetic &words);
  std::optional<Words> arithmetic(Operation *op, WordArithmetic &words);
  std::optional<Words> moved(Operation *op);
  Words folded(ReduceOp op);
  std::optional<Words> running(CumulativeOp op, WordArithmetic &words);
  Words constant(ConstantOp op);
  Words counted(IotaOp op, WordArithmetic &words);
  Words positions(ArgReduceOp op, WordArithmetic &words);
  Value onWord(Operation *op, Value Words::*word);
  Value narrowed(Operation *op, WordArithmetic &words);
  void useSaturatedIndices(Operation *op, unsigned first, unsigned count);

  llvm::function_ref<bool(Type)> lacks;
  HostScalars hosts;
  DenseMap<Value, Words> known;
  DenseSet<Value> wholes; ///< known values that exist as a whole as well
  SmallVector<Operation *> replaced;
  /// Of regions on scalars: their first arguments, which words stand for.
  SmallVector<std::pair<Block *, unsigned>> oldArguments;
};

} // namespace

static Type wordTypeLike(Type type) {
  return cast<RankedTensorType>(type).clone(
      IntegerType::get(type.getContext(), 32, IntegerType::Unsigned));
}

Words WordSplitter::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  wholes.insert(value);
  return known[value] = WordArithmetic(builder, value.getLoc()).split(value);
}

/// Lets an op read 64-bit integers as they were.
void WordSplitter::readWhole(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    auto found = known.find(value);
    if (found != known.end() && !wholes.contains(value))
      operand.set(WordArithmetic(builder, value.getLoc())
                      .join(found->second, typeOf(value).getElementType()));
  }
}

/// True for operands that are elements of the result; sizes and positions are
/// the others.
static bool isElements(OpOperand &operand) {
  unsigned index = operand.getOperandNumber();
  Operation *op = operand.getOwner();
  return index == 0 || isa<ConcatOp>(op) ||
         (index == 1 && isa<PadOp, DynamicUpdateSliceOp>(op)) ||
         (index == 2 && isa<ScatterOp>(op));
}

/// The op with one word of each operand that has elements.
Value WordSplitter::onWord(Operation *op, Value Words::*word) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(isElements(operand) ? of(operand.get()).*word
                                           : operand.get());
  OperationState state(op->getLoc(), op->getName(), operands,
                       wordTypeLike(op->getResult(0).getType()),
                       op->getAttrDictionary().getValue());
  return builder.create(state)->getResult(0);
}

Words WordSplitter::constant(ConstantOp op) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(wordTypeLike(op.getType()));
  auto elements = cast<DenseIntElementsAttr>(op.getValue());
  auto word = [&](unsigned shift) -> Value {
    SmallVector<APInt> values;
    for (const APInt &value : elements.getValues<APInt>()) {
      values.push_back(value.lshr(shift).trunc(32));
      if (elements.isSplat())
        break;
    }
    return builder.create<ConstantOp>(
        op.getLoc(), cast<ElementsAttr>(DenseElementsAttr::get(type, values)));
  };
  return {word(0), word(32)};
}

Words WordSplitter::counted(IotaOp op, WordArithmetic &words) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(wordTypeLike(op.getType()));
  return words.from(
      builder.create<IotaOp>(op.getLoc(), type, op.getDim(), op.getDims()),
      /*isSigned=*/false);
}

/// Positions are below sizes, which i32 holds.
Words WordSplitter::positions(ArgReduceOp op, WordArithmetic &words) {
  OpBuilder builder(op);
  auto narrow = cast<ArgReduceOp>(builder.clone(*op));
  narrow.getResult().setType(typeOf(op).clone(builder.getI32Type()));
  return words.from(narrow, /*isSigned=*/true);
}

/// Movement: each word moves like the whole. Indices are bounded by sizes,
/// which i32 holds.
std::optional<Words> WordSplitter::moved(Operation *op) {
  if (auto scatter = dyn_cast<ScatterOp>(op);
      scatter && scatter.getKind() != ScatterKind::set)
    return std::nullopt;
  if (!isa<BroadcastOp, ExpandOp, ReshapeOp, TransposeOp, SliceOp, PadOp,
           ConcatOp, ReverseOp, GatherOp, DynamicSliceOp, DynamicUpdateSliceOp,
           ScatterOp>(op))
    return std::nullopt;
  return Words{onWord(op, &Words::low), onWord(op, &Words::high)};
}

/// What a fold starts from.
static uint64_t neutralOf(ReduceKind kind, bool isSigned) {
  uint64_t lowest = isSigned ? uint64_t(1) << 63 : 0;
  switch (kind) {
  case ReduceKind::prod:
    return 1;
  case ReduceKind::max:
    return lowest;
  case ReduceKind::min:
    return ~lowest;
  default:
    return 0;
  }
}

/// One step of a fold that is not bitwise.
static Words combined(WordArithmetic &words, ReduceKind kind, Words x, Words y,
                      bool isSigned) {
  if (kind == ReduceKind::sum)
    return words.add(x, y);
  if (kind == ReduceKind::prod)
    return words.mul(x, y);
  CompareDirection wanted =
      kind == ReduceKind::max ? CompareDirection::ge : CompareDirection::le;
  return words.select(words.compare(wanted, x, y, isSigned), x, y);
}

static bool isBitwise(ReduceKind kind) {
  return kind == ReduceKind::all || kind == ReduceKind::any ||
         kind == ReduceKind::parity;
}

/// The words of a number as scalars.
static Words scalarWords(OpBuilder &builder, Location loc, uint64_t value) {
  auto scalar = cast<RankedTensorType>(
      wordTypeLike(RankedTensorType::get({}, builder.getI64Type())));
  auto word = [&](uint64_t bits) -> Value {
    return builder.create<ConstantOp>(
        loc,
        cast<ElementsAttr>(DenseElementsAttr::get(scalar, APInt(32, bits))));
  };
  return {word(value & 0xffffffff), word(value >> 32)};
}

/// The fold of one element after another, by a region on words.
Words WordSplitter::folded(ReduceOp op) {
  ReduceKind kind = op.getKind();
  bool signedness = isSigned(op.getOperand());
  if (isBitwise(kind))
    return {onWord(op, &Words::low), onWord(op, &Words::high)};
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Words operand = of(op.getOperand()),
        start = scalarWords(builder, loc, neutralOf(kind, signedness));
  Type type = wordTypeLike(op.getType()), scalar = start.low.getType();
  auto fold = builder.create<ReduceWithOp>(
      loc, TypeRange{type, type}, ValueRange{operand.low, operand.high},
      ValueRange{start.low, start.high}, op.getDims());
  Block *block =
      builder.createBlock(&fold.getBody(), {}, SmallVector<Type>(4, scalar),
                          SmallVector<Location>(4, loc));
  WordArithmetic inside(builder, loc);
  Words next =
      combined(inside, kind, {block->getArgument(0), block->getArgument(1)},
               {block->getArgument(2), block->getArgument(3)}, signedness);
  builder.create<YieldOp>(loc, ValueRange{next.low, next.high});
  return {fold.getResult(0), fold.getResult(1)};
}

/// Running folds by doubling distances (Hillis, Steele, Data parallel
/// algorithms, 1986): integers may be combined in any order.
std::optional<Words> WordSplitter::running(CumulativeOp op,
                                           WordArithmetic &words) {
  RankedTensorType type = typeOf(op.getResult());
  int64_t dim = op.getDim(), size = type.getDimSize(dim);
  ReduceKind kind = op.getKind();
  if (isBitwise(kind))
    return Words{onWord(op, &Words::low), onWord(op, &Words::high)};
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  bool signedness = isSigned(op.getOperand());
  Words start = scalarWords(builder, loc, neutralOf(kind, signedness));
  SmallVector<int64_t> none(type.getRank(), 0);
  // What lies a distance before each element, or after it in reverse.
  auto shifted = [&](Value word, Value fill, int64_t distance) -> Value {
    SmallVector<int64_t> low(none), high(none);
    low[dim] = op.getReverse() ? -distance : distance;
    high[dim] = -low[dim];
    return builder.create<PadOp>(loc, word.getType(), word, fill, ValueRange(),
                                 ValueRange(), low, high, none);
  };
  auto shiftedBy = [&](Words all, int64_t distance) -> Words {
    return {shifted(all.low, start.low, distance),
            shifted(all.high, start.high, distance)};
  };
  Words all = of(op.getOperand());
  for (int64_t distance = 1; distance < size; distance *= 2)
    all = combined(words, kind, all, shiftedBy(all, distance), signedness);
  return op.getExclusive() && size > 0 ? shiftedBy(all, 1) : all;
}

std::optional<Words> WordSplitter::arithmetic(Operation *op,
                                              WordArithmetic &words) {
  bool signedness = isSigned(op->getResult(0));
  auto at = [&](unsigned index) { return of(op->getOperand(index)); };
  return llvm::TypeSwitch<Operation *, std::optional<Words>>(op)
      .Case([&](AddOp) { return words.add(at(0), at(1)); })
      .Case([&](SubOp) { return words.sub(at(0), at(1)); })
      .Case([&](MulOp) { return words.mul(at(0), at(1)); })
      .Case([&](DivOp) { return words.div(at(0), at(1), signedness); })
      .Case([&](RemOp) { return words.rem(at(0), at(1), signedness); })
      .Case(
          [&](FloorModOp) { return words.floorMod(at(0), at(1), signedness); })
      .Case([&](NegOp) { return words.neg(at(0)); })
      .Case([&](AbsOp) { return signedness ? words.abs(at(0)) : at(0); })
      .Case([&](SignOp) { return words.sign(at(0), signedness); })
      .Case([&](NotOp) { return words.invert(at(0)); })
      .Case([&](PopcountOp) { return words.popcount(at(0)); })
      .Case([&](CountLeadingZerosOp) { return words.leadingZeros(at(0)); })
      .Case([&](AndOp) { return words.bitwise<AndOp>(at(0), at(1)); })
      .Case([&](OrOp) { return words.bitwise<OrOp>(at(0), at(1)); })
      .Case([&](XorOp) { return words.bitwise<XorOp>(at(0), at(1)); })
      .Case([&](ShiftLeftOp) { return words.shiftLeft(at(0), at(1)); })
      .Case([&](ShiftRightLogicalOp) {
        return words.shiftRight(at(0), at(1), /*isArithmetic=*/false);
      })
      .Case([&](ShiftRightArithmeticOp) {
        return words.shiftRight(at(0), at(1), /*isArithmetic=*/true);
      })
      .Case<MaxOp, MinOp>([&](Operation *extreme) {
        CompareDirection wanted =
            isa<MaxOp>(extreme) ? CompareDirection::ge : CompareDirection::le;
        return words.select(words.compare(wanted, at(0), at(1), signedness),
                            at(0), at(1));
      })
      .Case([&](ClampOp) {
        Words raised = words.select(
            words.compare(CompareDirection::ge, at(1), at(0), signedness),
            at(1), at(0));
        return words.select(
            words.compare(CompareDirection::le, raised, at(2), signedness),
            raised, at(2));
      })
      .Case([&](SelectOp select) {
        return words.select(select.getPred(), at(1), at(2));
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The words of a wide result; nothing where there is no rule.
std::optional<Words> WordSplitter::result(Operation *op,
                                          WordArithmetic &words) {
  if (auto constantOp = dyn_cast<ConstantOp>(op))
    return isa<DenseIntElementsAttr>(constantOp.getValue())
               ? std::optional(constant(constantOp))
               : std::nullopt;
  if (auto iota = dyn_cast<IotaOp>(op))
    return counted(iota, words);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return folded(reduce);
  if (auto cumulative = dyn_cast<CumulativeOp>(op))
    return running(cumulative, words);
  if (auto position = dyn_cast<ArgReduceOp>(op);
      position && !lacks(typeOf(position.getOperand()).getElementType()))
    return positions(position, words);
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    Value from = convert.getOperand();
    return lacks(typeOf(from).getElementType())
               ? of(from)
               : words.from(from, isSigned(convert.getResult()));
  }
  if (auto cast = dyn_cast<BitcastOp>(op))
    return isWide(cast.getOperand()) ? std::optional(of(cast.getOperand()))
                                     : std::nullopt;
  if (auto found = moved(op))
    return found;
  return arithmetic(op, words);
}

/// A result of another type, which is made from words; null where there is no
/// rule.
Value WordSplitter::narrowed(Operation *op, WordArithmetic &words) {
  if (auto compare = dyn_cast<CompareOp>(op))
    return words.compare(compare.getDirection(), of(compare.getLhs()),
                         of(compare.getRhs()), isSigned(compare.getLhs()));
  if (auto convert = dyn_cast<ConvertOp>(op))
    return words.to(of(convert.getOperand()),
                    typeOf(convert.getResult()).getElementType(),
                    isSigned(convert.getOperand()));
  return {};
}

/// Positions beyond i32 are beyond every dimension too, and are clamped alike.
void WordSplitter::useSaturatedIndices(Operation *op, unsigned first,
                                       unsigned count) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands().slice(first, count)) {
    Value value = operand.get();
    if (isWide(value))
      operand.set(WordArithmetic(builder, op->getLoc())
                      .saturated(of(value), isSigned(value)));
  }
}

/// Ops with a region on scalars, one for each operand with elements.
static bool foldsByRegion(Operation *op) {
  return isa<ReduceWithOp, ReduceWindowWithOp, SortWithOp, ScatterWithOp>(op);
}

/// Gives a region on scalars two arguments for each one that is wide, next to
/// each other; a sort's are pairs, of the left and the right element.
void WordSplitter::splitArguments(Operation *op, Block &block) {
  unsigned count = block.getNumArguments();
  unsigned step = isa<SortWithOp>(op) ? 2 : 1;
  oldArguments.emplace_back(&block, count);
  for (unsigned first = 0; first < count; first += step) {
    Value sample = block.getArgument(first);
    bool isSplit = isLacking(sample);
    Type type = isSplit ? wordTypeLike(sample.getType()) : sample.getType();
    SmallVector<Value> made;
    for (unsigned i = 0; i < step * (isSplit ? 2 : 1); ++i)
      made.push_back(block.addArgument(type, sample.getLoc()));
    for (unsigned i = 0; i < step; ++i) {
      Value old = block.getArgument(first + i);
      if (isSplit)
        known[old] = {made[i], made[step + i]};
      else
        old.replaceAllUsesWith(made[i]);
    }
  }
}

/// The op on words of its wide operands, by a region on words.
LogicalResult WordSplitter::splitRegion(Operation *op) {
  auto scatter = dyn_cast<ScatterWithOp>(op);
  auto append = [&](SmallVectorImpl<Value> &values, Value value) {
    if (!isLacking(value))
      return values.push_back(value);
    Words words = of(value);
    values.append({words.low, words.high});
  };
  SmallVector<Value> operands;
  int32_t inputs = 0, updates = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    unsigned index = operand.getOperandNumber();
    bool isIndex = scatter && index == scatter.getInputs().size();
    if (isIndex) {
      operands.push_back(value);
      continue;
    }
    append(operands, value);
    (scatter && index > scatter.getInputs().size() ? updates : inputs) +=
        isLacking(value) ? 2 : 1;
  }
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.append(isLacking(result) ? 2 : 1, isLacking(result)
                                                ? wordTypeLike(result.getType())
                                                : result.getType());
  OpBuilder builder(op);
  NamedAttrList attributes(op->getAttrDictionary());
  if (scatter)
    attributes.set("operandSegmentSizes",
                   builder.getDenseI32ArrayAttr({inputs, 1, updates}));
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       attributes.getAttrs());
  state.addRegion()->takeBody(op->getRegion(0));
  Operation *made = builder.create(state);
  Block &body = made->getRegion(0).front();
  splitArguments(op, body);
  if (failed(run(body)))
    return failure();
  Operation *yield = body.getTerminator();
  SmallVector<Value> yielded;
  for (Value value : yield->getOperands())
    append(yielded, value);
  yield->setOperands(yielded);
  unsigned next = 0;
  for (Value result : op->getResults())
    if (isLacking(result)) {
      known[result] = {made->getResult(next), made->getResult(next + 1)};
      next += 2;
    } else {
      result.replaceAllUsesWith(made->getResult(next++));
    }
  replaced.push_back(op);
  return success();
}

LogicalResult WordSplitter::splitOp(Operation *op) {
  // What is handed on keeps its type, as arguments and results do; it is split
  // where it is computed with.
  if (isa<GetParamOp, DimOp, IfOp, CaseOp, WhileOp, YieldOp, BarrierOp>(op) ||
      !familyOf(op)) {
    readWhole(op);
    return success();
  }
  auto pattern = dyn_cast<BitcastOp>(op);
  if (pattern && isWide(pattern.getOperand()) != isWide(pattern.getResult())) {
    readWhole(op); // bits of a type that is handed on as it is
    return success();
  }
  if (foldsByRegion(op)) {
    if (auto scatter = dyn_cast<ScatterWithOp>(op))
      useSaturatedIndices(op, scatter.getInputs().size(), 1);
    return splitRegion(op);
  }
  if (op->getNumRegions() > 0 || op->getNumResults() != 1)
    return op->emitOpError()
           << "has 64-bit integers, which the target lacks, and "
              "zenith-legalize-types no rule for it";
  if (isa<GatherOp, ScatterOp>(op))
    useSaturatedIndices(op, 1, 1);
  if (isa<DynamicSliceOp>(op))
    useSaturatedIndices(op, 1, op->getNumOperands() - 1);
  if (isa<DynamicUpdateSliceOp>(op))
    useSaturatedIndices(op, 2, op->getNumOperands() - 2);
  OpBuilder builder(op);
  WordArithmetic words(builder, op->getLoc());
  Value whole = op->getResult(0);
  if (isWide(whole)) {
    if (std::optional<Words> found = result(op, words)) {
      known[whole] = *found;
      replaced.push_back(op);
      return success();
    }
  } else if (llvm::none_of(op->getOperands(),
                           [&](Value value) { return isWide(value); })) {
    return success();
  } else if (Value found = narrowed(op, words)) {
    whole.replaceAllUsesWith(found);
    replaced.push_back(op);
    return success();
  }
  return op->emitOpError() << "has 64-bit integers, which the target lacks, "
                              "and zenith-legalize-types no rule for it";
}

LogicalResult WordSplitter::run(Block &block) {
  bool isHosts = !foldsByRegion(block.getParentOp());
  for (BlockArgument argument : block.getArguments())
    if (isHosts && isHostScalarType(argument.getType()))
      hosts.insert(argument);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isHosts && op.hasTrait<OpTrait::IsTerminator>())
      break; // splitRegion's
    if (isHosts)
      hosts.visit(&op);
    auto isWideValue = [&](Value value) { return isWide(value); };
    if (llvm::any_of(op.getOperands(), isWideValue) ||
        llvm::any_of(op.getResults(), isWideValue))
      if (failed(splitOp(&op)))
        return failure();
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(run(inner)))
          return failure();
  }
  return success();
}

LogicalResult splitWords(func::FuncOp function,
                         llvm::function_ref<bool(Type)> lacks) {
  WordSplitter splitter(lacks);
  if (failed(splitter.run(function.getBody().front())))
    return failure();
  splitter.eraseReplaced();
  return success();
}

} // namespace zenith::precision
