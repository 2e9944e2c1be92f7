// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes to the TensorProto reader.

#include "frontends/onnx/model/ONNXModel.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto tensor = zenith::onnx::parseTensor(zenith::files::ByteSource::fromMemory(
      std::string(reinterpret_cast<const char *>(data), size)));
  (void)tensor;
  return 0;
}
