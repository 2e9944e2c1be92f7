// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a function and replaces every complex value by two real ones; the rules
// per op are in ComplexRules.cpp.

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/expand/ComplexParts.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SPLITCOMPLEXPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::expand {

bool isComplex(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<ComplexType>(type.getElementType());
}

Type partType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return complex ? tensor.clone(complex.getElementType()) : type;
}

Parts ComplexParts::of(Value value) {
  if (auto found = parts.find(value); found != parts.end())
    return found->second;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Type type = partType(value.getType());
  Parts made{builder.create<RealOp>(value.getLoc(), type, value),
             builder.create<ImagOp>(value.getLoc(), type, value)};
  parts[value] = made;
  wholes.insert(value);
  return made;
}

Value ComplexParts::whole(OpBuilder &builder, Value value) {
  auto found = parts.find(value);
  if (found == parts.end() || wholes.contains(value))
    return value;
  return builder.create<ComplexOp>(value.getLoc(), value.getType(),
                                   found->second.real, found->second.imag);
}

void ComplexParts::set(Value value, Parts known) { parts[value] = known; }

/// True where the op has complex operands or results, aside from its regions.
static bool touchesComplex(Operation *op) {
  return llvm::any_of(op->getOperands(), isComplex) ||
         llvm::any_of(op->getResults(), isComplex) ||
         llvm::any_of(op->getRegions(), [](Region &region) {
           return llvm::any_of(region, [](Block &block) {
             return llvm::any_of(block.getArguments(), isComplex);
           });
         });
}

namespace {

/// Replaces ops in order; replaced ones are erased at the end, last one first.
class Splitter {
public:
  void run(func::FuncOp function) {
    split(function.getBody().front());
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    for (auto &[block, dead] : deadArguments)
      block->eraseArguments(dead);
  }

private:
  void split(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (touchesComplex(&op)) {
        splitOp(&op);
        continue;
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          split(inner);
    }
  }

  void splitOp(Operation *op) {
    OpBuilder builder(op);
    if (expandsInPlace(op))
      return expand(op, builder);
    if (splitByRule(op, builder, parts)) {
      replaced.push_back(op);
      return;
    }
    // The op reads whole complex values, as before.
    for (OpOperand &operand : op->getOpOperands())
      if (isComplex(operand.get()))
        operand.set(parts.whole(builder, operand.get()));
  }

  /// Ops that treat each operand, result and argument alike: each complex one
  /// becomes two.
  static bool expandsInPlace(Operation *op) {
    return isa<IfOp, CaseOp, WhileOp, BarrierOp, SortOp, SortWithOp, CompactOp,
               ReduceWithOp, ReduceWindowWithOp, ScatterWithOp, YieldOp>(op);
  }

  SmallVector<Value> expanded(ValueRange values) {
    SmallVector<Value> result;
    for (Value value : values) {
      if (!isComplex(value)) {
        result.push_back(value);
        continue;
      }
      Parts known = parts.of(value);
      result.append({known.real, known.imag});
    }
    return result;
  }

  void expand(Operation *op, OpBuilder &builder) {
    SmallVector<Type> types;
    for (Value result : op->getResults())
      types.append(isComplex(result) ? 2 : 1, partType(result.getType()));
    NamedAttrList attributes(op->getAttrDictionary());
    if (auto scatter = dyn_cast<ScatterWithOp>(op))
      attributes.set(scatter.getOperandSegmentSizesAttrName(),
                     builder.getDenseI32ArrayAttr(
                         {int32_t(expanded(scatter.getInputs()).size()), 1,
                          int32_t(expanded(scatter.getUpdates()).size())}));
    OperationState state(op->getLoc(), op->getName(),
                         expanded(op->getOperands()), types,
                         attributes.getAttrs());
    for (Region &region : op->getRegions()) {
      expandArguments(region.front(), isa<SortWithOp>(op));
      split(region.front());
      state.addRegion()->takeBody(region);
    }
    Operation *wider = builder.create(state);
    unsigned next = 0;
    for (Value result : op->getResults()) {
      if (isComplex(result)) {
        parts.set(result, {wider->getResult(next), wider->getResult(next + 1)});
        next += 2;
      } else {
        result.replaceAllUsesWith(wider->getResult(next++));
      }
    }
    replaced.push_back(op);
  }

  /// Adds two arguments after each complex one, which nobody uses afterwards. A
  /// comparator's come in pairs (left, right): its four are the real parts of
  /// both, then the imaginary ones.
  void expandArguments(Block &block, bool inPairs) {
    llvm::BitVector dead;
    SmallVector<BlockArgument> old(block.getArguments());
    SmallVector<Value> added;
    unsigned place = 0, step = inPairs ? 2 : 1;
    for (unsigned i = 0; i < old.size(); i += step) {
      place += step;
      if (!isComplex(old[i]))
        continue;
      SmallVector<BlockArgument> made;
      for (unsigned k = 0; k < 2 * step; ++k)
        made.push_back(block.insertArgument(place++, partType(old[i].getType()),
                                            old[i].getLoc()));
      for (unsigned k = 0; k < step; ++k)
        parts.set(old[i + k], {made[k], made[step + k]});
    }
    dead.resize(block.getNumArguments());
    for (BlockArgument argument : old)
      if (isComplex(argument))
        dead.set(argument.getArgNumber());
    if (dead.any())
      deadArguments.push_back({&block, dead});
  }

  ComplexParts parts;
  SmallVector<Operation *> replaced;
  SmallVector<std::pair<Block *, llvm::BitVector>> deadArguments;
};

struct SplitComplexPass : impl::SplitComplexPassBase<SplitComplexPass> {
  using SplitComplexPassBase::SplitComplexPassBase;

  void runOnOperation() override {
    if (!getOperation().isExternal())
      Splitter().run(getOperation());
  }
};

} // namespace
} // namespace zenith::expand
