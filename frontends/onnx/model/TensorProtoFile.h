// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor in a file of its own (.pb, a serialised TensorProto), as ONNX test
// data has them.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_TENSORPROTOFILE_H
#define ZENITH_FRONTENDS_ONNX_MODEL_TENSORPROTOFILE_H

#include "frontends/onnx/model/ONNXModel.h"

namespace zenith::onnx {

/// Reads any data type, from raw data, typed fields or external data beside the
/// file.
Result<Tensor> readTensorProtoFile(const std::string &path);
/// Writes raw data (strings: string data); the file appears complete or not at
/// all.
Status writeTensorProtoFile(const std::string &path, const Tensor &tensor);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_TENSORPROTOFILE_H
