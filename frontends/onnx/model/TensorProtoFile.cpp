// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the file and leaves the message to the model reader, so that tensors
// are read by one piece of code.
#include "frontends/onnx/model/TensorProtoFile.h"

#include "frontends/files/AtomicFile.h"
#include <filesystem>
#include <fmt/format.h>

using namespace zenith;
using namespace zenith::onnx;

Result<Tensor> zenith::onnx::readTensorProtoFile(const std::string &path) {
  auto source = files::ByteSource::open(path);
  if (!source)
    return source.error();
  std::string folder = std::filesystem::path(path).parent_path().string();
  return parseTensor(*source, folder.empty() ? "." : folder);
}

Status zenith::onnx::writeTensorProtoFile(const std::string &path,
                                          const Tensor &tensor) {
  files::AtomicFile file(path);
  Status status = file.open();
  if (status)
    status = writeTensor(tensor, file);
  if (status)
    status = file.commit();
  return status;
}
