// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tensors of one file: raw data in the message, typed fields, external
// data beside the model.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_ONNXTENSORREADER_H
#define ZENITH_FRONTENDS_ONNX_MODEL_ONNXTENSORREADER_H

#include "frontends/onnx/model/MessageReader.h"
#include "frontends/onnx/model/ONNXModel.h"
#include <map>

namespace zenith::onnx {

/// raw_data below this size is copied; the rest stays where the message is.
constexpr uint64_t copiedBytes = 1024;

/// Appends the key and the value of the StringStringEntryProto `message`.
Status readEntry(MessageReader &reader, std::string_view message,
                 std::vector<std::pair<std::string, std::string>> &to);

class TensorReader {
public:
  /// `folder` is where external data may be; empty: nowhere.
  TensorReader(std::shared_ptr<const files::ByteSource> source,
               std::string folder)
      : source(std::move(source)), folder(std::move(folder)) {}

  /// Reads the TensorProto `message`, a part of the source. Sizes are checked
  /// before anything is allocated for them.
  Status read(MessageReader &reader, std::string_view message, Tensor &to);

  const std::shared_ptr<const files::ByteSource> source;

private:
  struct Fields;
  Status data(const Fields &from, Tensor &to);
  Status externalData(const Fields &from, uint64_t bytes, Tensor &to);
  Result<std::shared_ptr<const files::ByteSource>>
  externalFile(const std::string &location);

  std::string folder;
  std::map<std::string, std::shared_ptr<const files::ByteSource>> mapped;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_ONNXTENSORREADER_H
