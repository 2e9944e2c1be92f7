// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs, buffers and launches on the first OpenCL device; skipped where
// there is none.

#include "runtime/OpenCLDevice.h"

#include "runtime/OpenCLDeviceList.h"
#include "runtime/RunContext.h"
#include "tests/runtime/TemporaryFolder.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace zenith::runtime;

static const char *const source = R"(
__kernel void scale(__global uchar *inBase, long inOffset,
                    __global uchar *outBase, long outOffset, long factor,
                    long begin, long tasks) {
  long task = begin + get_global_id(0);
  if (task >= begin + tasks)
    return;
  __global const int *in = (__global const int *)(inBase + inOffset);
  __global int *out = (__global int *)(outBase + outOffset);
  out[task] = in[task] * (int)factor;
}
__kernel void groupSum(__global uchar *inBase, long inOffset,
                       __global uchar *outBase, long outOffset, long width,
                       long begin, long tasks) {
  __local int parts[16];
  long task = begin + get_group_id(0);
  int lane = get_local_id(0);
  __global const int *in = (__global const int *)(inBase + inOffset);
  int sum = 0;
  for (long i = lane; i < width; i += 16)
    sum += in[task * width + i];
  parts[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane != 0 || task >= begin + tasks)
    return;
  for (int i = 1; i < 16; ++i)
    sum += parts[i];
  ((__global int *)(outBase + outOffset))[task] = sum;
}
)";

class OpenCLDeviceRuns : public testing::Test {
protected:
  static void SetUpTestSuite() {
    cache = std::make_unique<TemporaryFolder>();
    setenv("POCL_CACHE_DIR", cache->path().c_str(), 1);
  }
  static void TearDownTestSuite() { cache.reset(); }

  void SetUp() override {
    if (listOpenCLDevices().empty())
      GTEST_SKIP() << "no OpenCL device is installed";
    auto opened = OpenCLDevice::open(0);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    device = std::move(*opened);
    context.struct_size = sizeof(context);
    context.device = device->abi();
  }

  void load() {
    Status status = device->load(source, {{"scale", 64}, {"groupSum", 16, 16}});
    ASSERT_TRUE(status.ok()) << status.text();
  }

  static std::unique_ptr<TemporaryFolder> cache;
  std::unique_ptr<OpenCLDevice> device;
  zenith_run_context context = {};
};

std::unique_ptr<TemporaryFolder> OpenCLDeviceRuns::cache;

TEST(OpenCLDeviceIndex, ReadsTargets) {
  EXPECT_EQ(*openCLDeviceIndex("opencl"), 0);
  EXPECT_EQ(*openCLDeviceIndex("opencl:12"), 12);
  for (const char *bad :
       {"", "cpu", "opencl:", "opencl:x", "opencl:-1", "opencl:99999999999"})
    EXPECT_EQ(openCLDeviceIndex(bad).status().code(), ZENITH_USAGE) << bad;
}

TEST_F(OpenCLDeviceRuns, DescribesDevices) {
  const OpenCLDeviceInfo &info = device->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(info.maxAllocBytes, 0);
  EXPECT_GT(info.maxWorkGroupSize, 0);
  EXPECT_GT(info.computeUnits, 0);
  EXPECT_FALSE(info.hasExtension("cl_none"));
  auto none = OpenCLDevice::open(1000);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), ZENITH_USAGE);
  EXPECT_NE(none.status().text().find("0 (" + info.name + ")"),
            std::string::npos);
}

TEST_F(OpenCLDeviceRuns, LaunchesWithOffsetsAndTails) {
  load();
  for (int64_t count : {1, 63, 64, 65, 1000}) {
    std::vector<int> in(count), out(count);
    std::iota(in.begin(), in.end(), -3);
    void *arena =
        zenith_device_buffer(&context, ZENITH_DEVICE_ARENA, 0, 8 * count + 512);
    ASSERT_NE(arena, nullptr);
    zenith_device_upload(&context, 0, arena, 256, in.data(), 4 * count);
    zenith_buffer_ref pointers[] = {{arena, 256}, {arena, 256 + 4 * count}};
    int64_t factor = -7;
    zenith_device_launch(&context, 0, pointers, 2, &factor, 1, count);
    zenith_device_download(&context, 0, out.data(), arena, 256 + 4 * count,
                           4 * count);
    ASSERT_EQ(zenith_run_status(&context), ZENITH_OK) << context.error.message;
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(out[i], -7 * in[i]) << i;
  }
}

TEST_F(OpenCLDeviceRuns, GroupsShareATask) {
  load();
  std::vector<int> in(5 * 100), out(5);
  std::iota(in.begin(), in.end(), 0);
  void *from = zenith_device_buffer(&context, ZENITH_DEVICE_ARGUMENT, 0, 2000);
  void *to = zenith_device_buffer(&context, ZENITH_DEVICE_RESULT, 0, 20);
  zenith_device_upload(&context, 0, from, 0, in.data(), 2000);
  zenith_buffer_ref pointers[] = {{from, 0}, {to, 0}};
  int64_t width = 100;
  zenith_device_launch(&context, 1, pointers, 2, &width, 1, 5);
  zenith_device_download(&context, 0, out.data(), to, 0, 20);
  ASSERT_EQ(zenith_run_status(&context), ZENITH_OK) << context.error.message;
  for (int task = 0; task < 5; ++task)
    EXPECT_EQ(out[task], 10000 * task + 4950);
}

TEST_F(OpenCLDeviceRuns, CopiesWithinTheDevice) {
  std::vector<int> in = {1, 2, 3, 4}, out(2);
  void *a = zenith_device_buffer(&context, ZENITH_DEVICE_POOL, 0, 16);
  void *b = zenith_device_buffer(&context, ZENITH_DEVICE_POOL, 1, 16);
  EXPECT_NE(a, b);
  zenith_device_upload(&context, -1, a, 0, in.data(), 16);
  zenith_device_copy(&context, b, 8, a, 4, 8);
  zenith_device_download(&context, -1, out.data(), b, 8, 8);
  ASSERT_EQ(zenith_device_finish(&context), ZENITH_OK);
  EXPECT_EQ(out, (std::vector<int>{2, 3}));
}

TEST_F(OpenCLDeviceRuns, DroppedBuffersServeAgain) {
  void *first = zenith_device_take(&context, 1000);
  void *second = zenith_device_take(&context, 1000);
  ASSERT_NE(first, nullptr);
  EXPECT_NE(first, second);
  zenith_device_drop(&context, first);
  zenith_device_drop(&context, nullptr);
  EXPECT_EQ(zenith_device_take(&context, 900), first);
  int64_t bytes = device->memoryUse().bytes;
  context.device->reclaim(context.device->user);
  EXPECT_EQ(zenith_device_take(&context, 1000) != nullptr, true);
  EXPECT_EQ(device->memoryUse().bytes, bytes);
  EXPECT_EQ(zenith_device_take(&context, -1), nullptr);
  EXPECT_EQ(context.error.code, ZENITH_OUT_OF_MEMORY);
}

TEST_F(OpenCLDeviceRuns, KeepsBuffersUntilTheyGrow) {
  void *first = zenith_device_buffer(&context, ZENITH_DEVICE_ARENA, 0, 4096);
  EXPECT_EQ(zenith_device_buffer(&context, ZENITH_DEVICE_ARENA, 0, 100), first);
  EXPECT_EQ(device->memoryUse().bytes, 4096);
  EXPECT_NE(zenith_device_buffer(&context, ZENITH_DEVICE_ARENA, 0, 8192),
            nullptr);
  EXPECT_EQ(device->memoryUse().bytes, 8192);
  device->trimMemory();
  EXPECT_EQ(device->memoryUse().bytes, 0);
  EXPECT_EQ(device->memoryUse().peakBytes, 8192);
}

TEST_F(OpenCLDeviceRuns, ParametersKeepTheirContents) {
  alignas(256) int values[4] = {1, 2, 3, 4};
  for (int shift : {0, 1}) {
    auto handle = device->createParameter(values + shift, 12);
    ASSERT_TRUE(handle.ok());
    int out[3] = {};
    zenith_device_download(&context, -1, out, *handle, 0, 12);
    EXPECT_EQ(std::memcmp(out, values + shift, 12), 0);
    device->freeBuffer(*handle);
  }
  auto none = device->createParameter(nullptr, 0);
  ASSERT_TRUE(none.ok());
  device->freeBuffer(*none);
  EXPECT_EQ(device->memoryUse().bytes, 0);
}

TEST_F(OpenCLDeviceRuns, ChecksTheBudgetAndTheDevice) {
  auto opened = OpenCLDevice::open(0, 1000);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE((*opened)->createBuffer(1000).ok());
  auto refused = (*opened)->createBuffer(1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ZENITH_OUT_OF_MEMORY);
  auto huge = device->createBuffer(int64_t{1} << 60);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.status().code(), ZENITH_OUT_OF_MEMORY);
}

TEST_F(OpenCLDeviceRuns, ReportsWhatDoesNotBuild) {
  Status status =
      device->load("__kernel void f(__global int *x) { x = ; }", {{"f"}});
  EXPECT_EQ(status.code(), ZENITH_INTERNAL);
  EXPECT_NE(status.message().find("error"), std::string::npos)
      << status.message();
  EXPECT_EQ(device->load(source, {{"absent"}}).code(), ZENITH_INTERNAL);
  EXPECT_EQ(device->load(source, {{"scale", 1 << 30}}).code(),
            ZENITH_UNSUPPORTED);
}

TEST_F(OpenCLDeviceRuns, ReportsWrongCalls) {
  load();
  auto failure = [&] {
    Status status = Status::fromABI(context.error);
    context.error = {};
    return status.text();
  };
  EXPECT_NE(zenith_device_launch(&context, 9, nullptr, 0, nullptr, 0, 1), 0);
  EXPECT_EQ(failure(), "the device program has no kernel 9");
  EXPECT_NE(zenith_device_launch(&context, 0, nullptr, 0, nullptr, 0, 1), 0);
  EXPECT_NE(failure().find("scale"), std::string::npos);
  void *buffer = zenith_device_buffer(&context, ZENITH_DEVICE_POOL, 0, 16);
  int value = 0;
  zenith_device_download(&context, 0, &value, buffer, 14, 4);
  EXPECT_NE(failure().find("leaves its buffer of 16 bytes"), std::string::npos);
  zenith_device_upload(&context, 0, &value, 0, &value, 4);
  EXPECT_EQ(failure(), "a device copy names no buffer of this device");
}

TEST_F(OpenCLDeviceRuns, ProfilesThroughTheRunContext) {
  load();
  RunContext run(RunOptions{1, 0});
  run.setDevice(device->abi());
  std::vector<int32_t> kinds;
  run.setProfile(
      [&](const zenith_profile_event &event) { kinds.push_back(event.kind); });
  zenith_run_context *abi = run.abi();
  std::vector<int> data(10, 3);
  void *buffer = zenith_device_buffer(abi, ZENITH_DEVICE_ARENA, 0, 40);
  zenith_device_upload(abi, 0, buffer, 0, data.data(), 40);
  zenith_buffer_ref pointers[] = {{buffer, 0}, {buffer, 0}};
  int64_t factor = 2;
  zenith_device_launch(abi, 0, pointers, 2, &factor, 1, 10);
  zenith_device_download(abi, 0, data.data(), buffer, 0, 40);
  ASSERT_EQ(zenith_run_status(abi), ZENITH_OK);
  EXPECT_EQ(data, std::vector<int>(10, 6));
  EXPECT_EQ(kinds, (std::vector<int32_t>{ZENITH_EVENT_UPLOAD,
                                         ZENITH_EVENT_DEVICE_KERNEL,
                                         ZENITH_EVENT_DOWNLOAD}));
}
