// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of the ops that compare elements or rows with each other.
#include "frontends/onnx/export/ExportBuilder.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using Names = ExportBuilder::Names;
using llvm::SmallVector;

static mlir::Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static mlir::Type i64(Operation *op) {
  return IntegerType::get(op->getContext(), 64);
}

/// A key as a type that TopK takes, in the same order; `changed` tells whether
/// the type differs.
static std::string asKey(Operation *op, ExportBuilder &b,
                         const std::string &value, mlir::Type element,
                         bool &changed) {
  changed = false;
  bool plain = element.isF16() || element.isF32() || element.isF64() ||
               element.isSignlessInteger(32) || element.isSignlessInteger(64);
  if (plain)
    return value;
  changed = true;
  if (isa<FloatType>(element))
    return b.cast(value, Float32Type::get(op->getContext()));
  if (element.isUnsignedInteger(64))
    b.fail(unsupported("an order of 64-bit unsigned integers"));
  return b.cast(value, i64(op));
}

static Names topK(ExportBuilder &b, const std::string &x,
                  const std::string &count, int64_t dim, bool largest) {
  return b.nodes(
      "TopK", {x, count},
      {makeInt("axis", dim), makeInt("largest", largest), makeInt("sorted", 1)},
      2);
}

static std::string gatherElements(ExportBuilder &b, const std::string &x,
                                  const std::string &at, int64_t dim) {
  return b.node("GatherElements", {x, at}, {makeInt("axis", dim)});
}

/// TopK keeps the order of equals, so sorting by the last key first sorts by
/// all keys.
static void sortBy(Operation *op, ExportBuilder &b, ValueRange keys,
                   int64_t dim, bool descending) {
  std::string count = b.shape({b.size(keys[0], dim)}), order;
  for (Value key : llvm::reverse(keys)) {
    bool changed;
    std::string values = asKey(op, b, b.name(key), elementOf(key), changed);
    if (!order.empty())
      values = gatherElements(b, values, order, dim);
    std::string next = topK(b, values, count, dim, descending)[1];
    order = order.empty() ? next : gatherElements(b, order, next, dim);
  }
  for (auto [input, result] :
       llvm::zip_equal(op->getOperands(), op->getResults()))
    b.bind(result, gatherElements(b, b.name(input), order, dim));
}

static void writeSort(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto sort = cast<graph::SortOp>(op);
  sortBy(op, b, sort.getInputs().take_front(sort.getNumKeys()), sort.getDim(),
         sort.getDescending());
}

/// A comparator that compares two elements of one operand, as approximate top-k
/// has it: a NaN has no place in its order.
static void writeSortWith(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto sort = cast<graph::SortWithOp>(op);
  auto refuse = [&] { b.fail(unsupported("a sort by this comparator")); };
  Block &block = sort.getComparator().front();
  auto compare =
      block.getTerminator()->getOperand(0).getDefiningOp<graph::CompareOp>();
  if (!compare)
    return refuse();
  auto lhs = dyn_cast<BlockArgument>(compare.getLhs()),
       rhs = dyn_cast<BlockArgument>(compare.getRhs());
  bool isGreater = compare.getDirection() == graph::CompareDirection::gt,
       isLess = compare.getDirection() == graph::CompareDirection::lt;
  if (!lhs || !rhs || lhs.getOwner() != &block || rhs.getOwner() != &block ||
      lhs == rhs || lhs.getArgNumber() / 2 != rhs.getArgNumber() / 2 ||
      (!isGreater && !isLess))
    return refuse();
  bool inOrder = lhs.getArgNumber() < rhs.getArgNumber();
  sortBy(op, b, sort.getInputs()[lhs.getArgNumber() / 2], sort.getDim(),
         inOrder == isGreater);
}

static void writeTopK(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto top = cast<graph::TopKOp>(op);
  int64_t dim = top.getDim();
  auto type = cast<RankedTensorType>(top.getValues().getType());
  Size count = top.getK() ? Size{std::nullopt, b.name(top.getK())}
                          : Size{type.getDimSize(dim), ""};
  bool changed;
  std::string x = b.name(top.getOperand()),
              key = asKey(op, b, x, type.getElementType(), changed);
  Names results = topK(b, key, b.shape({count}), dim, !top.getSmallest());
  b.bind(top.getValues(),
         changed ? gatherElements(b, x, results[1], dim) : results[0]);
  b.bind(top.getIndices(), results[1]);
}

static void writeUnique(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto unique = cast<graph::UniqueOp>(op);
  mlir::Type element = elementOf(unique.getOperand());
  std::string x = b.name(unique.getOperand()), key = x;
  bool plain = element.isF32() || element.isF64() ||
               element.isSignlessInteger(64) || element.isSignlessInteger(8);
  if (!plain && isa<FloatType>(element))
    key = b.cast(x, Float32Type::get(op->getContext()));
  else if (!plain && element.isInteger() && !element.isUnsignedInteger(64))
    key = b.cast(x, i64(op));
  else if (!plain)
    return b.fail(unsupported("unique rows of this element type"));
  Names results =
      b.nodes("Unique", {key},
              {makeInt("axis", 0), makeInt("sorted", unique.getSorted())}, 4);
  b.bind(unique.getRows(), plain ? results[0] : b.cast(results[0], element));
  b.bind(unique.getFirst(), results[1]);
  b.bind(unique.getInverse(), results[2]);
  b.bind(unique.getCounts(), results[3]);
}

static void writeCompact(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto compact = cast<graph::CompactOp>(op);
  std::string mask = b.name(compact.getMask());
  for (auto [input, result] :
       llvm::zip_equal(compact.getInputs(), compact.getResults()))
    b.bind(result,
           b.node("Compress", {b.name(input), mask}, {makeInt("axis", 0)}));
}

static void writeNonMaxSuppression(Operation *op, ExportBuilder &b,
                                   const ExportRow &) {
  auto suppression = cast<graph::NonMaxSuppressionOp>(op);
  auto vector = [&](Value scalar) {
    return b.node("Reshape", {b.name(scalar), b.ints({1})});
  };
  Names inputs = {b.name(suppression.getBoxes()),
                  b.name(suppression.getScores()),
                  vector(suppression.getMaxPerClass()),
                  vector(suppression.getIouThreshold())};
  if (suppression.getScoreThreshold())
    inputs.push_back(vector(suppression.getScoreThreshold()));
  b.bind(suppression,
         b.node("NonMaxSuppression", inputs,
                {makeInt("center_point_box", suppression.getCenter())}));
}

//===----------------------------------------------------------------------===//
// By comparing all with all
//===----------------------------------------------------------------------===//

static std::string either(ExportBuilder &b, const std::string &lhs,
                          const std::string &rhs) {
  return b.node("Or", {lhs, rhs});
}

/// True for equal elements; NaN equals NaN.
static std::string equal(ExportBuilder &b, const std::string &lhs,
                         const std::string &rhs, mlir::Type element) {
  std::string same = b.node("Equal", {lhs, rhs});
  if (!isa<FloatType>(element))
    return same;
  return either(
      b, same, b.node("And", {b.node("IsNaN", {lhs}), b.node("IsNaN", {rhs})}));
}

/// How many elements of the list are below each query.
static void writeSearchSorted(Operation *op, ExportBuilder &b,
                              const ExportRow &) {
  auto search = cast<graph::SearchSortedOp>(op);
  mlir::Type element = elementOf(search.getList());
  int64_t rank =
      cast<RankedTensorType>(search.getQueries().getType()).getRank();
  std::string list = b.name(search.getList()),
              query = b.node("Unsqueeze",
                             {b.name(search.getQueries()), b.ints({rank})});
  std::string below = b.node("Less", {list, query});
  if (isa<FloatType>(element)) // NaN is above all other values
    below = either(b, below,
                   b.node("And", {b.node("Not", {b.node("IsNaN", {list})}),
                                  b.node("IsNaN", {query})}));
  if (search.getRight())
    below = either(b, below, equal(b, list, query, element));
  b.bind(search, b.reduce("ReduceSum", b.cast(below, i64(op)), {rank},
                          /*keepDims=*/false));
}

static void writeIsIn(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto isIn = cast<graph::IsInOp>(op);
  mlir::Type element = elementOf(isIn.getOperand());
  auto rows = [&](Value value, llvm::ArrayRef<int64_t> front) {
    SmallVector<Size> sizes = b.sizes(value);
    SmallVector<Size> shape;
    for (int64_t size : front)
      shape.push_back(size == 0 ? sizes[0] : Size{size, ""});
    shape.push_back(b.product(llvm::ArrayRef(sizes).drop_front()));
    return b.reshape(b.name(value), shape);
  };
  // operand x 1 x width against 1 x set x width
  std::string same = equal(b, rows(isIn.getOperand(), {0, 1}),
                           rows(isIn.getSet(), {1, 0}), element);
  mlir::Type i32 = IntegerType::get(op->getContext(), 32);
  std::string different =
      b.reduce("ReduceSum", b.cast(b.node("Not", {same}), i64(op)), {2}, false);
  std::string found = b.node("Equal", {different, b.intScalar(0)});
  std::string count =
      b.reduce("ReduceSum", b.cast(found, i32), {1}, /*keepDims=*/false);
  b.bind(isIn, b.node("Greater", {count, b.scalar(i32, 0)}));
}

llvm::ArrayRef<ExportRow> zenith::onnx::orderingExports() {
  static const ExportRow rows[] = {
      {"graph.compact", writeCompact},
      {"graph.is_in", writeIsIn},
      {"graph.non_max_suppression", writeNonMaxSuppression},
      {"graph.searchsorted", writeSearchSorted},
      {"graph.sort", writeSort},
      {"graph.sort_with", writeSortWith},
      {"graph.top_k", writeTopK},
      {"graph.unique", writeUnique},
  };
  return rows;
}
