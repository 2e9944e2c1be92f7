// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .pb and .raw files, type texts, and names without a format.

#include "frontends/tensors/TensorIO.h"
#include "TensorFiles.h"
#include "frontends/tensors/PbFile.h"

using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;

using TensorIOTest = TensorFiles;

TEST_F(TensorIOTest, PbRoundTripsEveryElementType) {
  for (const char *element : everyElement)
    for (const char *shape : {"[3x3]", "[]", "[0x4]"}) {
      Tensor tensor = counting(std::string(element) + shape);
      ASSERT_FALSE(writeTensor(path("x.pb"), tensor, "value"));
      llvm::Expected<Tensor> back =
          readTensor(path("x.pb"), std::nullopt, &context);
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
      expectSame(tensor, *back);
    }
}

TEST_F(TensorIOTest, PbPacksFourBitsLowFirst) {
  Tensor tensor(*parseTypeText("i4[3]", &context));
  tensor.writable()[0] = -1;
  tensor.writable()[1] = 2;
  tensor.writable()[2] = -8;
  llvm::Expected<onnx::Tensor> proto = toTensorProto(tensor, "x");
  ASSERT_TRUE(bool(proto));
  EXPECT_EQ(proto->data.view(), "\x2f\x08");
}

TEST_F(TensorIOTest, PbHasTypesThatElementsStore) {
  Tensor tensor(*parseTypeText("i4[5]", &context));
  for (int i = 0; i < 5; ++i)
    tensor.writable()[i] = char(i % 4 - 2);
  llvm::Expected<onnx::Tensor> proto = toTensorProto(tensor, "x", "int2");
  ASSERT_TRUE(bool(proto));
  EXPECT_EQ(proto->type, onnx::DataType::Int2);
  EXPECT_EQ(proto->data.view(), "\x4e\x02");
  llvm::Expected<Tensor> back = fromTensorProto(*proto, "x", &context);
  ASSERT_TRUE(bool(back));
  expectSame(tensor, *back);
}

TEST_F(TensorIOTest, PbPrefixesNeverCrash) {
  ASSERT_FALSE(writeTensor(path("whole.pb"), counting("f32[2x3]"), "value"));
  std::string bytes = read("whole.pb");
  for (size_t length = 0; length < bytes.size(); ++length) {
    write("x.pb", llvm::StringRef(bytes).take_front(length));
    llvm::Expected<Tensor> tensor =
        readTensor(path("x.pb"), std::nullopt, &context);
    EXPECT_FALSE(bool(tensor)) << length;
    llvm::consumeError(tensor.takeError());
  }
}

TEST_F(TensorIOTest, RawNeedsItsType) {
  write("x.raw", llvm::StringRef("\1\0\0\0\2\0\0\0", 8));
  llvm::Expected<Tensor> none =
      readTensor(path("x.raw"), std::nullopt, &context);
  ASSERT_FALSE(bool(none));
  EXPECT_NE(llvm::toString(none.takeError()).find("needs its type"),
            std::string::npos);
  llvm::Expected<Tensor> tensor =
      readTensor(path("x.raw"), parseTypeText("i32[2]", &context), &context);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(reinterpret_cast<const int32_t *>(tensor->bytes())[1], 2);
  llvm::Expected<Tensor> wrong =
      readTensor(path("x.raw"), parseTypeText("i32[3]", &context), &context);
  ASSERT_FALSE(bool(wrong));
  EXPECT_NE(
      llvm::toString(wrong.takeError()).find("has 8 bytes, i32[3] takes 12"),
      std::string::npos);
}

TEST_F(TensorIOTest, TypeTexts) {
  for (const char *text :
       {"f32[2x3]", "i1[]", "ui8[0]", "complex<f64>[4]", "f8E4M3FN[1]"})
    EXPECT_EQ(typeText(*parseTypeText(text, &context)), text);
  EXPECT_EQ(typeText(*parseTypeText("bool", &context)), "i1[]");
  for (const char *text : {"", "f31[2]", "f32[2", "f32[-1]", "f32[2xx3]",
                           "f32[?]", "i7[1]", "f32[9223372036854775807x9]"})
    EXPECT_FALSE(parseTypeText(text, &context)) << text;
}

TEST_F(TensorIOTest, RefusesUnknownSuffixesAndMissingFiles) {
  llvm::Expected<Tensor> unknown =
      readTensor(path("x.txt"), std::nullopt, &context);
  ASSERT_FALSE(bool(unknown));
  EXPECT_NE(llvm::toString(unknown.takeError()).find("unknown suffix"),
            std::string::npos);
  for (const char *name : {"none.npy", "none.pb"}) {
    llvm::Expected<Tensor> missing =
        readTensor(path(name), std::nullopt, &context);
    ASSERT_FALSE(bool(missing));
    EXPECT_NE(llvm::toString(missing.takeError()).find("cannot open"),
              std::string::npos);
  }
  EXPECT_TRUE(
      llvm::errorToBool(writeTensor(path("no/x.npy"), counting("i1[1]"))));
}
