// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for the largest set of narrow products, on errors that are
// written down.

#include "passes/precision/BoundDemotion.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith::precision;

namespace {

/// Results of a program whose products add these errors to a result of 1.
SetRun adding(std::vector<double> errors, int64_t &runs) {
  return [errors, &runs](const NarrowSet &set)
             -> llvm::Expected<std::vector<std::vector<float>>> {
    ++runs;
    double sum = 1;
    for (size_t k = 0; k < set.size(); ++k)
      sum += set[k] ? errors[k] : 0;
    return std::vector<std::vector<float>>{{float(sum)}};
  };
}

NarrowSet chosen(std::vector<double> errors, std::vector<double> work,
                 double bound, int64_t mostRuns = 1000) {
  int64_t runs = 0;
  auto found = boundDemotion(work, bound, mostRuns, adding(errors, runs));
  EXPECT_TRUE(bool(found));
  EXPECT_LE(found->error, bound);
  EXPECT_LE(runs, mostRuns + int64_t(work.size()) + 1);
  return found->narrow;
}

TEST(BoundDemotion, takes_the_most_work_within_the_bound) {
  EXPECT_EQ(chosen({0.3, 0.2, 0.4}, {10, 20, 25}, 0.5),
            (NarrowSet{true, true, false}));
  EXPECT_EQ(chosen({0.3, 0.2, 0.4}, {10, 20, 100}, 0.5),
            (NarrowSet{false, false, true}));
}

TEST(BoundDemotion, errors_that_cancel_make_room) {
  EXPECT_EQ(chosen({0.6, -0.5, 0.3}, {10, 10, 10}, 0.45),
            (NarrowSet{true, true, true}));
}

TEST(BoundDemotion, keeps_everything_where_nothing_fits) {
  EXPECT_EQ(chosen({0.6, -0.5}, {10, 10}, 0.1), (NarrowSet{false, false}));
  EXPECT_EQ(chosen({}, {}, 0.1), NarrowSet());
}

TEST(BoundDemotion, many_products_are_grown_and_swapped) {
  std::vector<double> errors(40, 0.01), work(40, 1);
  errors[7] = 0.5;
  work[7] = 2;
  NarrowSet set = chosen(errors, work, 0.4, 500);
  EXPECT_FALSE(set[7]);
  EXPECT_EQ(std::count(set.begin(), set.end(), true), 39);
}

TEST(BoundDemotion, infinite_results_are_no_results) {
  EXPECT_EQ(chosen({INFINITY, 0.1}, {10, 1}, 0.2), (NarrowSet{false, true}));
  EXPECT_TRUE(std::isinf(resultError({{INFINITY}}, {{1}})));
  EXPECT_EQ(resultError({{1.5F, 1}}, {{1, 2}}), 0.5);
  EXPECT_EQ(resultError({{0}}, {{0}}), 0);
}

} // namespace
