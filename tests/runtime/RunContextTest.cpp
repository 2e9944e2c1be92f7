// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of hand-written entries on the default context.

#include "runtime/RunContext.h"
#include "runtime/ThreadPool.h"

#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace zenith::runtime;

static zenith_tensor emptyTensor() {
  zenith_tensor tensor = {};
  tensor.struct_size = sizeof(tensor);
  return tensor;
}

/// results[0][i] = 2 * args[0][i], ten elements a task, by way of the arena.
static void doubleToArena(void *const *pointers, const int64_t *sizes,
                          int64_t begin, int64_t end) {
  auto *from = static_cast<const int64_t *>(pointers[0]);
  auto *to = static_cast<int64_t *>(pointers[1]);
  for (int64_t i = begin * 10; i < std::min(end * 10, sizes[0]); ++i)
    to[i] = 2 * from[i];
}

static int32_t doubleEntry(zenith_run_context *context,
                           const zenith_tensor *args, int64_t nargs,
                           zenith_tensor *results, int64_t nresults,
                           void *const *) {
  int64_t any[] = {-1};
  if (int32_t code = zenith_check_counts(context, nargs, 1, nresults, 1))
    return code;
  if (int32_t code =
          zenith_check_arg(context, 0, "x", args, ZENITH_I64, 1, any))
    return code;
  int64_t size = args->dims[0];
  auto *arena = static_cast<int64_t *>(zenith_arena(context, size * 8));
  void *from = zenith_arg_data(context, 0, args);
  if (!arena || !from)
    return context->error.code;
  void *pointers[] = {from, arena};
  if (int32_t code = zenith_parallel_for(context, doubleToArena, pointers,
                                         &size, (size + 9) / 10, 42))
    return code;
  void *result =
      zenith_result(context, 0, results, ZENITH_I64, 1, &size, size * 8);
  if (!result)
    return context->error.code;
  std::copy(arena, arena + size, static_cast<int64_t *>(result));
  zenith_alloc(context, 100); // left behind, as by a run that fails
  return zenith_run_status(context);
}

class RunContextRuns : public testing::Test {
protected:
  RunContextRuns() : values(1003), dims{1003} {
    std::iota(values.begin(), values.end(), 5);
    args[0].dtype = ZENITH_I64;
    args[0].rank = 1;
    args[0].data = values.data();
    args[0].dims = dims;
    args[0].capacity = static_cast<int64_t>(values.size() * 8);
  }

  std::vector<int64_t> values;
  int64_t dims[1];
  std::vector<zenith_tensor> args{emptyTensor()}, results{emptyTensor()};
};

TEST_F(RunContextRuns, GivesResultsAndReusesMemory) {
  RunContext context(RunOptions{3, 0});
  std::set<void *> places;
  for (int run = 0; run < 5; ++run) {
    ASSERT_TRUE(context.run(doubleEntry, args, results, nullptr).ok());
    auto *data = static_cast<int64_t *>(results[0].data);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(data[i], 2 * values[i]);
    places.insert(data);
    context.release(results[0]);
    EXPECT_EQ(context.memoryUse().liveBytes, context.memoryUse().arenaBytes);
  }
  EXPECT_EQ(places.size(), 1u);
  EXPECT_GE(context.memoryUse().peakBytes, 2 * 8 * 1003);
}

TEST_F(RunContextRuns, RefusesWhatTheBudgetDoesNotHold) {
  RunContext context(RunOptions{1, 1000});
  Status status = context.run(doubleEntry, args, results, nullptr);
  EXPECT_EQ(status.code(), ZENITH_OUT_OF_MEMORY);
  EXPECT_NE(status.message().find("budget of 1000"), std::string::npos);
  dims[0] = 10;
  EXPECT_TRUE(context.run(doubleEntry, args, results, nullptr).ok());
  context.release(results[0]);
}

TEST_F(RunContextRuns, CancelEndsOneRun) {
  RunContext context(RunOptions{1, 0});
  context.cancel();
  Status status = context.run(doubleEntry, args, results, nullptr);
  EXPECT_EQ(status.code(), ZENITH_RUN_FAILED);
  EXPECT_EQ(status.text(), "the run was cancelled");
  EXPECT_TRUE(context.run(doubleEntry, args, results, nullptr).ok());
  context.release(results[0]);
}

TEST_F(RunContextRuns, ProfilesKernels) {
  RunContext context(RunOptions{2, 0});
  std::vector<zenith_profile_event> events;
  context.setProfile(
      [&](const zenith_profile_event &event) { events.push_back(event); });
  ASSERT_TRUE(context.run(doubleEntry, args, results, nullptr).ok());
  context.release(results[0]);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, ZENITH_EVENT_KERNEL);
  EXPECT_EQ(events[0].kernel_index, 42);
  EXPECT_EQ(events[0].tasks, 101);
  EXPECT_GE(events[0].ns, 0);
  context.setProfile(nullptr);
  ASSERT_TRUE(context.run(doubleEntry, args, results, nullptr).ok());
  context.release(results[0]);
  EXPECT_EQ(events.size(), 1u);
}

TEST_F(RunContextRuns, ReportsInvalidArguments) {
  RunContext context(RunOptions{1, 0});
  args[0].dtype = ZENITH_F32;
  Status status = context.run(doubleEntry, args, results, nullptr);
  EXPECT_EQ(status.code(), ZENITH_INVALID_INPUT);
  EXPECT_EQ(status.text(), "argument 0 (x): got f32, expected i64");
}

TEST_F(RunContextRuns, ContextsShareAPool) {
  auto pool = std::make_shared<ThreadPool>(2);
  RunContext first(pool, 0), second(pool, 0);
  EXPECT_EQ(&first.threadPool(), &second.threadPool());
  for (RunContext *context : {&first, &second}) {
    ASSERT_TRUE(context->run(doubleEntry, args, results, nullptr).ok());
    context->release(results[0]);
  }
}
