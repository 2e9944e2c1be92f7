// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks attributes that every reader relies on: names of arguments and results
// of functions, graph.name and graph.dims, and those of ops.

#include "ir/AssertionCode.h"
#include "ir/GraphDialect.h"
#include "ir/ShapeChecks.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/devices/BlockAttr.h"
#include "ir/dims/DimAttr.h"
#include "ir/dims/DimExpr.h"
#include "ir/program/Shardings.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace zenith::graph {

namespace {
/// One argument or result of a function, and the attribute on it.
struct SignatureEntry {
  Operation *function;
  const char *role; ///< "argument" or "result"
  unsigned index;
  Type type;
  NamedAttribute attribute;

  LogicalResult fail(Attribute got, const Twine &expected,
                     unsigned constraint) const {
    return function->emitOpError()
           << role << ' ' << index << ": " << attribute.getName().getValue()
           << ": got " << got << ", expected " << expected << " (signature_c"
           << constraint << ')';
  }
};
} // namespace

/// A name must be text that later phases can read back as an expression.
static LogicalResult verifyDim(const SignatureEntry &entry, StringAttr text,
                               int64_t size) {
  if (text.empty())
    return success();
  std::optional<DimExpr> expr = DimExpr::parse(text.str());
  if (!expr)
    return entry.fail(text, "a number, a name or an expression", 3);
  std::optional<int64_t> number = expr->constant();
  if (!ShapedType::isDynamic(size) && number != size)
    return entry.fail(text, "\"" + Twine(size) + "\", the size in the type", 4);
  if (number && *number < 0)
    return entry.fail(text, "a size of at least 0", 4);
  return success();
}

static LogicalResult verifyDims(const SignatureEntry &entry) {
  Attribute value = entry.attribute.getValue();
  auto type = dyn_cast<RankedTensorType>(entry.type);
  if (!type)
    return entry.fail(value, "no dimensions on " + typeText(entry.type), 2);
  auto dims = dyn_cast<ArrayAttr>(value);
  bool isList = dims && llvm::all_of(dims, [](Attribute a) {
                  return isa<StringAttr>(a);
                });
  if (!isList || int64_t(dims.size()) != type.getRank())
    return entry.fail(value,
                      "a list of " + Twine(type.getRank()) +
                          " strings, one per dimension",
                      2);
  for (auto [text, size] : llvm::zip_equal(dims, type.getShape()))
    if (failed(verifyDim(entry, cast<StringAttr>(text), size)))
      return failure();
  return success();
}

static LogicalResult verifySharding(const SignatureEntry &entry) {
  auto sharding = dyn_cast<ShardingAttr>(entry.attribute.getValue());
  if (!sharding)
    return entry.fail(entry.attribute.getValue(), "#graph.sharding", 9);
  if (auto mistake = shardingMistake(entry.function, sharding, entry.type))
    return entry.function->emitOpError()
           << entry.role << ' ' << entry.index << ": " << shardingAttrName
           << ": " << *mistake;
  return success();
}

// The value is the block that graph.block says.
static LogicalResult verifyBlock(const SignatureEntry &entry) {
  Attribute value = entry.attribute.getValue();
  auto stated = dyn_cast<DictionaryAttr>(value);
  auto sharding = stated ? stated.getAs<ShardingAttr>("sharding") : nullptr;
  auto named = stated ? stated.getAs<TypeAttr>("whole") : nullptr;
  auto whole =
      dyn_cast_or_null<RankedTensorType>(named ? named.getValue() : Type());
  if (!sharding || !whole || !whole.hasStaticShape())
    return entry.fail(value, "{sharding = #graph.sharding, whole = a type}",
                      10);
  if (auto mistake = shardingMistake(entry.function, sharding, whole))
    return entry.function->emitOpError()
           << entry.role << ' ' << entry.index << ": " << blockAttrName << ": "
           << *mistake;
  RankedTensorType block =
      blockType(whole, sharding, meshOf(entry.function, sharding));
  if (block != entry.type)
    return entry.fail(value, "blocks of " + typeText(entry.type), 10);
  return success();
}

/// Attributes that passes leave on arguments are free; only those that every
/// reader relies on have a form.
static LogicalResult verifyEntry(const SignatureEntry &entry) {
  if (entry.attribute.getName() == nameAttrName &&
      !isa<StringAttr>(entry.attribute.getValue()))
    return entry.fail(entry.attribute.getValue(), "a string", 1);
  if (entry.attribute.getName() == dimsAttrName)
    return verifyDims(entry);
  if (entry.attribute.getName() == shardingAttrName)
    return verifySharding(entry);
  if (entry.attribute.getName() == blockAttrName)
    return verifyBlock(entry);
  return success();
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyEntry(
      {op, "argument", index, function.getArgumentTypes()[index], attribute});
}

LogicalResult GraphDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyEntry(
      {op, "result", index, function.getResultTypes()[index], attribute});
}

/// Checks signature_c8: bounds are of dimensions that arguments name.
static LogicalResult verifyDimBounds(Operation *op, Attribute value) {
  auto refuse = [&](const Twine &expected) {
    return op->emitOpError() << dimBoundsAttrName << ": got " << value
                             << ", expected " << expected << " (signature_c8)";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto stated = dyn_cast<DictionaryAttr>(value);
  if (!function || !stated)
    return refuse("a dictionary on a function");
  std::set<std::string> names = dimNamesOf(function);
  for (NamedAttribute entry : stated) {
    if (!isa<BoundsAttr>(entry.getValue()))
      return refuse("#graph.bounds of '" + entry.getName().getValue() + "'");
    if (!names.count(entry.getName().str()))
      return refuse("names of dimensions of arguments, not '" +
                    entry.getName().getValue() + "'");
  }
  return success();
}

/// Words that passes leave on ops and arguments are free; only those that every
/// reader relies on have a form.
LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == nameAttrName &&
      !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << nameAttrName << ": got " << attribute.getValue()
                             << ", expected a string";
  if (attribute.getName() == dimBoundsAttrName)
    return verifyDimBounds(op, attribute.getValue());
  if (attribute.getName() == shardingAttrName)
    return verifyShardingAttribute(op, attribute.getValue());
  if (attribute.getName() == runErrorAttrName &&
      !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << runErrorAttrName << ": got "
                             << attribute.getValue() << ", expected unit";
  return verifyDerivationAttribute(op, attribute);
}

} // namespace zenith::graph
