// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes floats that the target lacks in f32, with one rounding for each op,
// and refuses f64; 64-bit integers are split by SplitWords.cpp.

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/precision/SplitWords.h"
#include "passes/precision/types/RegionForms.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LEGALIZETYPESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::precision {

namespace {

/// The types of the pass's option.
struct LackingTypes {
  llvm::StringSet<> words;

  bool has(Type element) const {
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
      return words.contains("f8");
    return element.isF64()    ? words.contains("f64")
           : element.isF16()  ? words.contains("f16")
           : element.isBF16() ? words.contains("bf16")
           : element.isSignlessInteger(64)
               ? words.contains("i64")
               : element.isUnsignedInteger(64) && words.contains("ui64");
  }
  bool hasFloat(Value value) const {
    Type element = typeOf(value).getElementType();
    return isa<FloatType>(element) && has(element);
  }
};

} // namespace

static constexpr StringLiteral knownWords[] = {"i64", "ui64", "f64",
                                               "f16", "bf16", "f8"};

/// Ops that move elements, or hand values on, without computing with them.
/// Memory may hold every type.
static bool movesElements(Operation *op) {
  auto family = familyOf(op);
  if (!family || *family == Family::Movement || *family == Family::Control)
    return true;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getKind() == ScatterKind::set;
  return isa<SelectOp, BitcastOp, GatherOp, DynamicSliceOp,
             DynamicUpdateSliceOp>(op);
}

static bool touchesFloats(Operation *op, const LackingTypes &lacking) {
  auto isLacking = [&](Value value) { return lacking.hasFloat(value); };
  return llvm::any_of(op->getOperands(), isLacking) ||
         llvm::any_of(op->getResults(), isLacking);
}

/// A convert between f32 and a type in memory is how such a value is stored;
/// others go by way of f32, but for numbers that f32 would round first.
static bool isStorageConvert(Operation *op) {
  auto convert = dyn_cast<ConvertOp>(op);
  if (!convert)
    return false;
  Type from = typeOf(convert.getOperand()).getElementType(),
       to = typeOf(convert.getResult()).getElementType();
  constexpr unsigned digitsOfF32 = 24;
  bool isWide =
      !isa<ComplexType>(from) && from.getIntOrFloatBitWidth() > digitsOfF32;
  bool isNarrow = isa<FloatType>(to) && to.getIntOrFloatBitWidth() < 32;
  return from.isF32() || to.isF32() || (isWide && isNarrow);
}

/// The op on f32 instead of the types that are lacking; its results are rounded
/// to these.
static void computeInF32(Operation *op, const LackingTypes &lacking) {
  OpBuilder builder(op);
  Type f32 = builder.getF32Type();
  for (OpOperand &operand : op->getOpOperands())
    if (lacking.hasFloat(operand.get()))
      operand.set(converted(builder, operand.get(), f32));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    if (!lacking.hasFloat(result))
      continue;
    RankedTensorType type = typeOf(result);
    result.setType(type.clone(f32));
    if (type.getElementType().isF64())
      remarks::emit(op, remarks::Code::PRE007,
                    {op->getName().stripDialect(), "f32"});
    auto rounded = builder.create<ConvertOp>(op->getLoc(), type, result);
    result.replaceAllUsesExcept(rounded, rounded);
  }
}

static bool isSaturating(Operation *op) {
  auto convert = dyn_cast<ConvertOp>(op);
  return convert && convert.getSaturate();
}

static LogicalResult legalizeFloats(func::FuncOp function,
                                    const LackingTypes &lacking,
                                    bool refusesDoubles) {
  formRoundedSteps(function, [&](Type element) {
    return isa<FloatType>(element) && !element.isF64() && lacking.has(element);
  });
  SmallVector<Operation *> computing;
  WalkResult walked = function.walk([&](Operation *op) {
    if (op == function || movesElements(op) || !touchesFloats(op, lacking))
      return WalkResult::advance();
    auto isDouble = [&](Value value) {
      return typeOf(value).getElementType().isF64() && lacking.hasFloat(value);
    };
    if (refusesDoubles && (llvm::any_of(op->getOperands(), isDouble) ||
                           llvm::any_of(op->getResults(), isDouble))) {
      op->emitOpError() << "computes in f64, which the target lacks";
      return WalkResult::interrupt();
    }
    if (!isStorageConvert(op) && !isSaturating(op) && op->getNumRegions() == 0)
      computing.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (Operation *op : computing) {
    if (familyOf(op) == Family::Random)
      return op->emitOpError() << "draws numbers of a type that the target "
                                  "lacks, which zenith-legalize-types has no "
                                  "rule for";
    computeInF32(op, lacking);
  }
  return success();
}

namespace {

struct LegalizeTypesPass : impl::LegalizeTypesPassBase<LegalizeTypesPass> {
  using LegalizeTypesPassBase::LegalizeTypesPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    LackingTypes lacking;
    for (const std::string &word : types) {
      if (!llvm::is_contained(knownWords, word)) {
        getOperation().emitError() << "'" << word
                                   << "' is none of i64, ui64, f64, f16, bf16 "
                                      "and f8";
        return signalPassFailure();
      }
      lacking.words.insert(word);
    }
    if (!f64As.empty() && f64As != "f32") {
      getOperation().emitError()
          << "f64-as: got '" << f64As << "', expected f32";
      return signalPassFailure();
    }
    auto lacksWords = [&](Type element) {
      return element.isInteger() && lacking.has(element);
    };
    if (failed(legalizeFloats(getOperation(), lacking, f64As.empty())))
      return signalPassFailure();
    formWordRegions(getOperation(), lacksWords);
    if (failed(splitWords(getOperation(), lacksWords)))
      signalPassFailure();
  }
};

} // namespace
} // namespace zenith::precision
