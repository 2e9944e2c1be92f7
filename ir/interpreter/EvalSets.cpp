// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the Ordering family on sets of rows: distinct rows, chosen rows,
// membership, positions in an ascending list.

#include "ir/GraphOps.h"
#include "ir/interpreter/OrderKeys.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>
#include <numeric>
#include <unordered_map>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

namespace {
struct RowHash {
  size_t operator()(ArrayRef<uint64_t> row) const {
    return size_t(llvm::hash_combine_range(row.begin(), row.end()));
  }
};
/// Index of each distinct row.
using RowIndices = std::unordered_map<ArrayRef<uint64_t>, int64_t, RowHash>;

/// Distinct rows in order of first occurrence.
struct Distinct {
  std::vector<int64_t> first, counts, inverse;
};
} // namespace

static Distinct distinctRows(const KeyRows &rows) {
  Distinct found;
  RowIndices indices;
  found.inverse.reserve(size_t(rows.count));
  for (int64_t i = 0; i < rows.count; ++i) {
    auto [entry, isNew] =
        indices.try_emplace(rows.row(i), int64_t(indices.size()));
    if (isNew) {
      found.first.push_back(i);
      found.counts.push_back(0);
    }
    ++found.counts[size_t(entry->second)];
    found.inverse.push_back(entry->second);
  }
  return found;
}

static void sortRows(Distinct &found, const KeyRows &rows) {
  std::vector<int64_t> order(found.first.size()), rank(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    ArrayRef<uint64_t> left = rows.row(found.first[size_t(a)]),
                       right = rows.row(found.first[size_t(b)]);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(),
                                        right.end());
  });
  Distinct sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    rank[size_t(order[i])] = int64_t(i);
    sorted.first.push_back(found.first[size_t(order[i])]);
    sorted.counts.push_back(found.counts[size_t(order[i])]);
  }
  for (int64_t index : found.inverse)
    sorted.inverse.push_back(rank[size_t(index)]);
  found = std::move(sorted);
}

// The rows at `picks` of an operand, as result `index`.
static Expected<Tensor> takeRows(const OpEvaluation &e, const Tensor &from,
                                 ArrayRef<int64_t> picks, unsigned index) {
  Shape shape(from.shape());
  shape[0] = int64_t(picks.size());
  Expected<Tensor> result = e.allocate(shape, index);
  if (!result || result->size() == 0)
    return result;
  int64_t bytes = result->byteSize() / shape[0];
  char *to = result->writable();
  for (int64_t pick : picks) {
    std::memcpy(to, from.bytes() + pick * bytes, size_t(bytes));
    to += bytes;
  }
  return result;
}

static Expected<Tensor> integers(const OpEvaluation &e,
                                 ArrayRef<int64_t> values, unsigned index) {
  Expected<Tensor> result = e.allocate({int64_t(values.size())}, index);
  if (result)
    llvm::copy(values, writableElements<int64_t>(*result).begin());
  return result;
}

// Adds the value to the list.
static llvm::Error append(Results &results, Expected<Tensor> value) {
  if (!value)
    return value.takeError();
  results.push_back(std::move(*value));
  return llvm::Error::success();
}

Expected<Results> zenith::interpreter::evaluateUnique(const OpEvaluation &e) {
  Expected<KeyRows> rows = keyRows(e, e.operand(0));
  if (!rows)
    return rows.takeError();
  Distinct found = distinctRows(*rows);
  if (cast<graph::UniqueOp>(e.op).getSorted())
    sortRows(found, *rows);
  Results results;
  if (llvm::Error error =
          append(results, takeRows(e, e.operand(0), found.first, 0)))
    return std::move(error);
  ArrayRef<int64_t> lists[] = {found.first, found.inverse, found.counts};
  for (auto [i, list] : llvm::enumerate(lists))
    if (llvm::Error error = append(results, integers(e, list, i + 1)))
      return std::move(error);
  return results;
}

Expected<Results> zenith::interpreter::evaluateCompact(const OpEvaluation &e) {
  const Tensor &mask = e.operand(0);
  std::vector<int64_t> picks;
  for (int64_t i = 0, count = mask.size(); i < count; ++i)
    if (mask.bytes()[i])
      picks.push_back(i);
  Results results;
  for (auto [i, from] : llvm::enumerate(e.operands.drop_front())) {
    if (from.shape()[0] != mask.size())
      return e.fail("the mask has " + Twine(mask.size()) +
                    " elements at run time, operand " + Twine(i) + " has " +
                    Twine(from.shape()[0]) + " rows");
    if (llvm::Error error = append(results, takeRows(e, from, picks, i)))
      return std::move(error);
  }
  return results;
}

Expected<Results>
zenith::interpreter::evaluateSearchSorted(const OpEvaluation &e) {
  Expected<Tensor> list = orderKeys(e, e.operand(0));
  if (!list)
    return list.takeError();
  Expected<Tensor> queries = orderKeys(e, e.operand(1));
  if (!queries)
    return queries.takeError();
  Expected<Tensor> result = e.allocate(e.operand(1).shape());
  if (!result)
    return result.takeError();
  ArrayRef<uint64_t> keys = elementsOf<uint64_t>(*list);
  bool right = cast<graph::SearchSortedOp>(e.op).getRight();
  for (auto [to, query] : llvm::zip(writableElements<int64_t>(*result),
                                    elementsOf<uint64_t>(*queries)))
    to = (right ? llvm::upper_bound(keys, query)
                : llvm::lower_bound(keys, query)) -
         keys.begin();
  return Results{std::move(*result)};
}

Expected<Results> zenith::interpreter::evaluateIsIn(const OpEvaluation &e) {
  if (e.operand(0).shape().drop_front() != e.operand(1).shape().drop_front())
    return e.fail("rows have different shapes at run time");
  Expected<KeyRows> rows = keyRows(e, e.operand(0));
  if (!rows)
    return rows.takeError();
  Expected<KeyRows> set = keyRows(e, e.operand(1));
  if (!set)
    return set.takeError();
  Expected<Tensor> result = e.allocate({rows->count});
  if (!result)
    return result.takeError();
  RowIndices members;
  for (int64_t i = 0; i < set->count; ++i)
    members.try_emplace(set->row(i), i);
  char *to = result->writable();
  for (int64_t i = 0; i < rows->count; ++i)
    to[i] = members.count(rows->row(i)) != 0;
  return Results{std::move(*result)};
}
