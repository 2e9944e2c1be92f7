// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of file errors, and those of the ONNX door's byte layer in this form.

#include "frontends/files/FileError.h"

using namespace zenith;
using namespace zenith::tensors;

char FileError::ID = 0;

void FileError::log(llvm::raw_ostream &os) const { os << file << ": " << text; }

llvm::Error zenith::tensors::invalidFile(llvm::StringRef file,
                                         std::string text) {
  return llvm::make_error<FileError>(FileError::Kind::Invalid, file.str(),
                                     std::move(text));
}

llvm::Error zenith::tensors::unsupportedFile(llvm::StringRef file,
                                             std::string text) {
  return llvm::make_error<FileError>(FileError::Kind::Unsupported, file.str(),
                                     std::move(text));
}

llvm::Error zenith::tensors::fileError(llvm::StringRef file,
                                       const onnx::ModelError &error) {
  return error.code == onnx::ModelError::Unsupported
             ? unsupportedFile(file, error.text())
             : invalidFile(file, error.text());
}
