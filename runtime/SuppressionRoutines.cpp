// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-maximum suppression: boxes by falling score, each against those chosen
// before.

#include "runtime/RoutineArguments.h"
#include "runtime/RoutineKeys.h"
#include "runtime/Routines.h"

#include <algorithm>
#include <cstring>

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

/// Intersection over union; 0 where a box is empty.
float overlapOf(const Box &x, const Box &y) {
  float sides[2];
  for (int i = 0; i < 2; ++i) {
    sides[i] = std::min(x.high[i], y.high[i]) - std::max(x.low[i], y.low[i]);
    if (!(sides[i] > 0))
      return 0;
  }
  float both = sides[0] * sides[1], first = x.area(), second = y.area(),
        either = first + second - both;
  return first > 0 && second > 0 && either > 0 ? both / either : 0;
}

float floatOf(int64_t bits) {
  auto word = uint32_t(bits);
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

} // namespace

void zenith_routine_suppress(void *const *pointers, const int64_t *numbers,
                             int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t classes = args.number(), count = args.number(), most = args.number();
  float overlap = floatOf(args.number());
  bool hasLeast = args.number();
  float least = floatOf(args.number());
  bool center = args.number();
  auto *scratch = args.pointer<int64_t>();
  auto *boxes = args.pointer<const float>(),
       *scores = args.pointer<const float>();
  for (int64_t task = begin; task < end; ++task) {
    const float *own = boxes + task / classes * count * 4,
                *score = scores + task * count;
    int64_t *chosen = scratch + task * (2 * count + 1),
            *candidates = chosen + count + 1;
    int64_t candidateCount = 0, chosenCount = 0;
    for (int64_t i = 0; i < count; ++i)
      if (!hasLeast || score[i] > least)
        candidates[candidateCount++] = i;
    std::sort(candidates, candidates + candidateCount,
              [&](int64_t x, int64_t y) {
                uint64_t left, right;
                orderKeys(ZENITH_F32, score + x, 1, 1, &left);
                orderKeys(ZENITH_F32, score + y, 1, 1, &right);
                return left != right ? left > right : x < y;
              });
    for (int64_t i = 0; i < candidateCount && chosenCount < most; ++i) {
      Box box = boxAt(own + candidates[i] * 4, center);
      bool free = std::none_of(
          chosen + 1, chosen + 1 + chosenCount, [&](int64_t other) {
            return overlapOf(box, boxAt(own + other * 4, center)) > overlap;
          });
      if (free)
        chosen[1 + chosenCount++] = candidates[i];
    }
    chosen[0] = chosenCount;
  }
}

void zenith_routine_suppress_gather(void *const *pointers,
                                    const int64_t *numbers, int64_t begin,
                                    int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t batches = args.number(), classes = args.number(),
          count = args.number();
  auto *scratch = args.pointer<const int64_t>();
  auto *result = args.pointer<int64_t>(), *found = args.pointer<int64_t>();
  if (begin == end)
    return;
  int64_t rows = 0;
  for (int64_t task = 0; task < batches * classes; ++task) {
    const int64_t *chosen = scratch + task * (2 * count + 1);
    for (int64_t i = 0; i < chosen[0]; ++i, ++rows) {
      result[3 * rows] = task / classes;
      result[3 * rows + 1] = task % classes;
      result[3 * rows + 2] = chosen[1 + i];
    }
  }
  *found = rows;
}
