// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .safetensors files: round trip, damaged headers, prefixes.

#include "frontends/tensors/Safetensors.h"
#include "TensorFiles.h"

using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;

namespace {
struct SafetensorsTest : TensorFiles {
  std::string errorOf(llvm::StringRef bytes) {
    write("x.safetensors", bytes);
    llvm::Expected<Safetensors> file =
        Safetensors::open(path("x.safetensors"), &context);
    return file ? "none" : llvm::toString(file.takeError());
  }
  std::string errorOfHeader(const std::string &header) {
    std::string length(8, '\0');
    length[0] = char(header.size());
    return errorOf(length + header + "12345678");
  }
};
} // namespace

TEST_F(SafetensorsTest, RoundTrips) {
  std::map<std::string, Tensor> tensors{{"a", counting("f32[2x3]")},
                                        {"b\"c", counting("i1[3]")},
                                        {"d", counting("bf16[]")}};
  ASSERT_FALSE(writeSafetensors(path("x.safetensors"), tensors));
  llvm::Expected<Safetensors> file =
      Safetensors::open(path("x.safetensors"), &context);
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  ASSERT_EQ(file->tensors().size(), 3u);
  for (const auto &[name, tensor] : tensors) {
    ASSERT_NE(file->find(name), nullptr);
    expectSame(tensor, *file->find(name));
  }
  EXPECT_EQ(file->find("e"), nullptr);
}

TEST_F(SafetensorsTest, RefusesTypesThatTheFormatLacks) {
  EXPECT_TRUE(bool(llvm::errorToBool(
      writeSafetensors(path("x"), {{"a", counting("complex<f32>[1]")}}))));
}

TEST_F(SafetensorsTest, RefusesDamagedHeaders) {
  EXPECT_NE(errorOfHeader("[]").find("no JSON object"), std::string::npos);
  EXPECT_NE(errorOfHeader("{").find("no JSON"), std::string::npos);
  EXPECT_NE(errorOfHeader(std::string(100, '[')).find("nest too deeply"),
            std::string::npos);
  EXPECT_NE(errorOfHeader(R"({"a": 1})").find("lacks dtype"),
            std::string::npos);
  EXPECT_NE(errorOfHeader(
                R"({"a": {"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})")
                .find("shape that is none"),
            std::string::npos);
  EXPECT_NE(errorOfHeader(
                R"({"a": {"dtype":"F32","shape":[1],"data_offsets":[4,0]}})")
                .find("no range"),
            std::string::npos);
  EXPECT_NE(errorOfHeader(
                R"({"a": {"dtype":"F32","shape":[1],"data_offsets":[8,12]}})")
                .find("do not fit f32[1]"),
            std::string::npos);
  EXPECT_NE(errorOfHeader(
                R"({"a": {"dtype":"F32","shape":[3],"data_offsets":[0,4]}})")
                .find("do not fit f32[3]"),
            std::string::npos);
  EXPECT_NE(
      errorOfHeader(R"({"a": {"dtype":"F4","shape":[1],"data_offsets":[0,4]}})")
          .find("elements of type F4"),
      std::string::npos);
  EXPECT_EQ(errorOfHeader(R"({"__metadata__": {"x":"y"}})"), "none");
}

TEST_F(SafetensorsTest, RefusesEveryPrefix) {
  ASSERT_FALSE(writeSafetensors(path("whole"), {{"a", counting("f32[2]")}}));
  std::string bytes = read("whole");
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(errorOf(llvm::StringRef(bytes).take_front(length)), "none")
        << length;
}
