// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results as compiled code sees them, over a context with every
// default.

#include "runtime/ABI.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

class TensorCalls : public testing::Test {
protected:
  TensorCalls() { context.struct_size = sizeof(context); }

  static zenith_tensor floats(std::vector<float> &data,
                              std::vector<int64_t> &dims) {
    zenith_tensor tensor = {};
    tensor.struct_size = sizeof(tensor);
    tensor.dtype = ZENITH_F32;
    tensor.rank = static_cast<int32_t>(dims.size());
    tensor.data = data.data();
    tensor.dims = dims.data();
    tensor.capacity = static_cast<int64_t>(data.size() * sizeof(float));
    return tensor;
  }

  std::string message() {
    std::string text = context.error.message;
    context.error = {};
    return text;
  }

  zenith_run_context context = {};
};

TEST_F(TensorCalls, ChecksArguments) {
  std::vector<float> data(6);
  std::vector<int64_t> dims = {2, 3};
  zenith_tensor arg = floats(data, dims);
  int64_t any[] = {-1, 3}, other[] = {2, 4};
  EXPECT_EQ(zenith_check_arg(&context, 0, "x", &arg, ZENITH_F32, 2, any),
            ZENITH_OK);
  EXPECT_EQ(zenith_check_arg(&context, 0, "x", &arg, ZENITH_F32, 2, other),
            ZENITH_INVALID_INPUT);
  EXPECT_EQ(message(), "argument 0 (x): got shape [2x3], expected [2x4]");
  zenith_check_arg(&context, 1, nullptr, &arg, ZENITH_BF16, 2, any);
  EXPECT_EQ(message(), "argument 1: got f32, expected bf16");
  zenith_check_arg(&context, 0, nullptr, &arg, ZENITH_F32, 1, any);
  EXPECT_EQ(message(), "argument 0: got rank 2, expected shape [?]");
  arg.capacity = 20;
  zenith_check_arg(&context, 0, nullptr, &arg, ZENITH_F32, 2, any);
  EXPECT_EQ(message(), "argument 0: got 20 bytes, its shape needs 24");
  arg.data = nullptr;
  zenith_check_arg(&context, 0, nullptr, &arg, ZENITH_F32, 2, any);
  EXPECT_EQ(message(), "argument 0: data is null");
  arg.struct_size = 8;
  zenith_check_arg(&context, 0, nullptr, &arg, ZENITH_F32, 2, any);
  EXPECT_EQ(message(), "argument 0: struct_size is 8, expected 56");
}

TEST_F(TensorCalls, ChecksExtentsThatHaveNoSize) {
  std::vector<float> data(1);
  std::vector<int64_t> dims = {INT64_MAX, 4}, negative = {-3, 4},
                       empty = {0, INT64_MAX};
  int64_t any[] = {-1, -1};
  zenith_tensor arg = floats(data, dims);
  EXPECT_EQ(zenith_check_arg(&context, 0, nullptr, &arg, ZENITH_F32, 2, any),
            ZENITH_INVALID_INPUT);
  arg = floats(data, negative);
  message();
  EXPECT_EQ(zenith_check_arg(&context, 0, nullptr, &arg, ZENITH_F32, 2, any),
            ZENITH_INVALID_INPUT);
  message();
  arg = floats(data, empty);
  arg.data = nullptr;
  EXPECT_EQ(zenith_check_arg(&context, 0, nullptr, &arg, ZENITH_F32, 2, any),
            ZENITH_OK);
  EXPECT_NE(zenith_arg_data(&context, 0, &arg), nullptr);
}

TEST_F(TensorCalls, ChecksCountsAndDims) {
  EXPECT_EQ(zenith_check_counts(&context, 2, 2, 1, 1), ZENITH_OK);
  EXPECT_EQ(zenith_check_counts(&context, 1, 2, 1, 1), ZENITH_INVALID_INPUT);
  EXPECT_EQ(message(), "got 1 arguments, expected 2");
  EXPECT_EQ(zenith_fail_dim(&context, 1, 0, 5, 4, "batch"),
            ZENITH_INVALID_INPUT);
  EXPECT_EQ(message(), "argument 1: dimension 0 is 5, expected 4 (batch)");
}

TEST_F(TensorCalls, KeepsTheFirstError) {
  EXPECT_EQ(zenith_fail(&context, ZENITH_RUN_FAILED, "first", "main/op"),
            ZENITH_RUN_FAILED);
  EXPECT_EQ(zenith_fail(&context, ZENITH_INTERNAL, "second", nullptr),
            ZENITH_RUN_FAILED);
  EXPECT_STREQ(context.error.op_path, "main/op");
  EXPECT_EQ(zenith_run_status(&context), ZENITH_RUN_FAILED);
  EXPECT_EQ(message(), "first");
  zenith_fail(&context, ZENITH_INTERNAL, std::string(5000, 'x').c_str(),
              nullptr);
  EXPECT_EQ(message().size(), sizeof(zenith_error::message) - 1);
}

TEST_F(TensorCalls, AssertionsSayTheirDetails) {
  int64_t details[] = {-3, 12};
  EXPECT_EQ(zenith_fail_assert(&context, ZENITH_RUN_FAILED,
                               "{1} is not {0}, but {1} {2}", details, 2,
                               "model.mlir:3:5"),
            ZENITH_RUN_FAILED);
  EXPECT_STREQ(context.error.op_path, "model.mlir:3:5");
  EXPECT_EQ(message(), "12 is not -3, but 12 {2}");
}

TEST_F(TensorCalls, PacksStridedArguments) {
  std::vector<float> data = {0, 1, 2, 3, 4, 5};
  std::vector<int64_t> dims = {3, 2}, strides = {1, 3};
  zenith_tensor arg = floats(data, dims);
  arg.strides = strides.data();
  auto *packed = static_cast<float *>(zenith_arg_data(&context, 0, &arg));
  ASSERT_NE(packed, nullptr);
  EXPECT_EQ(std::vector<float>(packed, packed + 6),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
  zenith_free(&context, packed);
  std::vector<int64_t> backwards = {-1};
  std::vector<int64_t> six = {6};
  arg = floats(data, six);
  arg.data = &data[5];
  arg.strides = backwards.data();
  packed = static_cast<float *>(zenith_arg_data(&context, 0, &arg));
  EXPECT_EQ(std::vector<float>(packed, packed + 6),
            (std::vector<float>{5, 4, 3, 2, 1, 0}));
  zenith_free(&context, packed);
}

TEST_F(TensorCalls, RowMajorStridesAreNotCopied) {
  std::vector<float> data(6);
  std::vector<int64_t> dims = {1, 3, 1, 2}, strides = {99, 2, -7, 1};
  zenith_tensor arg = floats(data, dims);
  arg.strides = strides.data();
  EXPECT_EQ(zenith_arg_data(&context, 0, &arg), data.data());
}

TEST_F(TensorCalls, AllocatesResults) {
  zenith_tensor result = {};
  result.struct_size = sizeof(result);
  int64_t dims[] = {4, 5}, fewer[] = {4, 2};
  void *data = zenith_result(&context, 0, &result, ZENITH_F64, 2, dims, 160);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(result.data, data);
  EXPECT_EQ(result.flags,
            uint64_t{ZENITH_TENSOR_OWNS_DATA | ZENITH_TENSOR_OWNS_DIMS});
  zenith_result_dims(&result, fewer);
  EXPECT_EQ(result.dims[1], 2);
  EXPECT_EQ(result.dtype, ZENITH_F64);
  zenith_result_release(&context, &result);
  EXPECT_EQ(result.data, nullptr);
}

TEST_F(TensorCalls, UsesTheCallersRoomOrSaysHowMuchIsMissing) {
  std::vector<float> data(4);
  std::vector<int64_t> dims = {0};
  int64_t four[] = {4};
  zenith_tensor result = floats(data, dims);
  EXPECT_EQ(zenith_result(&context, 0, &result, ZENITH_F32, 1, four, 16),
            data.data());
  EXPECT_EQ(dims[0], 4);
  EXPECT_EQ(result.flags, 0u);
  EXPECT_EQ(zenith_result(&context, 0, &result, ZENITH_F32, 1, four, 17),
            nullptr);
  EXPECT_EQ(message(), "result 0: has room for 16 bytes, needs 17");
}

TEST_F(TensorCalls, ResultsTakeOverDonatedArguments) {
  std::vector<float> data(4);
  std::vector<int64_t> dims = {4};
  zenith_tensor arg = floats(data, dims), result = {};
  result.struct_size = sizeof(result);
  arg.flags = ZENITH_TENSOR_DONATED;
  EXPECT_EQ(zenith_result_donated(&context, 0, &result, &arg, ZENITH_F32, 1,
                                  dims.data(), 16),
            data.data());
  EXPECT_TRUE(result.flags & ZENITH_TENSOR_TOOK_DONATION);
  zenith_result_release(&context, &result);
  arg.flags = 0;
  void *own = zenith_result_donated(&context, 0, &result, &arg, ZENITH_F32, 1,
                                    dims.data(), 16);
  EXPECT_NE(own, data.data());
  EXPECT_NE(own, nullptr);
  zenith_result_release(&context, &result);
}

TEST_F(TensorCalls, ResultsTakePoolBuffersThatTheContextKeeps) {
  std::vector<int64_t> dims = {1024};
  const int64_t bytes = 4096;
  zenith_tensor result = {};
  result.struct_size = sizeof(result);
  auto pooled = [&] {
    void *data = zenith_alloc(&context, bytes);
    std::memset(data, 7, size_t(bytes));
    return data;
  };
  auto take = [&](void *data) {
    void *own = zenith_result_pooled(&context, 0, &result, data, ZENITH_F32, 1,
                                     dims.data(), bytes);
    EXPECT_EQ(static_cast<char *>(own)[bytes - 1], 7);
    EXPECT_EQ(result.data, own);
    EXPECT_EQ(result.capacity, bytes);
    EXPECT_EQ(result.dims[0], 1024);
    return own;
  };
  void *data = pooled();
  EXPECT_NE(take(data), data); // this context keeps nothing
  EXPECT_TRUE(result.flags & ZENITH_TENSOR_OWNS_DATA);
  zenith_result_release(&context, &result);
  context.keep = [](void *, void *, int64_t size) {
    return int32_t(size == 4096);
  };
  data = pooled();
  EXPECT_EQ(take(data), data);
  EXPECT_TRUE(result.flags & ZENITH_TENSOR_OWNS_DATA);
  zenith_result_release(&context, &result);
  // The caller's memory is written.
  std::vector<char> own(bytes);
  result.data = own.data();
  result.capacity = bytes;
  EXPECT_EQ(take(pooled()), own.data());
  EXPECT_FALSE(result.flags & ZENITH_TENSOR_OWNS_DATA);
  zenith_result_release(&context, &result);
}

TEST_F(TensorCalls, ExtendsPoolBuffersByTheContextOrByOthers) {
  void *data = zenith_alloc(&context, 0);
  EXPECT_NE(data, nullptr);
  void *other = zenith_extend(&context, data, 4000);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(other, data);
  context.extend = [](void *, void *given, int64_t bytes) {
    return bytes < 5000 ? given : nullptr;
  };
  EXPECT_EQ(zenith_extend(&context, data, 4000), data);
  EXPECT_EQ(zenith_extend(&context, data, 5000), nullptr);
  EXPECT_EQ(context.error.code, ZENITH_OUT_OF_MEMORY);
  // Of a host that was built before the field was there.
  context.struct_size = offsetof(zenith_run_context, extend);
  void *old = zenith_extend(&context, data, 4000);
  EXPECT_NE(old, data);
  for (void *buffer : {data, other, old})
    zenith_free(&context, buffer);
}

TEST_F(TensorCalls, DefaultsHaveNoArenaAndNoDevice) {
  EXPECT_NE(zenith_arena(&context, 0), nullptr);
  EXPECT_EQ(zenith_arena(&context, 1), nullptr);
  EXPECT_EQ(context.error.code, ZENITH_OUT_OF_MEMORY);
  message();
  EXPECT_EQ(zenith_device_finish(&context), ZENITH_RUN_FAILED);
}

TEST(ElementTypes, HaveNamesAndSizes) {
  EXPECT_STREQ(zenith_dtype_name(ZENITH_F8E3M4), "f8E3M4");
  EXPECT_STREQ(zenith_dtype_name(ZENITH_UI64), "ui64");
  EXPECT_STREQ(zenith_dtype_name(ZENITH_C128), "complex<f64>");
  EXPECT_EQ(zenith_dtype_bytes(ZENITH_C128), 16);
  EXPECT_EQ(zenith_dtype_bytes(ZENITH_I1), 1);
  for (int32_t code : {-1, 0, 25, 1 << 30}) {
    EXPECT_EQ(zenith_dtype_bytes(code), 0);
    EXPECT_STREQ(zenith_dtype_name(code), "unknown");
  }
}
