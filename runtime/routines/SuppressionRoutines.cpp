// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-maximum suppression (NMS): boxes by falling score, each against those
// chosen before.

#include "runtime/RoutineScratch.h"
#include "runtime/TargetClones.h"
#include "runtime/routines/RoutineKeys.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace zenith::runtime;

namespace {

struct Box {
  float low[2], high[2];
  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

Box boxAt(const float *numbers, bool center) {
  if (center) {
    float x = numbers[0], y = numbers[1], width = numbers[2] / 2,
          height = numbers[3] / 2;
    return {{x - width, y - height}, {x + width, y + height}};
  }
  auto [top, bottom] = std::minmax(numbers[0], numbers[2]);
  auto [left, right] = std::minmax(numbers[1], numbers[3]);
  return {{top, left}, {bottom, right}};
}

/// Chosen boxes, each number of them in an array of its own.
struct ChosenBoxes {
  ChosenBoxes(float *room, int64_t most) {
    for (float *&array : {std::ref(top), std::ref(left), std::ref(bottom),
                          std::ref(right), std::ref(area)}) {
      array = room;
      room += most;
    }
  }
  void add(const Box &box) {
    top[count] = box.low[0];
    left[count] = box.low[1];
    bottom[count] = box.high[0];
    right[count] = box.high[1];
    area[count++] = box.area();
  }

  float *top, *left, *bottom, *right, *area;
  int64_t count = 0;
};

/// Gives keys from the greatest one downwards. No more are sorted than are
/// asked for: a few boxes are chosen among many, most often.
class FallingKeys {
public:
  FallingKeys(uint64_t *keys, int64_t count) : keys(keys), count(count) {}
  bool empty() const { return next == count; }
  uint64_t pop() {
    if (next == sorted)
      sortMore();
    return keys[next++];
  }

private:
  void sortMore() {
    constexpr int64_t fewest = 128;
    int64_t end = std::min(count, sorted + std::max(fewest, sorted));
    if (end < count)
      std::nth_element(keys + sorted, keys + end, keys + count,
                       std::greater<>());
    std::sort(keys + sorted, keys + end, std::greater<>());
    sorted = end;
  }

  uint64_t *keys;
  int64_t count, sorted = 0, next = 0;
};

float floatOf(int64_t bits) {
  auto word = uint32_t(bits);
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

} // namespace

/// Whether the intersection of `box` and one of the chosen boxes, over their
/// union, is above `overlap`; it is 0 where a box is empty.
ZENITH_TARGET_CLONES
static bool meetsAny(const ChosenBoxes &chosen, const Box &box, float overlap) {
  const float *top = chosen.top, *left = chosen.left, *bottom = chosen.bottom,
              *right = chosen.right, *areas = chosen.area, area = box.area();
  constexpr int64_t block = 32; // looked at before it is asked whether to go on
  for (int64_t from = 0; from < chosen.count; from += block) {
    int64_t end = std::min(from + block, chosen.count);
    int any = 0;
    for (int64_t i = from; i < end; ++i) {
      float height =
                std::min(box.high[0], bottom[i]) - std::max(box.low[0], top[i]),
            width =
                std::min(box.high[1], right[i]) - std::max(box.low[1], left[i]),
            both = height * width, either = area + areas[i] - both;
      bool meets = (height > 0) & (width > 0) & (area > 0) & (areas[i] > 0) &
                   (either > 0);
      any |= (meets ? both / either : 0.0f) > overlap;
    }
    if (any)
      return true;
  }
  return false;
}

ZENITH_TARGET_CLONES
static bool anyAbove(const float *scores, int64_t count, float least) {
  int any = 0;
  for (int64_t i = 0; i < count; ++i)
    any |= scores[i] > least;
  return any;
}

/// Writes a key for each box with a score above `least` (if there is one):
/// the score's, and below it the complement of the box index, so that the first
/// of equal ones is the greatest. Gives how many; most boxes have low scores,
/// most often.
static int64_t keysOfBoxes(const float *scores, int64_t count,
                           const float *least, uint64_t *keys) {
  constexpr int64_t block = 64;
  uint64_t found[block];
  int64_t candidates = 0;
  for (int64_t from = 0; from < count; from += block) {
    int64_t here = std::min(block, count - from);
    if (least && !anyAbove(scores + from, here, *least))
      continue;
    orderKeys(ZENITH_F32, scores + from, 1, here, found);
    for (int64_t i = 0; i < here; ++i)
      if (!least || scores[from + i] > *least)
        keys[candidates++] = found[i] << 32 | uint32_t(~(from + i));
  }
  return candidates;
}

void zenith_routine_suppress(const zenith_suppress_arguments *arguments,
                             int64_t begin, int64_t end) {
  const zenith_suppress_arguments &given = checked(arguments);
  const int64_t count = given.boxes;
  const float overlap = floatOf(given.iou_threshold),
              least = floatOf(given.score_threshold);
  const bool center = given.center != 0;
  for (int64_t task = begin; task < end; ++task) {
    const float *own = given.corners + task / given.classes * count * 4,
                *score = given.scores + task * count;
    int64_t *chosen =
        static_cast<int64_t *>(given.scratch) + task * suppressWords(count);
    auto *keys = reinterpret_cast<uint64_t *>(chosen + count + 1);
    ChosenBoxes against(reinterpret_cast<float *>(keys + count), count);
    int64_t candidates = keysOfBoxes(
        score, count, given.has_score_threshold ? &least : nullptr, keys);
    for (FallingKeys falling(keys, candidates);
         !falling.empty() && against.count < given.max_per_class;) {
      int64_t candidate = uint32_t(~falling.pop());
      Box box = boxAt(own + candidate * 4, center);
      if (meetsAny(against, box, overlap))
        continue;
      chosen[1 + against.count] = candidate;
      against.add(box);
    }
    chosen[0] = against.count;
  }
}

void zenith_routine_suppress_gather(const zenith_suppress_arguments *arguments,
                                    int64_t begin, int64_t end) {
  const zenith_suppress_arguments &given = checked(arguments);
  const int64_t classes = given.classes;
  int64_t *result = given.result;
  if (begin == end)
    return;
  int64_t rows = 0;
  for (int64_t task = 0; task < given.batches * classes; ++task) {
    auto *chosen = static_cast<const int64_t *>(given.scratch) +
                   task * suppressWords(given.boxes);
    for (int64_t i = 0; i < chosen[0]; ++i, ++rows) {
      result[3 * rows] = task / classes;
      result[3 * rows + 1] = task % classes;
      result[3 * rows + 2] = chosen[1 + i];
    }
  }
  *given.found = rows;
}
