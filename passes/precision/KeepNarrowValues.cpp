// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that was rounded and widened again waits for the backward pass in
// its narrow type: the conversion to the wide one belongs to its readers.

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/cost/RematerializationCosts.h"
#include "passes/precision/PrecisionPasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_KEEPNARROWVALUESPASS
#include "passes/precision/PrecisionPasses.h.inc"
} // namespace zenith

namespace zenith::precision {

namespace {

/// A result that is a narrow value of its region, widened and then moved.
struct Widened {
  Value narrow;
  SmallVector<Operation *> moves; ///< in program order
};

/// What holds the narrow form, and what moves it to its readers.
struct NarrowForm {
  Value result;
  ArrayRef<Operation *> moves;
};

} // namespace

static Type elementOf(Value value) { return typeOf(value).getElementType(); }

static bool movesAll(Operation *op) {
  return isa_and_nonnull<TransposeOp, ReshapeOp>(op) &&
         op->getNumOperands() == 1;
}

static std::optional<Widened> widenedIn(Value yielded) {
  Widened found;
  Value value = yielded;
  for (; movesAll(value.getDefiningOp());
       value = value.getDefiningOp()->getOperand(0))
    found.moves.insert(found.moves.begin(), value.getDefiningOp());
  auto convert = value.getDefiningOp<ConvertOp>();
  if (!convert || !elementOf(value).isF32() ||
      !(elementOf(convert.getOperand()).isBF16() ||
        elementOf(convert.getOperand()).isF16()))
    return std::nullopt;
  found.narrow = convert.getOperand();
  return found;
}

/// An argument of the function that is rounded is there in any case: whoever
/// reads it rounds it again (see zenith-cheap-rematerialization).
static bool isRoundedArgument(FusionOp fusion, Value value) {
  while (auto convert = value.getDefiningOp<ConvertOp>())
    value = convert.getOperand();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         isa<BlockArgument>(fusion.getInputs()[argument.getArgNumber()]);
}

static bool isWindow(Operation *op) {
  auto fusion = dyn_cast<FusionOp>(op);
  return fusion && fusion.getKind() == FusionKind::window;
}

/// Windows have few multiplications for each element that they read, so half
/// the bytes are worth a conversion for each reading.
static bool isReadByWindows(Value value) {
  return llvm::all_of(value.getUsers(), isWindow);
}

/// Whether a kernel can widen `value` where it reads it.
static bool takesWidening(FusionKind kind, Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (movesAll(user))
      return takesWidening(kind, user->getResult(0));
    if (isa<DotGeneralOp, ConvolutionOp>(user))
      return kind == FusionKind::contraction || kind == FusionKind::window;
    if (isa<ReduceOp>(user))
      return kind == FusionKind::reduction;
    return isa<DimOp, BroadcastOp>(user) ||
           familyOf(user) == Family::Elementwise;
  });
}

static bool takesWidening(Operation *user, Value value) {
  auto reader = dyn_cast<FusionOp>(user);
  if (!reader || !(cost::takesComputation(reader) || isWindow(reader)))
    return false;
  for (auto [input, argument] :
       llvm::zip(reader.getInputs(), reader.getBody().getArguments()))
    if (input == value && !takesWidening(reader.getKind(), argument))
      return false;
  return true;
}

/// Makes `uses`, of a wide value, read `narrow`: behind movement, so that a
/// product finds the conversion at its operand.
static void readWidened(ArrayRef<OpOperand *> uses, Value narrow) {
  Value wide;
  for (OpOperand *use : uses) {
    Operation *user = use->getOwner();
    if (movesAll(user)) {
      SmallVector<OpOperand *> behind;
      Value moved = user->getResult(0);
      for (OpOperand &next : moved.getUses())
        behind.push_back(&next);
      use->set(narrow);
      moved.setType(typeOf(moved).clone(elementOf(narrow)));
      readWidened(behind, moved);
      continue;
    }
    if (!wide) {
      OpBuilder builder(narrow.getContext());
      builder.setInsertionPointAfterValue(narrow);
      wide = builder.create<ConvertOp>(
          narrow.getLoc(), typeOf(narrow).clone(builder.getF32Type()), narrow);
    }
    use->set(wide);
  }
}

static Value moved(OpBuilder &builder, Value value,
                   ArrayRef<Operation *> moves) {
  for (Operation *move : moves) {
    Operation *copy = builder.clone(*move);
    copy->setOperand(0, value);
    value = copy->getResult(0);
    value.setType(typeOf(value).clone(elementOf(copy->getOperand(0))));
  }
  return value;
}

static void readNarrow(FusionOp reader, Value result, const NarrowForm &form) {
  Block &body = reader.getBody().front();
  Value source;
  for (auto [input, argument] :
       llvm::zip(reader.getInputs(), body.getArguments()))
    if (input == form.result && input != result)
      source = argument;
  for (unsigned i = reader.getInputs().size(); i-- > 0;) {
    if (reader.getInputs()[i] != result)
      continue;
    BlockArgument argument = body.getArgument(i);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : argument.getUses())
      uses.push_back(&use);
    if (form.result == result) {
      argument.setType(result.getType());
      readWidened(uses, argument);
      continue;
    }
    if (!source) {
      reader.getInputsMutable().append(form.result);
      source = body.addArgument(form.result.getType(), form.result.getLoc());
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    readWidened(uses, moved(builder, source, form.moves));
    body.eraseArgument(i);
    reader.getInputsMutable().erase(i);
  }
}

namespace {

class NarrowResults {
public:
  NarrowResults(FusionOp fusion, bool explain)
      : fusion(fusion),
        yield(cast<YieldOp>(fusion.getBody().front().getTerminator())),
        explain(explain) {}

  void run() {
    for (unsigned i = 0; i < fusion.getNumResults(); ++i)
      keepNarrow(i);
  }

private:
  void keepNarrow(unsigned index);
  /// What holds a value of the region in memory; null if nothing does.
  Value outside(Value inner) {
    if (auto argument = dyn_cast<BlockArgument>(inner))
      return fusion.getInputs()[argument.getArgNumber()];
    for (auto [value, result] :
         llvm::zip(yield->getOperands(), fusion.getResults()))
      if (value == inner && !result.use_empty())
        return result;
    return {};
  }

  FusionOp fusion;
  YieldOp yield;
  bool explain;
};

} // namespace

void NarrowResults::keepNarrow(unsigned index) {
  Value result = fusion.getResult(index), yielded = yield->getOperand(index);
  std::optional<Widened> widened = widenedIn(yielded);
  if (!widened ||
      !(cost::livesLong(result,
                        cost::RematerializationCosts::longLifeOfRounded) ||
        isReadByWindows(result)) ||
      isRoundedArgument(fusion, widened->narrow) ||
      llvm::count(yield->getOperands(), yielded) != 1)
    return;
  llvm::SmallSetVector<Operation *, 4> readers(result.user_begin(),
                                               result.user_end());
  if (!llvm::all_of(readers, [&](Operation *reader) {
        return takesWidening(reader, result);
      }))
    return;
  NarrowForm form{outside(widened->narrow), widened->moves};
  if (!form.result) {
    OpBuilder builder(yield);
    Value kept = moved(builder, widened->narrow, widened->moves);
    yield->setOperand(index, kept);
    result.setType(kept.getType());
    form = {result, {}};
  }
  for (Operation *reader : readers)
    readNarrow(cast<FusionOp>(reader), result, form);
  for (Operation *op = yielded.getDefiningOp();
       form.result == result && op != widened->narrow.getDefiningOp() &&
       op->use_empty();) {
    Operation *source = op->getOperand(0).getDefiningOp();
    op->erase();
    op = source;
  }
  if (explain)
    remarks::emit(fusion, remarks::Code::FUS106, {index, readers.size()});
}

namespace {

struct KeepNarrowValuesPass
    : impl::KeepNarrowValuesPassBase<KeepNarrowValuesPass> {
  using KeepNarrowValuesPassBase::KeepNarrowValuesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    for (FusionOp fusion : function.getBody().front().getOps<FusionOp>())
      NarrowResults(fusion, explain).run();
  }
};

} // namespace
} // namespace zenith::precision
