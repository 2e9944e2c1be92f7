// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products become add and mul, atoms floor_mod, div, min, max and
// select; every expression is emitted once.

#include "ir/DimScalars.h"
#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::graph {

DimScalars::DimScalars(func::FuncOp function, DimAnalysis &analysis)
    : builder(function.getContext()), loc(function.getLoc()) {
  builder.setInsertionPointToStart(&function.getBody().front());
  constant(1);
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    if (type.getRank() == 0 && type.getElementType().isInteger(64))
      known.emplace(analysis.scalar(argument), argument);
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (std::optional<std::string> name =
              analysis.dimOf(argument, d).asSymbol())
        sources.emplace(*name, std::make_pair(Value(argument), unsigned(d)));
  }
}

DimScalars::DimScalars(Operation *anchor, const Sources &sources)
    : builder(anchor), loc(anchor->getLoc()), sources(sources.dims) {
  for (const auto &[name, value] : sources.scalars)
    known.emplace(DimExpr::symbol(name), value);
}

/// Ops that stood at the start of the block already may be erased between
/// calls, so the place is the last own op.
template <typename Op, typename... Args>
Value DimScalars::create(Args &&...args) {
  if (last)
    builder.setInsertionPointAfter(last);
  last = builder.create<Op>(loc, std::forward<Args>(args)...);
  return last->getResult(0);
}

Value DimScalars::constant(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return create<ConstantOp>(
      cast<ElementsAttr>(DenseElementsAttr::get(type, value)));
}

template <typename Op> Value DimScalars::binary(Value lhs, Value rhs) {
  return create<Op>(lhs.getType(), lhs, rhs);
}

Value DimScalars::materialize(const DimExpr &expr) {
  if (auto found = known.find(expr); found != known.end())
    return found->second;
  Value value = emit(expr);
  if (value)
    known.emplace(expr, value);
  return value;
}

Value DimScalars::emit(const DimExpr &expr) {
  if (std::optional<int64_t> value = expr.constant())
    return constant(*value);
  Value sum;
  for (const auto &[monomial, coefficient] : expr.terms()) {
    Value product;
    for (const auto &[atom, power] : monomial) {
      DimExpr factor = DimExpr::fromMonomial({{atom, 1u}});
      auto found = known.find(factor);
      Value value = found == known.end() ? emitAtom(atom) : found->second;
      if (!value)
        return {};
      known.emplace(factor, value);
      for (unsigned i = 0; i < power; ++i)
        product = product ? binary<MulOp>(product, value) : value;
    }
    if (!product)
      product = materialize(DimExpr(coefficient));
    else if (coefficient != 1)
      product = binary<MulOp>(product, materialize(DimExpr(coefficient)));
    sum = sum ? binary<AddOp>(sum, product) : product;
  }
  return sum;
}

Value DimScalars::emitAtom(const DimAtom &atom) {
  if (atom.kind == DimAtom::Kind::Symbol) {
    auto found = sources.find(atom.name);
    if (found == sources.end())
      return {};
    return create<DimOp>(found->second.first, int64_t(found->second.second));
  }
  Value lhs = materialize(*atom.lhs), rhs = materialize(*atom.rhs);
  if (!lhs || !rhs)
    return {};
  switch (atom.kind) {
  case DimAtom::Kind::Min:
    return binary<MinOp>(lhs, rhs);
  case DimAtom::Kind::Max:
    return binary<MaxOp>(lhs, rhs);
  case DimAtom::Kind::Mod:
    return binary<FloorModOp>(lhs, rhs);
  case DimAtom::Kind::Broadcast:
    return create<SelectOp>(
        lhs.getType(),
        create<CompareOp>(CompareDirection::eq, lhs, constant(1)), rhs, lhs);
  default:
    // graph.div truncates: exact only where both sides have one sign, or
    // nothing is left over.
    if (DimExpr(0).provablyAtMost(*atom.lhs) &&
        DimExpr(0).provablyAtMost(*atom.rhs))
      return binary<DivOp>(lhs, rhs);
    return binary<DivOp>(binary<SubOp>(lhs, binary<FloorModOp>(lhs, rhs)), rhs);
  }
}

std::optional<SmallVector<Value>>
DimScalars::dynamicDims(const DimVector &dims, RankedTensorType type) {
  SmallVector<Value> operands;
  for (auto [d, size] : llvm::enumerate(dims)) {
    if (!type.isDynamicDim(d))
      continue;
    Value value = materialize(size);
    if (!value)
      return std::nullopt;
    operands.push_back(value);
  }
  return operands;
}

} // namespace zenith::graph
