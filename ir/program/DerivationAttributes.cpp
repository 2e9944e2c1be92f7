// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what functions say about derivatives: graph.derive, graph.custom_jvp
// and graph.custom_vjp.

#include "ir/GraphDialect.h"
#include "ir/ShapeChecks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace zenith::graph {

bool isDifferentiable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType, ComplexType>(tensor.getElementType());
}

namespace {
/// The attribute of one function.
struct Derivation {
  FunctionOpInterface function;
  NamedAttribute attribute;

  LogicalResult fail(const Twine &got, const Twine &expected,
                     unsigned constraint) {
    return function->emitOpError()
           << attribute.getName().getValue() << ": got " << got << ", expected "
           << expected << " (custom_c" << constraint << ')';
  }

  FunctionOpInterface find(FlatSymbolRefAttr symbol) {
    return dyn_cast_or_null<FunctionOpInterface>(
        SymbolTable::lookupNearestSymbolFrom(function, symbol));
  }
};
} // namespace

static std::string attributeText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

static SmallVector<Type> differentiable(TypeRange types) {
  return llvm::to_vector(llvm::make_filter_range(types, isDifferentiable));
}

static SmallVector<Type> joined(TypeRange first, TypeRange second) {
  SmallVector<Type> all(first);
  llvm::append_range(all, second);
  return all;
}

static std::string signature(TypeRange arguments, TypeRange results) {
  std::string text = "(";
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(arguments, out);
  out << ") -> (";
  llvm::interleaveComma(results, out);
  out << ")";
  return text;
}

static std::string signature(FunctionOpInterface function) {
  return signature(function.getArgumentTypes(), function.getResultTypes());
}

static LogicalResult verifyDerive(Derivation derivation) {
  auto of = dyn_cast<DictionaryAttr>(derivation.attribute.getValue());
  auto rule = of ? of.getAs<StringAttr>("rule") : StringAttr();
  auto symbol = of ? of.getAs<FlatSymbolRefAttr>("of") : FlatSymbolRefAttr();
  bool hasText =
      of && (!of.contains("options") || isa<StringAttr>(of.get("options")));
  // custom_c1
  if (!rule || !symbol || !hasText)
    return derivation.fail(
        attributeText(derivation.attribute.getValue()),
        "{rule = \"NAME\", of = @FUNCTION, options = \"TEXT\"}", 1);
  // custom_c2
  if (!derivation.function.isExternal())
    return derivation.fail("a function with a body", "one without", 2);
  // custom_c3
  if (!derivation.find(symbol))
    return derivation.fail(attributeText(symbol), "the name of a function", 3);
  return success();
}

/// The function that `name` of a custom rule names.
static FailureOr<FunctionOpInterface> ruleFunction(Derivation derivation,
                                                   FlatSymbolRefAttr symbol) {
  // custom_c5
  FunctionOpInterface found = derivation.find(symbol);
  if (!found)
    return derivation.fail(attributeText(symbol), "the name of a function", 5);
  return found;
}

static LogicalResult verifyCustomJvp(Derivation derivation) {
  auto symbol = dyn_cast<FlatSymbolRefAttr>(derivation.attribute.getValue());
  // custom_c4
  if (!symbol)
    return derivation.fail(attributeText(derivation.attribute.getValue()),
                           "@FUNCTION", 4);
  FailureOr<FunctionOpInterface> rule = ruleFunction(derivation, symbol);
  if (failed(rule))
    return failure();
  TypeRange arguments = derivation.function.getArgumentTypes(),
            results = derivation.function.getResultTypes();
  SmallVector<Type> expectedArguments =
      joined(arguments, differentiable(arguments));
  SmallVector<Type> expectedResults = joined(results, differentiable(results));
  // custom_c6
  if (rule->getArgumentTypes() != ArrayRef<Type>(expectedArguments) ||
      rule->getResultTypes() != ArrayRef<Type>(expectedResults))
    return derivation.fail(attributeText(symbol) + " of " + signature(*rule),
                           signature(expectedArguments, expectedResults), 6);
  return success();
}

static LogicalResult verifyBackward(Derivation derivation,
                                    FunctionOpInterface forward,
                                    FunctionOpInterface backward) {
  TypeRange arguments = derivation.function.getArgumentTypes(),
            results = derivation.function.getResultTypes();
  TypeRange residuals =
      TypeRange(forward.getResultTypes()).drop_front(results.size());
  SmallVector<Type> expected = joined(residuals, differentiable(results));
  SmallVector<Type> gradients = differentiable(arguments);
  // custom_c8
  if (backward.getArgumentTypes() != ArrayRef<Type>(expected) ||
      backward.getResultTypes() != ArrayRef<Type>(gradients))
    return derivation.fail("backward of " + signature(backward),
                           signature(expected, gradients), 8);
  return success();
}

static LogicalResult verifyCustomVjp(Derivation derivation) {
  auto rule = dyn_cast<DictionaryAttr>(derivation.attribute.getValue());
  auto forward =
      rule ? rule.getAs<FlatSymbolRefAttr>("forward") : FlatSymbolRefAttr();
  auto backward =
      rule ? rule.getAs<FlatSymbolRefAttr>("backward") : FlatSymbolRefAttr();
  // custom_c4
  if (!forward || !backward)
    return derivation.fail(attributeText(derivation.attribute.getValue()),
                           "{forward = @FUNCTION, backward = @FUNCTION}", 4);
  FailureOr<FunctionOpInterface> a = ruleFunction(derivation, forward);
  if (failed(a))
    return failure();
  FailureOr<FunctionOpInterface> b = ruleFunction(derivation, backward);
  if (failed(b))
    return failure();
  TypeRange arguments = derivation.function.getArgumentTypes(),
            results = derivation.function.getResultTypes(),
            computed = a->getResultTypes();
  // custom_c7
  if (TypeRange(a->getArgumentTypes()) != arguments ||
      computed.size() < results.size() ||
      computed.take_front(results.size()) != results)
    return derivation.fail(
        "forward of " + signature(*a),
        signature(arguments, results) + " with residuals after the results", 7);
  return verifyBackward(derivation, *a, *b);
}

LogicalResult verifyDerivationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name != deriveAttrName && name != customJvpAttrName &&
      name != customVjpAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError()
           << name << ": is an attribute of functions (custom_c1)";
  Derivation derivation{function, attribute};
  if (name == deriveAttrName)
    return verifyDerive(derivation);
  return name == customJvpAttrName ? verifyCustomJvp(derivation)
                                   : verifyCustomVjp(derivation);
}

} // namespace zenith::graph
