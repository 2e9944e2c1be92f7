// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-maximum suppression (NMS): boxes by falling score whose overlap with
// every chosen box is below the threshold.

#include "ir/GraphOps.h"
#include "ir/interpreter/OrderKeys.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

namespace {
struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};
} // namespace

static Box boxOf(const float *at, bool center) {
  if (center)
    return {at[1] - at[3] / 2, at[0] - at[2] / 2, at[1] + at[3] / 2,
            at[0] + at[2] / 2};
  return {std::min(at[0], at[2]), std::min(at[1], at[3]),
          std::max(at[0], at[2]), std::max(at[1], at[3])};
}

// Intersection over union; 0 where a box is empty.
static float overlap(const Box &a, const Box &b) {
  float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0) || !(width > 0))
    return 0;
  float common = height * width, all = a.area() + b.area() - common;
  return a.area() > 0 && b.area() > 0 && all > 0 ? common / all : 0;
}

namespace {
struct Suppression {
  int64_t limit;
  float maxOverlap;
  std::optional<float> threshold;

  /// Indices of the chosen boxes, in order of choice.
  std::vector<int64_t> choose(ArrayRef<Box> boxes, const float *scores,
                              const uint64_t *keys) const {
    std::vector<int64_t> order, chosen;
    for (size_t i = 0; i < boxes.size(); ++i)
      if (!threshold || scores[i] > *threshold)
        order.push_back(int64_t(i));
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return keys[a] > keys[b]; });
    for (int64_t box : order) {
      if (int64_t(chosen.size()) >= limit)
        break;
      bool isFree = llvm::all_of(chosen, [&](int64_t other) {
        return !(overlap(boxes[size_t(box)], boxes[size_t(other)]) >
                 maxOverlap);
      });
      if (isFree)
        chosen.push_back(box);
    }
    return chosen;
  }
};
} // namespace

Expected<Results>
zenith::interpreter::evaluateNonMaxSuppression(const OpEvaluation &e) {
  auto op = cast<graph::NonMaxSuppressionOp>(e.op);
  const Tensor &boxes = e.operand(0), &scores = e.operand(1);
  int64_t batches = boxes.shape()[0], count = boxes.shape()[1],
          classes = scores.shape()[1];
  if (boxes.shape()[2] != 4 || scores.shape()[0] != batches ||
      scores.shape()[2] != count)
    return e.fail("shapes of boxes and scores do not fit at run time");
  Expected<Tensor> keys = orderKeys(e, scores);
  if (!keys)
    return keys.takeError();
  Suppression suppression{integerOf(e.operand(2)),
                          elementsOf<float>(e.operand(3))[0], std::nullopt};
  if (op.getScoreThreshold())
    suppression.threshold = elementsOf<float>(e.operand(4))[0];
  std::vector<int64_t> rows;
  for (int64_t batch = 0; batch < batches; ++batch) {
    std::vector<Box> list;
    for (int64_t i = 0; i < count; ++i)
      list.push_back(
          boxOf(elementsOf<float>(boxes).data() + (batch * count + i) * 4,
                op.getCenter()));
    for (int64_t k = 0; k < classes; ++k) {
      int64_t first = (batch * classes + k) * count;
      for (int64_t box :
           suppression.choose(list, elementsOf<float>(scores).data() + first,
                              elementsOf<uint64_t>(*keys).data() + first))
        rows.insert(rows.end(), {batch, k, box});
    }
  }
  Expected<Tensor> result = e.allocate({int64_t(rows.size()) / 3, 3});
  if (!result)
    return result.takeError();
  llvm::copy(rows, writableElements<int64_t>(*result).begin());
  return Results{std::move(*result)};
}
