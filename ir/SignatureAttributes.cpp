// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the names that arguments and results of functions carry: graph.name
// and graph.dims.

#include "ir/GraphDialect.h"
#include "ir/ShapeChecks.h"
#include "ir/dims/DimExpr.h"
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

/// Attributes that passes leave on arguments are free; only the two that every
/// reader relies on have a form.
static LogicalResult verifyEntry(const SignatureEntry &entry) {
  if (entry.attribute.getName() == nameAttrName &&
      !isa<StringAttr>(entry.attribute.getValue()))
    return entry.fail(entry.attribute.getValue(), "a string", 1);
  if (entry.attribute.getName() == dimsAttrName)
    return verifyDims(entry);
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

} // namespace zenith::graph
