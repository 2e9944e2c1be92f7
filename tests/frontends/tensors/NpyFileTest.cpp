// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npy files: round trips of every type, byte orders, damaged headers.

#include "TensorFiles.h"
#include "frontends/tensors/TensorIO.h"

using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;

namespace {
struct NpyFileTest : TensorFiles {
  // A version 1 file with this header and these elements.
  static std::string file(const std::string &header,
                          const std::string &elements) {
    return std::string("\x93NUMPY\x01\x00", 8) + char(header.size() & 255) +
           char(header.size() >> 8) + header + elements;
  }
  std::string errorOf(llvm::StringRef bytes) {
    write("x.npy", bytes);
    llvm::Expected<Tensor> tensor =
        readTensor(path("x.npy"), std::nullopt, &context);
    return tensor ? "none" : llvm::toString(tensor.takeError());
  }
};
} // namespace

TEST_F(NpyFileTest, RoundTripsEveryElementType) {
  for (const char *element : everyElement)
    for (const char *shape : {"[2x3]", "[]", "[0x4]", "[5]"}) {
      Tensor tensor = counting(std::string(element) + shape);
      ASSERT_FALSE(writeTensor(path("x.npy"), tensor));
      llvm::Expected<Tensor> back =
          readTensor(path("x.npy"), tensor.type(), &context);
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
      expectSame(tensor, *back);
    }
}

TEST_F(NpyFileTest, HeaderIsAlignedAndPlain) {
  ASSERT_FALSE(writeTensor(path("x.npy"), counting("bf16[3]")));
  std::string bytes = read("x.npy");
  EXPECT_EQ(bytes.size(), 64u * 2 + 6);
  EXPECT_NE(
      bytes.find("{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }"),
      std::string::npos);
}

TEST_F(NpyFileTest, ReadsFortranOrderAndBigEndian) {
  write("x.npy",
        file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}",
             std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12)));
  llvm::Expected<Tensor> tensor =
      readTensor(path("x.npy"), std::nullopt, &context);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(typeText(tensor->type()), "i16[2x3]");
  const auto *values = reinterpret_cast<const int16_t *>(tensor->bytes());
  EXPECT_EQ(std::vector<int16_t>(values, values + 6),
            (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NpyFileTest, BooleansAreZeroOrOne) {
  write("x.npy", file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}",
                      std::string("\5\0", 2)));
  llvm::Expected<Tensor> tensor =
      readTensor(path("x.npy"), std::nullopt, &context);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->bytes()[0], 1);
}

TEST_F(NpyFileTest, RefusesDamagedHeaders) {
  EXPECT_NE(errorOf("").find("is not a .npy file"), std::string::npos);
  EXPECT_NE(
      errorOf(std::string("\x93NUMPY\x04\x00\x00\x00", 10)).find("version 4"),
      std::string::npos);
  for (const char *header :
       {"", "{", "{}", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': "
        "(1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}"})
    EXPECT_NE(errorOf(file(header, "1234")).find("no .npy header"),
              std::string::npos)
        << header;
  EXPECT_NE(
      errorOf(file("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
                   "1234"))
          .find("elements of type '|O'"),
      std::string::npos);
  EXPECT_NE(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(4611686018427387904, 4)}",
                         "1234"))
                .find("more than 2^63"),
            std::string::npos);
  EXPECT_NE(
      errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                   "1234"))
          .find("takes 8"),
      std::string::npos);
}

TEST_F(NpyFileTest, RefusesEveryPrefix) {
  ASSERT_FALSE(writeTensor(path("whole.npy"), counting("f32[2x3]")));
  std::string bytes = read("whole.npy");
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(errorOf(llvm::StringRef(bytes).take_front(length)), "none")
        << length;
  EXPECT_EQ(errorOf(bytes), "none");
}
