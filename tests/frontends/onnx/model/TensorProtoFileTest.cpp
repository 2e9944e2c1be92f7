// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of every data type in files of their own, from raw data and from the
// typed fields.
#include "frontends/onnx/model/TensorProtoFile.h"
#include "tests/frontends/onnx/SampleModels.h"

#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::onnx;

TEST(TensorProtoFile, EveryTypeRoundTrips) {
  TemporaryFolder folder;
  for (int type = 1; type <= 26; ++type) {
    Tensor tensor;
    tensor.name = "t";
    tensor.type = static_cast<DataType>(type);
    tensor.dims = {3, 1};
    if (tensor.type == DataType::String)
      tensor.strings = {"a", "", std::string("\0b", 2)};
    else
      tensor.data = files::ByteRange::fromMemory(
          std::string(*byteCount(tensor.type, tensor.dims), char(type)));
    ASSERT_TRUE(writeTensorProtoFile(folder / "t.pb", tensor));
    auto again = readTensorProtoFile(folder / "t.pb");
    ASSERT_TRUE(again) << type << again.error().message();
    EXPECT_EQ(again->type, tensor.type);
    EXPECT_EQ(again->dims, tensor.dims);
    EXPECT_EQ(again->data.view(), tensor.data.view());
    EXPECT_EQ(again->strings, tensor.strings);
  }
}

static Result<Tensor> parse(const std::string &bytes) {
  return parseTensor(files::ByteSource::fromMemory(bytes));
}

/// dims = [count], data_type, then one packed field.
static std::string typed(int count, int type, int number,
                         const std::string &packed) {
  std::string out = {'\x08',     char(count),           '\x10',
                     char(type), char(number << 3 | 2), char(packed.size())};
  return out + packed;
}

TEST(TensorProtoFile, TypedFields) {
  auto narrow =
      parse(typed(2, 3, 5,
                  std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x07",
                              11))); // int8 -1, 7
  ASSERT_TRUE(narrow) << narrow.error().message();
  EXPECT_EQ(narrow->data.view(), "\xff\x07");
  auto half =
      parse(typed(1, 10, 5, std::string("\x80\x78", 2))); // float16 bits 0x3c00
  ASSERT_TRUE(half);
  EXPECT_EQ(half->data.view(), std::string("\x00\x3c", 2));
  auto nibbles = parse(
      typed(3, 22, 5,
            std::string("\x21\x03", 2))); // int4: two bytes for three elements
  ASSERT_TRUE(nibbles);
  EXPECT_EQ(nibbles->data.view(), "\x21\x03");
  auto uint32 = parse(typed(1, 12, 11, std::string("\x05", 1)));
  ASSERT_TRUE(uint32);
  EXPECT_EQ(uint32->data.view(), std::string("\x05\x00\x00\x00", 4));
  auto complex = parse(
      typed(1, 14, 4, std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8)));
  ASSERT_TRUE(complex);
  EXPECT_EQ(complex->data.length, 8u);
}

TEST(TensorProtoFile, WrongCountsAreRefused) {
  EXPECT_FALSE(
      parse(typed(3, 3, 5, "\x01\x02")));      // two values for three elements
  EXPECT_FALSE(parse(typed(1, 1, 5, "\x01"))); // a float in int32_data
  EXPECT_FALSE(
      parse(typed(4, 1, 9, "\x01\x02\x03"))); // raw data of a wrong length
  EXPECT_FALSE(parse("\x08\x02"));            // no data type
  EXPECT_FALSE(parse(std::string("\x08\x7f\x10\x01", 4)));  // no data
  EXPECT_TRUE(parse(std::string("\x08\x00\x10\x01", 4)));   // no data needed
  auto unknown = parse(std::string("\x08\x00\x10\x63", 4)); // data type 99
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::Unsupported);
}

TEST(TensorProtoFile, DataInTwoFieldsIsRefused) {
  auto refusal = [](const std::string &bytes) {
    auto tensor = parse(bytes);
    return tensor ? "accepted" : tensor.error().message();
  };
  auto contains = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  const std::string one("\x00\x00\x80\x3f", 4), raw = "\x4a\x04" + one;
  EXPECT_PRED2(contains, refusal(typed(1, 1, 4, one) + raw),
               "has raw_data beside float_data");
  EXPECT_PRED2(contains, refusal(typed(1, 6, 5, "\x01") + raw),
               "has raw_data beside int32_data");
  EXPECT_PRED2(contains, refusal(typed(1, 1, 7, "\x01")),
               "of type float has int64_data, expected float_data");
  EXPECT_PRED2(contains, refusal(std::string("\x08\x01\x10\x08", 4) + raw),
               "of type string has raw_data, expected string_data");
  // A field without elements says nothing.
  EXPECT_TRUE(parse(typed(1, 1, 4, "") + raw));
}

TEST(TensorProtoFile, NegativeAndHugeDimsAreRefused) {
  std::string minusOne =
      std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01", 13);
  EXPECT_FALSE(parse(minusOne));
  std::string huge =
      std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x10\x01", 12);
  EXPECT_FALSE(parse(huge));
}
