// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which compiler this is, to the last line of its sources.

#include "lowering/pipeline/ModuleKey.h"

#include "llvm/Config/llvm-config.h"

namespace zenith::pipeline {

std::string compilerVersion() {
  return "LLVM " LLVM_VERSION_STRING ", Zenith "
#include "lowering/pipeline/CompilerDigest.inc"
      ;
}

} // namespace zenith::pipeline
