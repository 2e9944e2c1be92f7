// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a tensor file cannot be read or written: an exit code of the tools, a
// sentence and the file.

#ifndef ZENITH_FRONTENDS_FILES_FILEERROR_H
#define ZENITH_FRONTENDS_FILES_FILEERROR_H

#include "frontends/files/MappedBytes.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace zenith::tensors {

class FileError : public llvm::ErrorInfo<FileError> {
public:
  enum class Kind { Invalid = 2, Unsupported = 3 };
  static char ID;

  FileError(Kind kind, std::string file, std::string text)
      : errorKind(kind), file(std::move(file)), text(std::move(text)) {}
  Kind kind() const { return errorKind; }
  const std::string &path() const { return file; }
  const std::string &reason() const { return text; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  Kind errorKind;
  std::string file, text;
};

llvm::Error invalidFile(llvm::StringRef file, std::string text);
llvm::Error unsupportedFile(llvm::StringRef file, std::string text);
llvm::Error fileError(llvm::StringRef file, const onnx::ModelError &error);

} // namespace zenith::tensors

#endif // ZENITH_FRONTENDS_FILES_FILEERROR_H
