// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides the types of ops in program order and rewrites them. A value has one
// type; readers that want another read a convert that stands behind it, one per
// type.

#include "passes/precision/PrecisionAssignment.h"

#include "ir/AssertionCode.h"
#include "ir/GraphOps.h"
#include "ir/encodings/FewRows.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/precision/KeptOps.h"
#include "passes/quantize/BlockCodes.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

using remarks::Code;

namespace {
class Assignment {
public:
  Assignment(func::FuncOp function, const PrecisionRequest &request)
      : function(function), request(request), policy(request.policy),
        f32(Float32Type::get(function.getContext())),
        compute(elementTypeOf(policy.compute, function.getContext())),
        isEntry(function.isPublic()) {}

  std::vector<PrecisionRecord> run();

private:
  // What values are. A narrow value is one that was f32 before.
  bool isFloat(Value value) const {
    return graph::typeOf(value).getElementType().isF32() ||
           narrow.contains(value);
  }
  bool isWeak(Value value) const { return weak.contains(value); }
  bool isMaster(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &function.front() &&
           function.getArgAttr(argument.getArgNumber(), masterAttrName);
  }
  Value as(Value value, Type element);
  /// `value`, rounded to the type and widened again.
  Value rounded(Value value, Type element) {
    return as(as(value, element), f32);
  }

  // What ops are.
  bool keeps(Operation *op) const {
    return keepPattern(op, request.keepF32) || asksForHighest(op);
  }
  static bool asksForHighest(Operation *op) {
    return op->hasAttr(highestPrecisionAttrName);
  }
  bool readersWiden(Value result) const;
  bool widens(OpOperand &use) const;
  std::optional<std::string> constantBeyondF16(Operation *op) const;

  // The walk.
  void roundArguments();
  void visit(Block &block);
  void visit(Operation *op);
  void visitParameter(Value value);
  void visitUpdate(Operation *op);
  void visitWeak(Operation *op);
  void visitTerminator(Operation *op);
  void visitAllowed(Operation *op);
  void visitFollowing(Operation *op);
  void stay(Operation *op, Code code, StringRef rule,
            std::vector<remarks::Value> reason = {});
  void setOperands(Operation *op, function_ref<Value(Value)> type);
  void narrowOp(Operation *op, Type element, bool narrowResult);
  void widenRounded(Operation *op, Type element, bool narrowResult);
  bool readsCodes(Operation *op) const;
  void roundRows(Operation *op, Type element, bool narrowResult);
  void narrowResults(Operation *op, Type element);
  void checkRange(Value value, Operation *reader);
  void record(Operation *op, Code code, StringRef rule, Type operands,
              std::vector<remarks::Value> reason = {});

  func::FuncOp function;
  const PrecisionRequest &request;
  const Policy &policy;
  Type f32, compute;
  bool isEntry;
  llvm::DenseSet<Value> narrow; ///< f32 before
  llvm::DenseSet<Value> weak;   ///< of parameters and constants alone
  llvm::DenseSet<Value> moving; ///< weak ones that steps change
  /// Parameters that are kept narrower than they are computed with.
  llvm::DenseMap<Value, Type> kept;
  llvm::DenseMap<std::pair<Value, Type>, Value> converts;
  llvm::DenseSet<Value> checked; ///< by checkRange
  std::vector<PrecisionRecord> records;
};
} // namespace

static Type elementOf(Value value) {
  return graph::typeOf(value).getElementType();
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static void setElement(Value value, Type element) {
  value.setType(graph::typeOf(value).clone(element));
}

/// What movement took the elements of a value from.
static Value unmoved(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp, TransposeOp, ExpandOp, SliceOp,
                         ConvertOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

Value Assignment::as(Value value, Type element) {
  Type own = elementOf(value);
  auto base = kept.find(value);
  if (base != kept.end() && base->second != element &&
      own == f32) // the narrow form is what others widen
    return as(as(value, base->second), element);
  if (own == element && base == kept.end())
    return value;
  Value &known = converts[{value, element}];
  if (known)
    return known;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(value);
  Value made = converted(builder, value, element);
  if (isWeak(value))
    weak.insert(made);
  if (moving.contains(value))
    moving.insert(made);
  return known = made;
}

void Assignment::setOperands(Operation *op, function_ref<Value(Value)> type) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isFloat(value))
      continue;
    auto base = kept.find(unmoved(value));
    // The reader behind movement has the better name.
    bool moves = familyOf(op) == Family::Movement && isWeak(value);
    if (base != kept.end() && base->second.isF16() && !moves)
      checkRange(value, op);
    operand.set(type(value));
  }
}

void Assignment::record(Operation *op, Code code, StringRef rule, Type operands,
                        std::vector<remarks::Value> reason) {
  Type result = f32;
  if (op->getNumResults() > 0)
    result = elementOf(op->getResult(0));
  for (Value value : op->getResults())
    if (isa<FloatType>(elementOf(value))) {
      result = elementOf(value);
      break;
    }
  records.push_back({op, code, sourceName(op), rule.str(), textOf(operands),
                     textOf(result), std::move(reason)});
}

/// Whether a reader of a f32 or narrow value takes it in f32 in any case.
bool Assignment::widens(OpOperand &use) const {
  Operation *reader = use.getOwner();
  if (isa<func::ReturnOp>(reader))
    return policy.output == FloatWord::F32;
  if (reader->hasTrait<OpTrait::IsTerminator>() || reader->getNumRegions() > 0)
    return true;
  List list = policy.listOf(reader);
  if (list == List::None)
    return familyOf(reader) == Family::Control;
  return list == List::Deny || keeps(reader);
}

bool Assignment::readersWiden(Value result) const {
  return llvm::all_of(result.getUses(),
                      [&](OpOperand &use) { return widens(use); });
}

/// An element of a constant, through movement, that f16 makes infinite.
static std::optional<std::string> beyondF16(Value value) {
  value = unmoved(value);
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.getElementType().isF32())
    return std::nullopt;
  for (const APFloat &element : elements.getValues<APFloat>()) {
    APFloat half = element;
    bool loses = false;
    half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
    if (element.isFinite() && !half.isFinite()) {
      SmallString<16> text;
      element.toString(text, 6);
      return text.str().str();
    }
    if (elements.isSplat())
      break;
  }
  return std::nullopt;
}

std::optional<std::string> Assignment::constantBeyondF16(Operation *op) const {
  if (compute.isF16())
    for (Value operand : op->getOperands())
      if (std::optional<std::string> value = beyondF16(operand))
        return value;
  return std::nullopt;
}

/// A parameter whose finite values become infinite in f16 ends the run, by
/// name: values are bound later than types. What it compares is computed in
/// @prepare. Those that a step changes are left to its gradients, which are not
/// finite then.
void Assignment::checkRange(Value value, Operation *reader) {
  value = unmoved(value);
  if (!elementOf(value).isF32() || value.getDefiningOp<ConstantOp>() ||
      moving.contains(value) || !checked.insert(value).second)
    return;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  auto scalar = RankedTensorType::get({}, f32);
  auto flag = RankedTensorType::get({}, builder.getI1Type());
  RankedTensorType type = graph::typeOf(value);
  Value size = builder.create<AbsOp>(loc, type, value);
  Value isFinite =
      builder.create<IsFiniteOp>(loc, type.clone(builder.getI1Type()), value);
  Value zero = splatLike(builder, loc, value, 0);
  Value largest = builder.create<SelectOp>(loc, type, isFinite, size, zero);
  if (type.getRank() != 0)
    largest = builder.create<ReduceOp>(
        loc, scalar, ReduceKind::max, largest,
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  // Half an ulp above the largest number rounds to infinity.
  Value limit = splatLike(builder, loc, largest, 65520);
  Value fits = builder.create<CompareOp>(loc, flag, CompareDirection::lt,
                                         largest, limit);
  // Beyond what an i64 holds the figure matters no more.
  Value shown = builder.create<MinOp>(loc, scalar, largest,
                                      splatLike(builder, loc, largest, 1e18));
  Value figure = builder.create<ConvertOp>(
      loc, RankedTensorType::get({}, builder.getI64Type()), shown);
  auto read = value.getDefiningOp<GetParamOp>();
  std::string what = read ? "parameter '" + read.getParam().str() + "'"
                          : "'" + sourceName(value.getDefiningOp()) + "'";
  std::string op = sourceName(reader);
  auto check = builder.create<AssertOp>(
      loc, fits,
      what + " has values up to {0}, beyond f16, in which '" + op +
          "' reads them: --keep-f32=" + op + " computes it in f32",
      ValueRange(figure));
  markRunError(check);
}

void Assignment::roundArguments() {
  if (!policy.roundsInputs || !isEntry)
    return;
  for (BlockArgument argument : function.getArguments()) {
    bool keepsDigits =
        isMaster(argument) ||
        function.getArgAttr(argument.getArgNumber(), highestPrecisionAttrName);
    if (!elementOf(argument).isF32() || argument.use_empty() || keepsDigits)
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    Value cast = converted(builder, argument, compute);
    argument.replaceAllUsesExcept(cast, cast.getDefiningOp());
    narrow.insert(cast);
    converts[{argument, compute}] = cast;
  }
}

void Assignment::visitParameter(Value value) {
  weak.insert(value);
  if (!elementOf(value).isF32())
    return;
  if (policy.params != FloatWord::F32 && graph::typeOf(value).getRank() >= 2)
    kept[value] = elementTypeOf(policy.params, function.getContext());
  else if (policy.roundsInputs)
    kept[value] = compute;
}

void Assignment::visitWeak(Operation *op) {
  setOperands(op, [&](Value value) { return as(value, f32); });
  bool moves = llvm::any_of(
      op->getOperands(), [&](Value value) { return moving.contains(value); });
  for (Value result : op->getResults()) {
    weak.insert(result);
    if (moves)
      moving.insert(result);
  }
}

/// What asks for all digits of a master reads it as it is, and gives a value
/// that is no parameter.
void Assignment::visitUpdate(Operation *op) {
  setOperands(op, [&](Value value) {
    return isMaster(value) ? value : as(value, f32);
  });
  record(op, Code::PRE107, "keep", f32);
}

void Assignment::visitTerminator(Operation *op) {
  if (!isa<func::ReturnOp>(op) || !isEntry) {
    setOperands(op, [&](Value value) { return as(value, f32); });
  } else {
    Type output = elementTypeOf(policy.output, op->getContext());
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      bool keepsDigits = bool(function.getResultAttr(operand.getOperandNumber(),
                                                     highestPrecisionAttrName));
      if (isFloat(value) && !(keepsDigits && elementOf(value).isF32()))
        operand.set(as(value, keepsDigits ? f32 : output));
    }
  }
  if (isa<func::ReturnOp>(op))
    function.setFunctionType(
        FunctionType::get(op->getContext(), function.getArgumentTypes(),
                          llvm::to_vector(op->getOperandTypes())));
}

void Assignment::stay(Operation *op, Code code, StringRef rule,
                      std::vector<remarks::Value> reason) {
  setOperands(op, [&](Value value) { return as(value, f32); });
  record(op, code, rule, f32, std::move(reason));
}

/// The results, rounded behind the op.
void Assignment::narrowResults(Operation *op, Type element) {
  for (Value result : op->getResults()) {
    if (!elementOf(result).isF32())
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value cast = converted(builder, result, element);
    result.replaceAllUsesExcept(cast, cast.getDefiningOp());
    narrow.insert(cast);
  }
}

/// Few rows times weights that are codes of few bits: the time is that of
/// reading the weights, which takes longer where they are rounded. Each row
/// adds a part of it.
bool Assignment::readsCodes(Operation *op) const {
  constexpr int64_t mostBits = 16; // of rounded weights
  auto dot = dyn_cast<DotGeneralOp>(op);
  auto rows = dot ? staticRows(dot) : std::nullopt;
  if (!rows || *rows > mostBits)
    return false;
  auto weights = quantize::matchBlockWeights(dot);
  auto bits = weights ? quantize::bitsOfCodes(*weights) : std::nullopt;
  return bits && *rows * *bits <= mostBits;
}

/// Rounds the rows of such a product alone.
void Assignment::roundRows(Operation *op, Type element, bool narrowResult) {
  auto dot = cast<DotGeneralOp>(op);
  dot.getLhsMutable().assign(rounded(dot.getLhs(), element));
  dot.getRhsMutable().assign(as(dot.getRhs(), f32));
  if (narrowResult)
    narrowResults(op, element);
  record(op, Code::PRE002, "allow", element);
  if (narrowResult)
    records.back().result = textOf(element);
}

/// Computes in f32 on rounded operands: for ops whose operands and result have
/// one type, where only the operands are narrow.
void Assignment::widenRounded(Operation *op, Type element, bool narrowResult) {
  setOperands(op, [&](Value value) { return rounded(value, element); });
  if (narrowResult)
    narrowResults(op, element);
}

void Assignment::narrowOp(Operation *op, Type element, bool narrowResult) {
  bool isProduct = isa<DotGeneralOp, ConvolutionOp>(op);
  if (!isProduct && !narrowResult)
    return widenRounded(op, element, narrowResult);
  setOperands(op, [&](Value value) { return as(value, element); });
  if (!narrowResult)
    return;
  for (Value result : op->getResults())
    if (elementOf(result).isF32()) {
      setElement(result, element);
      narrow.insert(result);
    }
}

void Assignment::visitAllowed(Operation *op) {
  Type element = compute;
  bool isChosen = false;
  std::optional<PrecisionChoice> choice;
  if (auto name = request.products.find(op); name != request.products.end())
    if (auto found = request.choices.find(name->second);
        found != request.choices.end()) {
      choice = found->second;
      isChosen = true;
      if (choice->type == FloatWord::F32) {
        if (choice->ownError && choice->outputError)
          return stay(op, Code::PRE112, "bound",
                      {*choice->ownError, *choice->outputError});
        return stay(op, Code::PRE115, "bound");
      }
      element = elementTypeOf(choice->type, op->getContext());
    }
  if (element == f32) {
    bool hasKept = llvm::any_of(op->getOperands(), [&](Value value) {
      return isWeak(value) && policy.params != FloatWord::F32;
    });
    if (hasKept)
      return stay(op, Code::PRE001, "allow", {wordOf(policy.params)});
    return stay(op, Code::PRE106, "allow");
  }
  // Under a bound the results stay f32, so that the set of narrow ops alone
  // decides.
  bool narrowResult = !isChosen && policy.store != FloatWord::F32 &&
                      !readersWiden(op->getResult(0));
  if (!isChosen && readsCodes(op))
    return roundRows(op, element, narrowResult);
  if (std::optional<std::string> value = constantBeyondF16(op))
    return stay(op, Code::PRE117, "range", {*value});
  if (element.isF16())
    for (Value operand : op->getOperands())
      if (isWeak(operand))
        checkRange(operand, op);
  narrowOp(op, element, narrowResult);
  std::vector<remarks::Value> reason;
  if (choice && choice->ownError && choice->outputError)
    reason = {*choice->ownError, *choice->outputError};
  record(op, reason.empty() ? Code::PRE002 : Code::PRE004,
         isChosen ? "bound" : "allow", element, reason);
  // A result that was rounded behind the op.
  if (narrowResult)
    records.back().result = textOf(element);
}

void Assignment::visitFollowing(Operation *op) {
  SmallVector<Value> floats, strong;
  for (Value operand : op->getOperands())
    if (isFloat(operand)) {
      floats.push_back(operand);
      if (!isWeak(operand))
        strong.push_back(operand);
    }
  if (floats.empty())
    return record(op, Code::PRE101, "type", f32);
  if (strong.empty()) {
    // Only indices or predicates depend on arguments.
    if (!policy.roundsInputs)
      return stay(op, Code::PRE108, "follow");
  } else {
    if (policy.store == FloatWord::F32)
      return stay(op, Code::PRE105, "follow");
    for (Value operand : strong)
      if (!narrow.contains(operand)) {
        auto argument = dyn_cast<BlockArgument>(operand);
        bool isCarried = argument && argument.getOwner() != &function.front();
        std::string name = argument ? "an argument" : "";
        if (Operation *producer = operand.getDefiningOp())
          name = sourceName(producer);
        else if (auto named = operand.getLoc()->findInstanceOf<NameLoc>())
          name = named.getName().str();
        return stay(op, isCarried ? Code::PRE116 : Code::PRE104, "follow",
                    {name});
      }
  }
  if (std::optional<std::string> value = constantBeyondF16(op))
    return stay(op, Code::PRE117, "range", {*value});
  if (compute.isF16())
    for (Value operand : floats)
      if (isWeak(operand))
        checkRange(operand, op);
  narrowOp(op, compute, /*narrowResult=*/true);
  record(op, Code::PRE003, "follow", compute);
}

void Assignment::visit(Operation *op) {
  if (auto read = dyn_cast<GetParamOp>(op))
    return visitParameter(read->getResult(0));
  if (op->hasTrait<OpTrait::IsTerminator>())
    return visitTerminator(op);
  bool hasFloats =
      llvm::any_of(op->getOperands(), [&](Value v) { return isFloat(v); }) ||
      llvm::any_of(op->getResults(), [&](Value v) { return isFloat(v); });
  if (asksForHighest(op) && llvm::any_of(op->getOperands(), [&](Value value) {
        return isMaster(value);
      }))
    return visitUpdate(op);
  bool isFixed = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                 llvm::all_of(op->getOperands(),
                              [&](Value value) { return isWeak(value); });
  if (isFixed)
    return visitWeak(op);
  List list = policy.listOf(op);
  if (op->getNumRegions() > 0) {
    if (hasFloats)
      stay(op, Code::PRE109, "type");
    for (Region &region : op->getRegions())
      for (Block &block : region)
        visit(block);
    return;
  }
  if (!hasFloats)
    return;
  if (list == List::None) {
    // A convert that the program wrote reads what it wrote.
    setOperands(op, [&](Value value) { return as(value, f32); });
    Type operand = f32;
    if (op->getNumOperands() > 0)
      operand = elementOf(op->getOperand(0));
    return record(op, Code::PRE101, "type", operand);
  }
  if (asksForHighest(op))
    return stay(op, Code::PRE107, "keep");
  if (const std::string *pattern = keepPattern(op, request.keepF32))
    return stay(op, Code::PRE102, "keep", {*pattern});
  if (list == List::Deny)
    return stay(op, Code::PRE103, "deny");
  return list == List::Allow ? visitAllowed(op) : visitFollowing(op);
}

void Assignment::visit(Block &block) {
  // Converts are inserted while ops are visited.
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops)
    visit(op);
}

std::vector<PrecisionRecord> Assignment::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : function.front())
    ops.push_back(&op);
  roundArguments();
  for (Value argument : function.getArguments())
    if (isMaster(argument)) {
      visitParameter(argument);
      moving.insert(argument);
    }
  for (Operation *op : ops)
    visit(op);
  return std::move(records);
}

std::vector<PrecisionRecord> assignPrecision(func::FuncOp function,
                                             const PrecisionRequest &request) {
  return Assignment(function, request).run();
}

} // namespace zenith::precision
