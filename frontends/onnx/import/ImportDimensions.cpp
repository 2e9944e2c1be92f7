// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbolic shapes: dimension expressions of an imported graph, facts about
// them, and the scalars that hold them at run time.
#include "frontends/onnx/DimNames.h"
#include "frontends/onnx/import/ImportBuilder.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

bool zenith::onnx::provablyLess(const DimExpr &lhs, const DimExpr &rhs) {
  return (lhs + DimExpr(1)).provablyAtMost(rhs);
}

bool zenith::onnx::provablyNatural(const DimExpr &dim) {
  return DimExpr(0).provablyAtMost(dim);
}

RankedTensorType ImportBuilder::typeOf(ArrayRef<DimExpr> dims, Type element) {
  SmallVector<int64_t> shape;
  for (const DimExpr &dim : dims) {
    std::optional<int64_t> size = dim.constant();
    if (size && *size < 0)
      fail(invalid(fmt::format("a result dimension is negative: {}", *size)));
    shape.push_back(size ? std::max<int64_t>(*size, 0) : ShapedType::kDynamic);
  }
  return RankedTensorType::get(shape, element);
}

DimExpr ImportBuilder::shortened(const DimExpr &expr) {
  if (simpleEnough(expr) || failed())
    return expr;
  if (provablyNatural(expr))
    return nameCount(scalar(expr));
  DimExpr name = analysis.freshScalar();
  symbolScalars[*name.asSymbol()] = scalar(expr);
  return name;
}

DimExpr ImportBuilder::product(ArrayRef<DimExpr> dims) {
  DimExpr result(1);
  for (const DimExpr &dim : dims)
    result = shortened(shortened(result) * shortened(dim));
  return result;
}

static bool mentions(const DimExpr &expr,
                     const std::map<std::string, DimExpr> &symbols) {
  bool found = false;
  expr.forEachSymbol(
      [&](const std::string &name) { found |= symbols.count(name) > 0; });
  return found;
}

static DimExpr replaced(const DimExpr &expr,
                        const std::map<std::string, DimExpr> &symbols);

static DimExpr replaced(const graph::DimAtom &atom,
                        const std::map<std::string, DimExpr> &symbols) {
  using Kind = graph::DimAtom::Kind;
  if (atom.kind == Kind::Symbol) {
    auto found = symbols.find(atom.name);
    return found == symbols.end() ? DimExpr::symbol(atom.name) : found->second;
  }
  DimExpr lhs = replaced(*atom.lhs, symbols),
          rhs = replaced(*atom.rhs, symbols);
  switch (atom.kind) {
  case Kind::Min:
    return DimExpr::min(lhs, rhs);
  case Kind::Max:
    return DimExpr::max(lhs, rhs);
  case Kind::Mod:
    return DimExpr::mod(lhs, rhs);
  case Kind::Broadcast:
    return DimExpr::broadcast(lhs, rhs);
  default:
    return DimExpr::floorDiv(lhs, rhs);
  }
}

static DimExpr replaced(const DimExpr &expr,
                        const std::map<std::string, DimExpr> &symbols) {
  if (!mentions(expr, symbols))
    return expr;
  DimExpr result(0);
  for (const auto &[monomial, coefficient] : expr.terms()) {
    DimExpr term(coefficient);
    for (const auto &[atom, power] : monomial) {
      DimExpr factor = replaced(atom, symbols);
      for (unsigned i = 0; i < power; ++i)
        term = term * factor;
    }
    result = result + term;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

void ImportBuilder::require(graph::SizeCondition condition) {
  condition.lhs = replaced(condition.lhs, assumed);
  condition.rhs = replaced(condition.rhs, assumed);
  if (failed() || condition.isProved() || !canRead(condition.lhs) ||
      !canRead(condition.rhs) || !stated.insert(condition.key()).second)
    return;
  graph::SizeCheckSubject words =
      subject ? subject() : graph::SizeCheckSubject();
  if (condition.isRefuted())
    return fail(invalid(graph::messageOf(condition, {}).text));
  graph::createSizeCheck(builder, loc, condition, words,
                         [&](const DimExpr &expr) {
                           return canRead(expr) ? scalar(expr) : Value();
                         });
}

void ImportBuilder::requireEqual(const DimExpr &lhs, const DimExpr &rhs,
                                 const llvm::Twine &what) {
  require({graph::SizeCondition::Relation::Equal, lhs, rhs, what.str()});
}

void ImportBuilder::requireOneOrEqual(const DimExpr &lhs, const DimExpr &rhs) {
  require({graph::SizeCondition::Relation::OneOrEqual, lhs, rhs, "sizes"});
}

void ImportBuilder::requireAtMost(const DimExpr &lhs, const DimExpr &rhs,
                                  const llvm::Twine &what) {
  require({graph::SizeCondition::Relation::AtMost, lhs, rhs, what.str()});
}

DimExpr ImportBuilder::divided(const DimExpr &lhs, const DimExpr &rhs,
                               const llvm::Twine &what) {
  requireAtMost(DimExpr(1), rhs, "the least number of parts");
  requireEqual(DimExpr::mod(lhs, rhs), DimExpr(0), what);
  return shortened(DimExpr::floorDiv(lhs, rhs));
}

/// What an op requires beyond its types, before it runs.
void ImportBuilder::requireSizesOf(Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  graph::forEachSizeCondition(
      op, analysis,
      [&](const graph::SizeCondition &condition) { require(condition); });
}

DimVector ImportBuilder::dims(Value value) {
  DimVector result = analysis.dimsOf(value);
  for (DimExpr &dim : result) {
    if (!assumed.empty())
      dim = replaced(dim, assumed);
    if (!speaksForItself(dim) || !canRead(dim))
      if (auto known = shortNames.find(dim.str()); known != shortNames.end())
        dim = DimExpr::symbol(known->second);
  }
  return result;
}

void ImportBuilder::assume(Value value, int64_t dim, const DimExpr &expr) {
  auto symbol = analysis.dimOf(value, dim).asSymbol();
  if (symbol && expr.asSymbol() != symbol && !assumed.count(*symbol))
    assumed[*symbol] = replaced(expr, assumed);
}

DimExpr ImportBuilder::nameCount(Value scalar) {
  std::string name = fmt::format("%count{}", counts++);
  symbolScalars[name] = scalar;
  return DimExpr::symbol(name);
}

bool ImportBuilder::canRead(const DimExpr &expr) const {
  bool all = true;
  expr.forEachSymbol([&](const std::string &name) {
    all &= symbolDims.count(name) || symbolScalars.count(name) ||
           scalarCache.count(name);
  });
  return all;
}

void ImportBuilder::bindDims(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return;
  const DimVector &known = analysis.dimsOf(value);
  for (auto [index, dim] : llvm::enumerate(known)) {
    if (auto symbol = dim.asSymbol())
      symbolDims.try_emplace(*symbol, value, index);
    DimExpr expr = replaced(dim, assumed);
    // Sizes that are computed from data have symbols that no value gives.
    if (speaksForItself(expr) && canRead(expr))
      continue;
    auto [name, isNew] = shortNames.try_emplace(expr.str());
    if (isNew)
      name->second = fmt::format("%dim{}", shortNames.size());
    symbolDims.try_emplace(name->second, value, index);
  }
}

DimExpr ImportBuilder::readScalar(Value value) {
  DimExpr expr = analysis.scalar(value);
  if (auto symbol = expr.asSymbol())
    if (!symbolDims.count(*symbol))
      symbolScalars.try_emplace(*symbol, value);
  expr = replaced(expr, assumed);
  // An expression over scalars that no op has read yet is one more scalar.
  if (!canRead(expr)) {
    expr = analysis.freshScalar();
    symbolScalars[*expr.asSymbol()] = value;
  }
  return expr;
}

template <typename Op> Value ImportBuilder::scalarOp(Value lhs, Value rhs) {
  return builder.createOrFold<Op>(loc, lhs.getType(), lhs, rhs);
}

Value ImportBuilder::atomValue(const graph::DimAtom &atom) {
  using Kind = graph::DimAtom::Kind;
  if (atom.kind == Kind::Symbol) {
    if (auto known = scalarCache.find(atom.name); known != scalarCache.end())
      return known->second;
    if (auto scalar = symbolScalars.find(atom.name);
        scalar != symbolScalars.end())
      return scalar->second;
    auto dim = symbolDims.find(atom.name);
    if (dim == symbolDims.end()) {
      fail(unsupported(
          fmt::format("no input tells the size of dimension '{}'", atom.name)));
      return opaque(RankedTensorType::get({}, builder.getI64Type()));
    }
    Value size = builder.create<graph::DimOp>(loc, dim->second.first,
                                              dim->second.second);
    return scalarCache[atom.name] = size;
  }
  Value lhs = scalar(*atom.lhs), rhs = scalar(*atom.rhs);
  switch (atom.kind) {
  case Kind::Min:
    return scalarOp<graph::MinOp>(lhs, rhs);
  case Kind::Max:
    return scalarOp<graph::MaxOp>(lhs, rhs);
  case Kind::Mod:
    return builder.create<graph::FloorModOp>(loc, lhs.getType(), lhs, rhs);
  case Kind::Broadcast:
    return builder.create<graph::SelectOp>(
        loc, lhs.getType(),
        builder.create<graph::CompareOp>(loc, graph::CompareDirection::eq, lhs,
                                         scalar(DimExpr(1))),
        rhs, lhs);
  default:
    break;
  }
  // graph.div truncates, which rounds down only if nothing is negative.
  if (!provablyNatural(*atom.lhs) || !provablyNatural(*atom.rhs))
    lhs = scalarOp<graph::SubOp>(
        lhs, builder.create<graph::FloorModOp>(loc, lhs.getType(), lhs, rhs));
  return scalarOp<graph::DivOp>(lhs, rhs);
}

Value ImportBuilder::monomialValue(const DimExpr::Monomial &monomial,
                                   int64_t coefficient) {
  Value result;
  for (const auto &[atom, power] : monomial) {
    Value value = atomValue(atom);
    for (unsigned i = 0; i < power; ++i)
      result = result ? scalarOp<graph::MulOp>(result, value) : value;
  }
  if (!result)
    return scalar(DimExpr(coefficient));
  if (coefficient != 1)
    result = scalarOp<graph::MulOp>(result, scalar(DimExpr(coefficient)));
  return result;
}

Value ImportBuilder::scalar(const DimExpr &expr) {
  std::string text = expr.str();
  if (auto known = scalarCache.find(text); known != scalarCache.end())
    return known->second;
  Value result;
  if (auto constant = expr.constant()) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    result = builder.create<graph::ConstantOp>(
        loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(*constant)));
  } else {
    for (const auto &[monomial, coefficient] : expr.terms()) {
      Value term = monomialValue(monomial, coefficient);
      result = result ? scalarOp<graph::AddOp>(result, term) : term;
    }
  }
  scalarCache[text] = result;
  return result;
}

SmallVector<Value> ImportBuilder::scalars(ArrayRef<DimExpr> exprs) {
  return llvm::map_to_vector(exprs,
                             [&](const DimExpr &expr) { return scalar(expr); });
}

SmallVector<Value> ImportBuilder::dynamicScalars(ArrayRef<DimExpr> dims) {
  SmallVector<Value> result;
  for (const DimExpr &dim : dims)
    if (!dim.constant())
      result.push_back(scalar(dim));
  return result;
}
