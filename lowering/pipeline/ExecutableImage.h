// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable as bytes that another process can link.

#ifndef ZENITH_LOWERING_PIPELINE_EXECUTABLEIMAGE_H
#define ZENITH_LOWERING_PIPELINE_EXECUTABLEIMAGE_H

#include "lowering/pipeline/Executable.h"

namespace zenith::pipeline {

struct ExecutableImage {
  std::shared_ptr<Executable> executable; ///< not linked yet
  std::vector<cpu::EmittedFile> objects;
};

/// Only for executables that run on the host.
std::string writeImage(const Executable &executable,
                       llvm::ArrayRef<cpu::EmittedFile> objects);

/// What writeImage() wrote; an error where the bytes are anything else.
llvm::Expected<ExecutableImage> readImage(llvm::StringRef bytes);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_EXECUTABLEIMAGE_H
