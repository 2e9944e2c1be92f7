// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tensors of one file: raw data in the message, typed fields, external
// data beside the model.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_ONNXTENSORREADER_H
#define ZENITH_FRONTENDS_ONNX_MODEL_ONNXTENSORREADER_H

#include "frontends/onnx/model/ONNXModel.h"
#include "frontends/onnx/model/ONNXWire.h"
#include <map>

namespace zenith::onnx {

class TensorProto;

class TensorReader {
public:
  /// `folder` is where external data may be; empty: nowhere.
  TensorReader(std::shared_ptr<const files::ByteSource> source,
               std::string folder)
      : source(std::move(source)), folder(std::move(folder)) {}

  /// Sizes are checked before anything is allocated for them.
  Status read(const TensorProto &from, Tensor &to);

  std::shared_ptr<const files::ByteSource> source;
  /// The bytes that were detached from the message that contains the tensors.
  std::vector<DetachedMessage::Blob> blobs;

private:
  Status typedData(const TensorProto &from, uint64_t elements, Tensor &to);
  Status externalData(const TensorProto &from, uint64_t bytes, Tensor &to);
  Result<std::shared_ptr<const files::ByteSource>>
  externalFile(const std::string &location);

  std::string folder;
  std::map<std::string, std::shared_ptr<const files::ByteSource>> mapped;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_ONNXTENSORREADER_H
