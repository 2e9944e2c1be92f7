// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wording of the verifiers' messages.

#include "ir/ShapeChecks.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::Twine;

namespace zenith::graph {

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string listText(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + sizeText(values[i]);
  return text + "]";
}

std::string sizeText(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

LogicalResult ShapeChecks::fail(const Twine &place, const Twine &got,
                                const Twine &expected,
                                unsigned constraint) const {
  std::string text = (place + ": got " + got + ", expected " + expected + " (" +
                      opName + "_c" + Twine(constraint) + ")")
                         .str();
  if (op)
    return op->emitOpError() << text;
  if (location)
    return emitError(*location) << "'graph." << opName << "' op " << text;
  return failure();
}

LogicalResult ShapeChecks::inRange(const Twine &place, int64_t value,
                                   int64_t lower, int64_t upper,
                                   unsigned constraint) const {
  if (value >= lower && value < upper)
    return success();
  return fail(place, Twine(value),
              "a value in [" + Twine(lower) + ", " + Twine(upper) + ")",
              constraint);
}

LogicalResult ShapeChecks::distinctInRange(const Twine &place,
                                           ArrayRef<int64_t> values,
                                           int64_t bound,
                                           unsigned constraint) const {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t value : values)
    if (value < 0 || value >= bound || !seen.insert(value).second)
      return fail(place, listText(values),
                  "distinct values in [0, " + Twine(bound) + ")", constraint);
  return success();
}

LogicalResult ShapeChecks::ascendingInRange(const Twine &place,
                                            ArrayRef<int64_t> values,
                                            int64_t bound,
                                            unsigned constraint) const {
  int64_t previous = -1;
  for (int64_t value : values) {
    if (value <= previous || value >= bound)
      return fail(place, listText(values),
                  "ascending values in [0, " + Twine(bound) + ")", constraint);
    previous = value;
  }
  return success();
}

LogicalResult ShapeChecks::permutation(const Twine &place,
                                       ArrayRef<int64_t> values, int64_t rank,
                                       unsigned constraint) const {
  llvm::SmallSet<int64_t, 8> seen;
  bool fits = static_cast<int64_t>(values.size()) == rank;
  for (int64_t value : values)
    fits = fits && value >= 0 && value < rank && seen.insert(value).second;
  if (fits)
    return success();
  return fail(place, listText(values),
              "a permutation of [0, " + Twine(rank) + ")", constraint);
}

LogicalResult ShapeChecks::disjoint(const Twine &place, ArrayRef<int64_t> lhs,
                                    ArrayRef<int64_t> rhs,
                                    unsigned constraint) const {
  for (int64_t value : lhs)
    if (llvm::is_contained(rhs, value))
      return fail(place, listText(lhs) + " and " + listText(rhs),
                  "lists without common values", constraint);
  return success();
}

LogicalResult ShapeChecks::atLeast(const Twine &place, ArrayRef<int64_t> values,
                                   int64_t lower, unsigned constraint) const {
  if (llvm::all_of(values, [&](int64_t value) { return value >= lower; }))
    return success();
  return fail(place, listText(values), "values of at least " + Twine(lower),
              constraint);
}

LogicalResult ShapeChecks::count(const Twine &place, int64_t got,
                                 int64_t expected, unsigned constraint) const {
  if (got == expected)
    return success();
  return fail(place, Twine(got), Twine(expected), constraint);
}

LogicalResult ShapeChecks::sameSize(const Twine &place, int64_t got,
                                    int64_t expected,
                                    unsigned constraint) const {
  if (got == expected || ShapedType::isDynamic(got) ||
      ShapedType::isDynamic(expected))
    return success();
  return fail(place, Twine(got), Twine(expected), constraint);
}

LogicalResult ShapeChecks::sameType(const Twine &place, Type got, Type expected,
                                    unsigned constraint) const {
  if (got == expected)
    return success();
  return fail(place, typeText(got), typeText(expected), constraint);
}

/// `dense<1.0>` of a complex type: MLIR's parser stores one number for each
/// element, and who reads the elements would read beyond it.
static bool lacksImaginaryPart(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  auto complex =
      dense ? dyn_cast<ComplexType>(dense.getElementType()) : ComplexType();
  if (!complex)
    return false;
  size_t count = dense.isSplat() ? 1 : size_t(dense.getNumElements()),
         bytes = complex.getElementType().getIntOrFloatBitWidth() / 8;
  return dense.getRawData().size() < 2 * bytes * count;
}

LogicalResult ShapeChecks::elements(const Twine &place, ElementsAttr got,
                                    Type expected, unsigned constraint) const {
  if (!lacksImaginaryPart(got))
    return sameType(place, got.getShapedType(), expected, constraint);
  // At the location: an error of the op would print these elements.
  ShapeChecks atLocation(op ? std::optional(op->getLoc()) : location, opName);
  return atLocation.fail(place, "real numbers",
                         "pairs of numbers for complex elements", constraint);
}

LogicalResult ShapeChecks::dimOperands(const Twine &place, size_t got,
                                       RankedTensorType type,
                                       unsigned constraint) const {
  if (static_cast<int64_t>(got) == type.getNumDynamicDims())
    return success();
  return fail(place, Twine(got) + " operands",
              Twine(type.getNumDynamicDims()) + ", one for each ? of " +
                  typeText(type),
              constraint);
}

LogicalResult ShapeChecks::compatible(const Twine &place, Type got,
                                      Type expected,
                                      unsigned constraint) const {
  if (getElementTypeOrSelf(got) == getElementTypeOrSelf(expected) &&
      succeeded(verifyCompatibleShape(got, expected)))
    return success();
  return fail(place, typeText(got), typeText(expected), constraint);
}

} // namespace zenith::graph
