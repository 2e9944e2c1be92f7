// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of tensor files share: a folder of their own, bytes in and out.

#ifndef ZENITH_TESTS_FRONTENDS_TENSORS_TENSORFILES_H
#define ZENITH_TESTS_FRONTENDS_TENSORS_TENSORFILES_H

#include "frontends/files/ElementNames.h"
#include "ir/tensor/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace zenith::tensors {

class TensorFiles : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("zenith-tensors", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(const std::string &name) {
    return std::string(folder) + "/" + name;
  }
  void write(const std::string &name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << bytes;
    ASSERT_FALSE(error);
  }
  std::string read(const std::string &name) {
    auto file = llvm::MemoryBuffer::getFile(path(name));
    return file ? (*file)->getBuffer().str() : std::string();
  }
  /// A tensor whose bytes count up, wrapped to what the type allows.
  Tensor counting(const std::string &type) {
    Tensor tensor(*files::parseTypeText(type, &context));
    char *to = tensor.writable();
    bool narrow = files::elementName(tensor.elementType()) == "i1";
    for (int64_t i = 0; i < tensor.byteSize(); ++i)
      to[i] = char(narrow ? i % 2 : i % 7);
    return tensor;
  }
  static void expectSame(const Tensor &a, const Tensor &b) {
    ASSERT_EQ(files::typeText(a.type()), files::typeText(b.type()));
    EXPECT_EQ(llvm::StringRef(a.bytes(), a.byteSize()),
              llvm::StringRef(b.bytes(), b.byteSize()));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  llvm::SmallString<128> folder;
};

inline const char *const everyElement[] = {
    "i1",          "i4",       "ui4",        "i8",         "i16",
    "i32",         "i64",      "ui8",        "ui16",       "ui32",
    "ui64",        "f16",      "bf16",       "f32",        "f64",
    "f8E5M2",      "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "complex<f32>",
    "complex<f64>"};

} // namespace zenith::tensors

#endif // ZENITH_TESTS_FRONTENDS_TENSORS_TENSORFILES_H
