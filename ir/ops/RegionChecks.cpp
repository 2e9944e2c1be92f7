// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What arguments and yielded values of regions have to be.

#include "ir/ops/RegionChecks.h"
#include "ir/GraphOps.h"
#include "ir/ops/OpInference.h"

using namespace mlir;

namespace zenith::graph {

bool generalizes(Type general, Type special) {
  auto left = dyn_cast<RankedTensorType>(general),
       right = dyn_cast<RankedTensorType>(special);
  if (!left || !right)
    return general == special;
  if (left.getElementType() != right.getElementType() ||
      left.getRank() != right.getRank())
    return false;
  return llvm::all_of(llvm::zip(left.getShape(), right.getShape()),
                      [](auto sizes) {
                        auto [wanted, got] = sizes;
                        return ShapedType::isDynamic(wanted) || wanted == got;
                      });
}

LogicalResult RegionChecks::arguments(TypeRange expected) const {
  Block &block = region.front();
  if (failed(checks.count("arguments of the " + name, block.getNumArguments(),
                          expected.size(), constraint)))
    return failure();
  for (auto [argument, type] : llvm::zip(block.getArguments(), expected))
    if (failed(checks.sameType("argument " + Twine(argument.getArgNumber()) +
                                   " of the " + name,
                               argument.getType(), type, constraint)))
      return failure();
  return success();
}

FailureOr<ValueRange> RegionChecks::yielded(size_t count) const {
  Block &block = region.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield) {
    (void)checks.fail("last op of the " + name,
                      block.empty() ? "none"
                                    : block.back().getName().getStringRef(),
                      "graph.yield", constraint);
    return failure();
  }
  if (failed(checks.count("values that the " + name + " yields",
                          yield.getValues().size(), count, constraint)))
    return failure();
  return ValueRange(yield.getValues());
}

LogicalResult RegionChecks::yields(TypeRange expected) const {
  auto values = yielded(expected.size());
  if (failed(values))
    return failure();
  for (auto [i, type] : llvm::enumerate(expected))
    if (failed(checks.sameType("value " + Twine(i) + " that the " + name +
                                   " yields",
                               (*values)[i].getType(), type, constraint)))
      return failure();
  return success();
}

LogicalResult RegionChecks::yieldsAtLeast(TypeRange expected) const {
  auto values = yielded(expected.size());
  if (failed(values))
    return failure();
  for (auto [i, type] : llvm::enumerate(expected))
    if (Type got = (*values)[i].getType(); !generalizes(type, got))
      return checks.fail("value " + Twine(i) + " that the " + name + " yields",
                         typeText(got), typeText(type), constraint);
  return success();
}

SmallVector<Type> scalarsOf(TypeRange tensors, unsigned copies) {
  SmallVector<Type> result;
  for (Type type : tensors)
    result.append(copies,
                  RankedTensorType::get(
                      {}, cast<RankedTensorType>(type).getElementType()));
  return result;
}

LogicalResult checkReduceRegion(const ShapeChecks &checks, Region &region,
                                TypeRange tensors, unsigned constraint) {
  RegionChecks body{checks, region, "region", constraint};
  SmallVector<Type> scalars = scalarsOf(tensors), arguments(scalars);
  arguments.append(scalars.begin(), scalars.end());
  return failed(body.arguments(arguments)) ? failure() : body.yields(scalars);
}

LogicalResult checkOneShape(const ShapeChecks &checks, StringRef place,
                            ValueRange values, unsigned constraint) {
  if (values.empty())
    return checks.fail("number of " + place + "s", "0", "at least 1",
                       constraint);
  RankedTensorType first = tensorType(values[0]);
  for (auto [i, value] : llvm::enumerate(values))
    if (RankedTensorType type = tensorType(value);
        failed(verifyCompatibleShape(type.getShape(), first.getShape())))
      return checks.fail(place + " " + Twine(i),
                         "shape " + listText(type.getShape()),
                         "shape " + listText(first.getShape()), constraint);
  return success();
}

} // namespace zenith::graph
