// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches sets of products by running them, in an order that errors of single
// products suggest.

#include "passes/precision/BoundDemotion.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace zenith::precision {

static double largestOf(const std::vector<float> &values) {
  double largest = 0;
  for (float value : values)
    largest = std::max(largest, double(std::fabs(value)));
  return largest;
}

double resultError(const std::vector<std::vector<float>> &results,
                   const std::vector<std::vector<float>> &inF32) {
  double worst = 0;
  for (auto [got, expected] : llvm::zip(results, inF32)) {
    double largest = largestOf(expected), off = 0;
    for (auto [a, b] : llvm::zip(got, expected)) {
      if (std::isfinite(a) != std::isfinite(b))
        return std::numeric_limits<double>::infinity();
      if (std::isfinite(a))
        off = std::max(off, std::fabs(double(a) - double(b)));
    }
    // A result of zeros has no scale: any difference is all of it.
    worst =
        std::max(worst, largest > 0 ? off / largest : (off > 0 ? 1.0 : 0.0));
  }
  return worst;
}

namespace {
/// Sums of the differences that single products make, and how far measured
/// errors were from them.
class DemotionSearch {
public:
  DemotionSearch(const std::vector<double> &work, double bound,
                 int64_t mostRuns, const SetRun &run)
      : work(work), bound(bound), mostRuns(mostRuns), run(run) {}

  llvm::Expected<Demotion> search();

private:
  llvm::Error runSingles();
  llvm::Expected<double> measure(const NarrowSet &set);
  double predict(const NarrowSet &set) const;
  double workOf(const NarrowSet &set) const;
  bool mayRun() const { return runs < mostRuns; }
  /// Measures the set and keeps it where it is the best so far.
  llvm::Expected<bool> consider(const NarrowSet &set);
  llvm::Error trySets();
  llvm::Error grow();
  llvm::Error swap();

  const std::vector<double> &work;
  double bound;
  int64_t mostRuns, runs = 0;
  const SetRun &run;
  std::vector<std::vector<float>> inF32;
  /// Of each product alone: the differences of all results, each over the
  /// result's largest value.
  std::vector<std::vector<double>> differences;
  std::map<NarrowSet, double> measured;
  Demotion best;
};
} // namespace

llvm::Expected<double> DemotionSearch::measure(const NarrowSet &set) {
  auto [known, isNew] = measured.emplace(set, 0);
  if (!isNew)
    return known->second;
  ++runs;
  auto results = run(set);
  if (!results)
    return results.takeError();
  return known->second = resultError(*results, inF32);
}

llvm::Error DemotionSearch::runSingles() {
  auto results = run(NarrowSet(work.size()));
  if (!results)
    return results.takeError();
  inF32 = std::move(*results);
  for (size_t k = 0; k < work.size(); ++k) {
    NarrowSet one(work.size());
    one[k] = true;
    ++runs;
    auto narrow = run(one);
    if (!narrow)
      return narrow.takeError();
    best.ownErrors.push_back(measured[one] = resultError(*narrow, inF32));
    std::vector<double> &difference = differences.emplace_back();
    for (auto [got, expected] : llvm::zip(*narrow, inF32)) {
      double largest = std::max(largestOf(expected), 1e-300);
      for (auto [a, b] : llvm::zip(got, expected))
        difference.push_back((double(a) - double(b)) / largest);
    }
  }
  return llvm::Error::success();
}

double DemotionSearch::predict(const NarrowSet &set) const {
  std::vector<double> sum(differences.empty() ? 0 : differences[0].size());
  for (size_t k = 0; k < set.size(); ++k)
    if (set[k])
      for (size_t i = 0; i < sum.size(); ++i)
        sum[i] += differences[k][i];
  double largest = 0;
  for (double value : sum)
    largest = std::max(largest, std::fabs(value));
  return std::isnan(largest) ? std::numeric_limits<double>::infinity()
                             : largest;
}

double DemotionSearch::workOf(const NarrowSet &set) const {
  double all = 0;
  for (size_t k = 0; k < set.size(); ++k)
    all += set[k] ? work[k] : 0;
  return all;
}

llvm::Expected<bool> DemotionSearch::consider(const NarrowSet &set) {
  auto error = measure(set);
  if (!error)
    return error.takeError();
  if (!(*error <= bound))
    return false;
  if (workOf(set) > workOf(best.narrow)) {
    best.narrow = set;
    best.error = *error;
  }
  return true;
}

llvm::Error DemotionSearch::trySets() {
  // Roundings behind other roundings fall differently, so that a set may be
  // better than its sum; it is hardly ever by this factor.
  constexpr double farAbove = 2.5;
  struct Candidate {
    NarrowSet set;
    double work, error;
  };
  std::vector<Candidate> candidates;
  for (size_t bits = 1; bits < size_t(1) << work.size(); ++bits) {
    NarrowSet set(work.size());
    for (size_t k = 0; k < work.size(); ++k)
      set[k] = bits >> k & 1;
    double error = predict(set);
    if (error <= farAbove * bound)
      candidates.push_back({set, workOf(set), error});
  }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.work != b.work ? a.work > b.work : a.error < b.error;
  });
  for (const Candidate &candidate : candidates) {
    if (!mayRun() || candidate.work <= workOf(best.narrow))
      return llvm::Error::success();
    auto fits = consider(candidate.set);
    if (!fits)
      return fits.takeError();
    if (*fits)
      return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Error DemotionSearch::grow() {
  std::vector<size_t> order(work.size());
  for (size_t k = 0; k < order.size(); ++k)
    order[k] = k;
  // Squares add up where errors are independent.
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return best.ownErrors[a] * best.ownErrors[a] * work[b] <
           best.ownErrors[b] * best.ownErrors[b] * work[a];
  });
  // What does not fit now may fit after others: errors cancel.
  for (bool grew = true; grew && mayRun();) {
    grew = false;
    for (size_t k : order) {
      if (best.narrow[k] || !mayRun())
        continue;
      NarrowSet set = best.narrow;
      set[k] = true;
      auto fits = consider(set);
      if (!fits)
        return fits.takeError();
      grew |= *fits;
    }
  }
  return llvm::Error::success();
}

llvm::Error DemotionSearch::swap() {
  for (bool better = true; better && mayRun();) {
    better = false;
    for (size_t in = 0; in < work.size(); ++in)
      for (size_t out = 0; out < work.size() && mayRun(); ++out) {
        if (best.narrow[in] || !best.narrow[out] || work[in] <= work[out])
          continue;
        NarrowSet set = best.narrow;
        set[in] = true;
        set[out] = false;
        auto fits = consider(set);
        if (!fits)
          return fits.takeError();
        better |= *fits;
      }
    if (better)
      if (llvm::Error error = grow())
        return error;
  }
  return llvm::Error::success();
}

llvm::Expected<Demotion> DemotionSearch::search() {
  constexpr size_t mostListed = 16;
  best.narrow.resize(work.size());
  if (work.empty())
    return std::move(best);
  if (llvm::Error error = runSingles())
    return std::move(error);
  // The first steps of the search by growth need few runs and set a mark.
  if (llvm::Error error = grow())
    return std::move(error);
  llvm::Error rest = work.size() <= mostListed ? trySets() : swap();
  if (rest)
    return std::move(rest);
  best.runs = runs;
  return std::move(best);
}

llvm::Expected<Demotion> boundDemotion(const std::vector<double> &work,
                                       double bound, int64_t mostRuns,
                                       const SetRun &run) {
  return DemotionSearch(work, bound, mostRuns, run).search();
}

} // namespace zenith::precision
