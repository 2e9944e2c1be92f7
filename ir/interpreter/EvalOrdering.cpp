// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Ordering family: sorting and selecting along a dimension; ops
// on sets of rows are in EvalSets.cpp.

#include "ir/GraphOps.h"
#include "ir/interpreter/EvalReduction.h"
#include "ir/interpreter/OrderKeys.h"
#include "ir/interpreter/ScalarFunction.h"
#include "ir/interpreter/StridedCopy.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

namespace {
/// Operands with the dimension moved to the end, and back.
struct Lines {
  Results values;
  SmallVector<int64_t> order;
  int64_t count = 1, length = 0;
};
} // namespace

static Expected<Lines> linesAlong(const OpEvaluation &e, int64_t dim) {
  Lines lines;
  ArrayRef<int64_t> shape = e.operand(0).shape();
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i)
    if (i != dim) {
      lines.order.push_back(i);
      lines.count *= shape[i];
    }
  lines.order.push_back(dim);
  lines.length = shape[dim];
  for (const Tensor &operand : e.operands) {
    if (operand.shape() != shape)
      return e.fail("operands have different shapes at run time");
    Expected<Tensor> values = permuted(e, operand, lines.order);
    if (!values)
      return values.takeError();
    lines.values.push_back(std::move(*values));
  }
  return lines;
}

template <typename T>
static void gatherLine(char *to, const char *from, ArrayRef<int64_t> picks) {
  for (size_t i = 0; i < picks.size(); ++i)
    std::memcpy(to + i * sizeof(T), from + picks[i] * int64_t(sizeof(T)),
                sizeof(T));
}

static void gatherElements(char *to, const char *from, ArrayRef<int64_t> picks,
                           unsigned bytes) {
  switch (bytes) {
  case 1:
    return gatherLine<uint8_t>(to, from, picks);
  case 2:
    return gatherLine<uint16_t>(to, from, picks);
  case 4:
    return gatherLine<uint32_t>(to, from, picks);
  case 8:
    return gatherLine<uint64_t>(to, from, picks);
  default:
    return gatherLine<std::pair<uint64_t, uint64_t>>(to, from, picks);
  }
}

// Results whose lines are those of the operands in the order that fn(line,
// picks) gives; picks is 0, 1, ... initially.
template <typename Fn>
static Expected<Results> reorderLines(const OpEvaluation &e, Lines &lines,
                                      Fn &&fn) {
  Results sorted;
  for (const Tensor &value : lines.values) {
    Expected<Tensor> to = e.temporary(value.shape(), value.elementType());
    if (!to)
      return to.takeError();
    sorted.push_back(std::move(*to));
  }
  SmallVector<char *> targets;
  for (Tensor &value : sorted)
    targets.push_back(value.writable());
  std::vector<int64_t> picks(size_t(lines.length));
  for (int64_t line = 0; lines.length > 0 && line < lines.count; ++line) {
    std::iota(picks.begin(), picks.end(), 0);
    if (llvm::Error error = fn(line, picks))
      return std::move(error);
    for (size_t i = 0; i < sorted.size(); ++i) {
      unsigned bytes = elementBytes(sorted[i].elementType());
      int64_t offset = line * lines.length * int64_t(bytes);
      gatherElements(targets[i] + offset, lines.values[i].bytes() + offset,
                     picks, bytes);
    }
  }
  for (auto [i, value] : llvm::enumerate(sorted)) {
    Expected<Tensor> result = permuted(e, value, inverseOf(lines.order));
    if (!result)
      return result.takeError();
    if (llvm::Error error = e.checkShape(result->shape(), i))
      return std::move(error);
    value = std::move(*result);
  }
  return sorted;
}

static Expected<Results> evaluateSort(graph::SortOp op, const OpEvaluation &e) {
  Expected<Lines> lines = linesAlong(e, op.getDim());
  if (!lines)
    return lines.takeError();
  Results keys;
  for (uint64_t i = 0; i < op.getNumKeys(); ++i) {
    Expected<Tensor> key = orderKeys(e, lines->values[i]);
    if (!key)
      return key.takeError();
    keys.push_back(std::move(*key));
  }
  bool descending = op.getDescending();
  return reorderLines(
      e, *lines, [&](int64_t line, std::vector<int64_t> &picks) -> llvm::Error {
        int64_t first = line * lines->length;
        SmallVector<const uint64_t *> rows;
        for (const Tensor &key : keys)
          rows.push_back(elementsOf<uint64_t>(key).data() + first);
        auto before = [&](int64_t a, int64_t b) {
          for (const uint64_t *row : rows)
            if (row[a] != row[b])
              return (row[a] < row[b]) != descending;
          return false;
        };
        std::stable_sort(picks.begin(), picks.end(), before);
        return llvm::Error::success();
      });
}

// Merges sorted runs of doubling length; equal elements keep their order.
// `before` may fail, and need not be consistent.
template <typename Fn>
static llvm::Error mergeSort(std::vector<int64_t> &picks, Fn &&before) {
  std::vector<int64_t> merged(picks.size());
  size_t count = picks.size();
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      size_t middle = std::min(low + width, count);
      size_t high = std::min(low + 2 * width, count);
      size_t a = low, b = middle;
      for (size_t to = low; to < high; ++to) {
        bool takeRight = a == middle;
        if (!takeRight && b < high) {
          Expected<bool> isBefore = before(picks[b], picks[a]);
          if (!isBefore)
            return isBefore.takeError();
          takeRight = *isBefore;
        }
        merged[to] = takeRight ? picks[b++] : picks[a++];
      }
    }
    picks.swap(merged);
  }
  return llvm::Error::success();
}

static Expected<Results> evaluateSortWith(graph::SortWithOp op,
                                          const OpEvaluation &e) {
  Expected<Lines> lines = linesAlong(e, op.getDim());
  if (!lines)
    return lines.takeError();
  Expected<ScalarFunction> comparator =
      ScalarFunction::compile(e, op.getComparator());
  if (!comparator)
    return comparator.takeError();
  size_t operands = lines->values.size();
  std::vector<Scalar> elements(operands * size_t(lines->length));
  return reorderLines(
      e, *lines, [&](int64_t line, std::vector<int64_t> &picks) -> llvm::Error {
        for (size_t k = 0; k < operands; ++k) {
          ElementAccess access(lines->values[k].elementType());
          const char *from = lines->values[k].bytes() +
                             line * lines->length * int64_t(access.bytes());
          for (int64_t i = 0; i < lines->length; ++i)
            elements[size_t(i) * operands + k] =
                access.load(from + i * int64_t(access.bytes()));
        }
        return mergeSort(picks, [&](int64_t a, int64_t b) -> Expected<bool> {
          for (size_t k = 0; k < operands; ++k) {
            comparator->argument(2 * k) = elements[size_t(a) * operands + k];
            comparator->argument(2 * k + 1) =
                elements[size_t(b) * operands + k];
          }
          if (llvm::Error error = comparator->run())
            return std::move(error);
          return comparator->result(0).integer != 0;
        });
      });
}

// Size of the results along the dimension.
static Expected<int64_t> pickCount(graph::TopKOp op, const OpEvaluation &e) {
  int64_t dim = op.getDim(), size = e.operand(0).shape()[dim];
  int64_t count =
      op.getK() ? integerOf(e.operand(1)) : e.resultType().getDimSize(dim);
  if (count < 0 || count > size)
    return e.fail("takes " + Twine(count) + " elements of dimension " +
                  Twine(dim) + ", which has " + Twine(size) + " at run time");
  return count;
}

static Expected<Results> evaluateTopK(graph::TopKOp op, const OpEvaluation &e) {
  Expected<int64_t> count = pickCount(op, e);
  if (!count)
    return count.takeError();
  OpEvaluation one{e.op, e.operands.take_front(), e.maxTensorBytes};
  Expected<Lines> lines = linesAlong(one, op.getDim());
  if (!lines)
    return lines.takeError();
  Expected<Tensor> keys = orderKeys(e, lines->values[0]);
  if (!keys)
    return keys.takeError();
  Shape shape(lines->values[0].shape());
  shape.back() = *count;
  Expected<Tensor> values = e.temporary(shape, e.resultElement());
  if (!values)
    return values.takeError();
  Expected<Tensor> indices =
      e.temporary(shape, e.resultType(1).getElementType());
  if (!indices)
    return indices.takeError();
  unsigned bytes = elementBytes(e.resultElement());
  char *to = values->writable();
  int64_t *places = writableElements<int64_t>(*indices).data();
  uint64_t turn = op.getSmallest() ? 0 : ~uint64_t(0);
  std::vector<int64_t> picks(size_t(lines->length));
  for (int64_t line = 0; *count > 0 && line < lines->count; ++line) {
    const uint64_t *row =
        elementsOf<uint64_t>(*keys).data() + line * lines->length;
    std::iota(picks.begin(), picks.end(), 0);
    std::partial_sort(picks.begin(), picks.begin() + *count, picks.end(),
                      [&](int64_t a, int64_t b) {
                        return row[a] != row[b]
                                   ? (row[a] ^ turn) < (row[b] ^ turn)
                                   : a < b;
                      });
    std::copy_n(picks.begin(), *count, places + line * *count);
    gatherElements(to + line * *count * int64_t(bytes),
                   lines->values[0].bytes() +
                       line * lines->length * int64_t(bytes),
                   ArrayRef<int64_t>(picks).take_front(size_t(*count)), bytes);
  }
  Results results;
  const Tensor picked[] = {*values, *indices};
  for (auto [i, value] : llvm::enumerate(picked)) {
    Expected<Tensor> result = permuted(e, value, inverseOf(lines->order));
    if (!result)
      return result.takeError();
    if (llvm::Error error = e.checkShape(result->shape(), i))
      return std::move(error);
    results.push_back(std::move(*result));
  }
  return results;
}

Expected<Results> zenith::interpreter::evaluateOrdering(const OpEvaluation &e) {
  if (auto op = dyn_cast<graph::SortOp>(e.op))
    return evaluateSort(op, e);
  if (auto op = dyn_cast<graph::SortWithOp>(e.op))
    return evaluateSortWith(op, e);
  if (auto op = dyn_cast<graph::TopKOp>(e.op))
    return evaluateTopK(op, e);
  if (isa<graph::UniqueOp>(e.op))
    return evaluateUnique(e);
  if (isa<graph::CompactOp>(e.op))
    return evaluateCompact(e);
  if (isa<graph::SearchSortedOp>(e.op))
    return evaluateSearchSorted(e);
  if (isa<graph::IsInOp>(e.op))
    return evaluateIsIn(e);
  if (isa<graph::HashOp>(e.op))
    return evaluateHash(e);
  if (isa<graph::NonMaxSuppressionOp>(e.op))
    return evaluateNonMaxSuppression(e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
