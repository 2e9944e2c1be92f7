// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters from files and text, rebinding, and @prepare.

#include "runtime/Parameters.h"

#include "runtime/RunContext.h"
#include "tests/runtime/TemporaryFolder.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace zenith::runtime;

static std::string bytesOf(std::vector<float> values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(float));
}

static ParameterSpec external(const std::string &name, int64_t count,
                              const std::string &file, int64_t offset) {
  return {name, ZENITH_F32, {count}, {file, offset, ""}};
}

static ParameterSpec inlined(const std::string &name,
                             std::vector<float> values) {
  return {name,
          ZENITH_F32,
          {static_cast<int64_t>(values.size())},
          {"", 0, bytesOf(values)}};
}

static std::vector<float> read(Parameters &parameters, size_t index) {
  auto data = parameters.data(index);
  if (!data.ok() || !*data)
    return {};
  auto *first = static_cast<const float *>(*data);
  return {first, first + parameters.spec(index).bytes() / 4};
}

TEST(Parameters, ReadsFilesAtAnyOffset) {
  TemporaryFolder folder;
  folder.write("w.bin", "xyz" + bytesOf({1, 2, 3}) + "x" + bytesOf({4, 5}));
  Parameters parameters(folder.path());
  ASSERT_TRUE(parameters.add(external("a", 3, "w.bin", 3)).ok());
  ASSERT_TRUE(parameters.add(external("b", 2, "w.bin", 16)).ok());
  ASSERT_TRUE(parameters.add(external("none", 0, "w.bin", 24)).ok());
  EXPECT_EQ(read(parameters, 0), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(read(parameters, 1), (std::vector<float>{4, 5}));
  EXPECT_EQ(*parameters.data(2), nullptr);
  for (size_t index : {0, 1})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*parameters.data(index)) % 4, 0u);
  parameters.release(0);
  EXPECT_EQ(read(parameters, 0), (std::vector<float>{1, 2, 3}));
}

TEST(Parameters, RefusesWhatDoesNotFit) {
  TemporaryFolder folder;
  folder.write("w.bin", "1234");
  Parameters parameters(folder.path());
  ASSERT_TRUE(parameters.add(external("a", 2, "w.bin", 0)).ok());
  ASSERT_TRUE(parameters.add(external("b", 1, "missing.bin", 0)).ok());
  EXPECT_FALSE(parameters.add(external("a", 1, "w.bin", 0)).ok());
  EXPECT_FALSE(parameters.add({"c", ZENITH_F32, {3}, {"", 0, "short"}}).ok());
  EXPECT_FALSE(parameters.add({"d", 99, {3}, {"w.bin", 0, ""}}).ok());
  EXPECT_FALSE(
      parameters.add({"e", ZENITH_F32, {INT64_MAX, 9}, {"w.bin", 0, ""}}).ok());
  for (size_t index : {0, 1}) {
    auto data = parameters.data(index);
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.status().code(), ZENITH_INVALID_INPUT);
    EXPECT_NE(data.status().text().find(".bin"), std::string::npos);
  }
}

/// derived[i] = params[0][i] + params[1][i], three elements.
static int32_t addEntry(zenith_run_context *, const zenith_tensor *, int64_t,
                        zenith_tensor *, int64_t, void *const *params) {
  auto *lhs = static_cast<const float *>(params[0]);
  auto *rhs = static_cast<const float *>(params[1]);
  auto *derived = static_cast<float *>(params[2]);
  for (int i = 0; i < 3; ++i)
    derived[i] = lhs[i] + rhs[i];
  return ZENITH_OK;
}

TEST(Parameters, PrepareDerivesAndRebindDerivesAnew) {
  TemporaryFolder folder;
  folder.write("w.bin", bytesOf({1, 2, 3}));
  Parameters parameters(folder.path());
  ASSERT_TRUE(parameters.add(external("a", 3, "w.bin", 0)).ok());
  ASSERT_TRUE(parameters.add(inlined("b", {10, 20, 30})).ok());
  RunContext context(RunOptions{1, 0});
  ASSERT_TRUE(parameters.prepare(context, addEntry, 12, {0}).ok());
  auto *derived = static_cast<const float *>(parameters.pointers()[2]);
  EXPECT_EQ(parameters.derivedData(), derived);
  EXPECT_EQ(derived[2], 33);
  ASSERT_TRUE(parameters.rebind("b", {"", 0, bytesOf({0, 0, 1})}).ok());
  ASSERT_TRUE(parameters.prepare(context, addEntry, 12, {0}).ok());
  derived = static_cast<const float *>(parameters.pointers()[2]);
  EXPECT_EQ(derived[0], 1);
  EXPECT_EQ(derived[2], 4);
  EXPECT_FALSE(parameters.rebind("b", {"", 0, "x"}).ok());
  EXPECT_FALSE(parameters.rebind("c", {"", 0, "x"}).ok());
}

static int32_t failingEntry(zenith_run_context *context, const zenith_tensor *,
                            int64_t, zenith_tensor *, int64_t, void *const *) {
  return zenith_fail(context, ZENITH_RUN_FAILED, "no", "prepare");
}

TEST(Parameters, PrepareReportsErrorsAndMayBeRepeated) {
  Parameters parameters("");
  ASSERT_TRUE(parameters.add(inlined("a", {1, 2, 3})).ok());
  ASSERT_TRUE(parameters.add(inlined("b", {1, 2, 3})).ok());
  RunContext context(RunOptions{1, 0});
  EXPECT_EQ(parameters.prepare(context, failingEntry, 12).text(),
            "prepare: no");
  EXPECT_TRUE(parameters.prepare(context, addEntry, 12).ok());
  EXPECT_TRUE(parameters.prepare(context, failingEntry, 12).ok());
}

TEST(Parameters, WorkWithoutPrepare) {
  Parameters parameters("");
  RunContext context(RunOptions{1, 0});
  ASSERT_TRUE(parameters.prepare(context, nullptr, 0).ok());
  EXPECT_EQ(parameters.pointers()[0], nullptr);
}
