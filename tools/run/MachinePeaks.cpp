// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do nothing but multiply-add in registers, or nothing but read.

#include "tools/run/MachinePeaks.h"

#include "runtime/PageBlock.h"
#include "runtime/Stopwatch.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using namespace zenith::tools;

static constexpr int64_t multiplyRounds = 1 << 20;
static constexpr unsigned repetitions = 5;
static constexpr int64_t readBytes = int64_t(192) << 20;

namespace {
typedef float Vector4 __attribute__((vector_size(16)));
typedef float Vector8 __attribute__((vector_size(32)));
typedef float Vector16 __attribute__((vector_size(64)));
typedef uint64_t Words __attribute__((vector_size(16)));
} // namespace

// Twelve chains hide the latency of a multiply-add on every core so far; a
// macro because the instruction set is an attribute of the function.
#define ZENITH_MULTIPLY_LOOP(name, Vector, instructions)                       \
  __attribute__((noinline, target(instructions))) static float name() {        \
    Vector sums[12] = {};                                                      \
    Vector x = Vector{} + 0.999f, y = Vector{} + 0.001f;                       \
    for (int64_t i = 0; i < multiplyRounds; ++i)                               \
      for (Vector & sum : sums)                                                \
        sum = sum * x + y;                                                     \
    float total = 0;                                                           \
    for (Vector & sum : sums)                                                  \
      total += sum[0];                                                         \
    return total;                                                              \
  }

#if defined(__x86_64__)
ZENITH_MULTIPLY_LOOP(multiplyBy4, Vector4, "sse2")
ZENITH_MULTIPLY_LOOP(multiplyBy8, Vector8, "avx2,fma")
ZENITH_MULTIPLY_LOOP(multiplyBy16, Vector16, "avx512f")
#endif

namespace {
struct MultiplyLoop {
  float (*run)();
  unsigned lanes;
};
} // namespace

static MultiplyLoop widestLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {multiplyBy16, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {multiplyBy8, 8};
  return {multiplyBy4, 4};
#else
  return {[] {
            Vector4 sums[12] = {};
            Vector4 x = Vector4{} + 0.999f, y = Vector4{} + 0.001f;
            for (int64_t i = 0; i < multiplyRounds; ++i)
              for (Vector4 &sum : sums)
                sum = sum * x + y;
            float total = 0;
            for (Vector4 &sum : sums)
              total += sum[0];
            return total;
          },
          4};
#endif
}

static uint64_t readAll(const char *memory, int64_t bytes) {
  Words sums[8] = {};
  for (int64_t at = 0; at + 128 <= bytes; at += 128)
    for (unsigned i = 0; i < 8; ++i)
      sums[i] += *reinterpret_cast<const Words *>(memory + at + 16 * i);
  uint64_t total = 0;
  for (Words &sum : sums)
    total += sum[0] + sum[1];
  return total;
}

namespace {
struct Turns {
  double fastest = 1e30, slowest = 0; ///< milliseconds
};
} // namespace

/// Several turns in which every thread runs `body(thread)` once.
template <typename Body> static Turns measure(unsigned threads, Body body) {
  Turns turns;
  for (unsigned turn = 0; turn < repetitions; ++turn) {
    zenith::runtime::Stopwatch watch;
    std::vector<std::thread> others;
    for (unsigned thread = 1; thread < threads; ++thread)
      others.emplace_back([&body, thread] { body(thread); });
    body(0);
    for (std::thread &other : others)
      other.join();
    turns.fastest = std::min(turns.fastest, watch.ms());
    // The first turn starts threads and clocks.
    if (turn > 0)
      turns.slowest = std::max(turns.slowest, watch.ms());
  }
  return turns;
}

MachinePeaks zenith::tools::measurePeaks(unsigned threads) {
  MachinePeaks peaks;
  peaks.threads = std::max(1u, threads);
  MultiplyLoop loop = widestLoop();
  std::vector<uint64_t> results(peaks.threads);
  // Where the system has no load average, the spread has to do.
  if (::getloadavg(&peaks.loadAverage, 1) != 1)
    peaks.loadAverage = 0;
  Turns turns = measure(peaks.threads, [&](unsigned thread) {
    float sum = loop.run();
    std::memcpy(&results[thread], &sum, sizeof(sum));
  });
  peaks.gflops = double(multiplyRounds) * 12 * 2 * loop.lanes * peaks.threads /
                 turns.fastest * 1e-6;
  peaks.spread = turns.slowest / turns.fastest - 1;
  std::vector<runtime::PageBlock> blocks;
  for (unsigned thread = 0; thread < peaks.threads; ++thread) {
    blocks.push_back(runtime::PageBlock::allocate(readBytes / peaks.threads));
    if (!blocks.back().data())
      return peaks;
    std::memset(blocks.back().data(), 1, size_t(readBytes / peaks.threads));
  }
  turns = measure(peaks.threads, [&](unsigned thread) {
    results[thread] += readAll(static_cast<char *>(blocks[thread].data()),
                               readBytes / peaks.threads);
  });
  peaks.gbytesPerSecond = double(readBytes) / turns.fastest * 1e-6;
  return peaks;
}
