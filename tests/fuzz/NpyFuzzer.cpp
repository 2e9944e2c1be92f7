// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes to the .npy reader.

#include "frontends/tensors/NpyFile.h"
#include "mlir/IR/MLIRContext.h"

using namespace zenith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto source = files::ByteSource::fromMemory(
      std::string(reinterpret_cast<const char *>(data), size));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto tensor = tensors::readNpy(*source, mlir::Type(), &context);
  if (!tensor)
    llvm::consumeError(tensor.takeError());
  return 0;
}
