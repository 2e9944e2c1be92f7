// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No two buffers that live at one step share a byte, for random requests and
// random dimensions.

#include "lowering/memory/arena/ArenaLayout.h"

#include <gtest/gtest.h>
#include <random>

using namespace zenith;
using graph::DimExpr;
using memory::ArenaLayout;
using memory::BufferRequest;

namespace {

using Random = std::mt19937_64;

int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// Sizes as programs have them: constants, multiples of products of dimensions,
/// sums, quotients.
DimExpr randomBytes(Random &random, bool dynamic) {
  DimExpr factor(pick(random, 0, 3) == 0 ? pick(random, 0, 100)
                                         : pick(random, 1, 2000) * 64);
  if (!dynamic || pick(random, 0, 4) == 0)
    return factor;
  DimExpr batch = DimExpr::symbol("batch"), seq = DimExpr::symbol("seq");
  switch (pick(random, 0, 5)) {
  case 0:
    return factor * batch;
  case 1:
    return factor * batch * seq;
  case 2:
    return factor * batch * seq * seq;
  case 3:
    return factor * (batch + seq) + DimExpr(4);
  case 4:
    return DimExpr::ceilDiv(seq, DimExpr(16)) * factor;
  default:
    return DimExpr(4) * batch;
  }
}

std::vector<BufferRequest> randomRequests(Random &random, bool dynamic) {
  std::vector<BufferRequest> requests(pick(random, 1, 60));
  for (BufferRequest &request : requests) {
    request.live.begin = pick(random, 0, 40);
    request.live.end =
        request.live.begin + pick(random, 0, pick(random, 0, 5) == 0 ? 40 : 4);
    request.bytes = randomBytes(random, dynamic);
  }
  return requests;
}

int64_t value(const DimExpr &expr, int64_t batch, int64_t seq) {
  return *expr.evaluate([&](const std::string &name) {
    return std::optional<int64_t>(name == "batch" ? batch : seq);
  });
}

void expectSound(const std::vector<BufferRequest> &requests,
                 const ArenaLayout &layout, int64_t batch, int64_t seq) {
  int64_t total = value(layout.bytes, batch, seq);
  for (size_t x = 0; x < requests.size(); ++x) {
    int64_t begin = value(layout.offsets[x], batch, seq),
            end = begin + value(requests[x].bytes, batch, seq);
    ASSERT_GE(begin, 0);
    ASSERT_EQ(begin % 64, 0) << layout.offsets[x].str();
    ASSERT_LE(end, total) << requests[x].bytes.str();
    for (size_t y = 0; y < x; ++y) {
      if (!requests[x].live.overlaps(requests[y].live))
        continue;
      int64_t otherBegin = value(layout.offsets[y], batch, seq);
      int64_t otherEnd = otherBegin + value(requests[y].bytes, batch, seq);
      ASSERT_TRUE(end <= otherBegin || otherEnd <= begin || begin == end ||
                  otherBegin == otherEnd)
          << requests[x].bytes.str() << " at " << layout.offsets[x].str()
          << " and " << requests[y].bytes.str() << " at "
          << layout.offsets[y].str() << " with batch " << batch << ", seq "
          << seq;
    }
  }
}

TEST(ArenaLayout, LiveBuffersNeverOverlap) {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<BufferRequest> requests = randomRequests(random, round % 2);
    ArenaLayout layout = memory::layOutArena(requests, target::TargetModel());
    for (int sample = 0; sample < 4; ++sample) {
      expectSound(requests, layout, pick(random, 0, 5), pick(random, 0, 300));
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(ArenaLayout, DeadBuffersAreReused) {
  std::vector<BufferRequest> requests;
  for (unsigned step = 0; step < 100; ++step)
    requests.push_back({DimExpr(1 << 20), {step, step + 1}});
  EXPECT_LE(
      *memory::layOutArena(requests, target::TargetModel()).bytes.constant(),
      2 * (1 << 20) + 3 * 4096);
}

TEST(ArenaLayout, MultiplesOfOneSizeArePackedLikeNumbers) {
  DimExpr batch = DimExpr::symbol("batch");
  std::vector<BufferRequest> requests;
  for (unsigned step = 0; step < 50; ++step)
    requests.push_back(
        {DimExpr(4096 * (1 + step % 2)) * batch, {step, step + 1}});
  EXPECT_EQ(memory::layOutArena(requests, target::TargetModel()).bytes.str(),
            (DimExpr(3 * 4096) * batch).str());
}

TEST(ArenaLayout, UnrelatedSizesDontShare) {
  DimExpr batch = DimExpr::symbol("batch"), seq = DimExpr::symbol("seq");
  ArenaLayout layout =
      memory::layOutArena({{DimExpr(4) * batch * batch, {0, 1}},
                           {DimExpr(4) * seq * seq, {2, 3}},
                           {DimExpr(3) * seq * seq, {4, 5}}},
                          target::TargetModel());
  EXPECT_NE(layout.offsets[0], layout.offsets[1]);
  // The third is provably at most the second.
  EXPECT_EQ(layout.offsets[1], layout.offsets[2]);
}

TEST(ArenaLayout, StreamsOfOneStepStartAtDifferentLines) {
  std::vector<BufferRequest> requests(8, {DimExpr(256 << 10), {0, 1}});
  ArenaLayout layout = memory::layOutArena(requests, target::TargetModel());
  std::set<int64_t> lines;
  for (const DimExpr &offset : layout.offsets)
    lines.insert(*offset.constant() % 4096);
  EXPECT_EQ(lines.size(), 8u);
}

TEST(ArenaLayout, BuffersThatFitTheFirstLevelCacheHaveNoGaps) {
  std::vector<BufferRequest> requests(8, {DimExpr(32 << 10), {0, 1}});
  target::TargetModel small, large;
  large.l1Bytes = 2 * small.l1Bytes;
  EXPECT_EQ(*memory::layOutArena(requests, large).bytes.constant(),
            8 * (32 << 10));
  EXPECT_GT(*memory::layOutArena(requests, small).bytes.constant(),
            8 * (32 << 10));
}

TEST(ArenaLayout, EqualRequestsGiveEqualLayouts) {
  Random random(11), again(11);
  std::vector<BufferRequest> x = randomRequests(random, true),
                             y = randomRequests(again, true);
  ArenaLayout first = memory::layOutArena(x, target::TargetModel()),
              second = memory::layOutArena(y, target::TargetModel());
  EXPECT_EQ(first.bytes, second.bytes);
  EXPECT_TRUE(first.offsets == second.offsets);
}

} // namespace
