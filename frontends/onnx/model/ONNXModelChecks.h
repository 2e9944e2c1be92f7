// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a model that must hold before it is traversed: unique names,
// sorted nodes, inputs that exist, no recursion.
#ifndef ZENITH_FRONTENDS_ONNX_MODEL_ONNXMODELCHECKS_H
#define ZENITH_FRONTENDS_ONNX_MODEL_ONNXMODELCHECKS_H

#include "frontends/onnx/model/ONNXModel.h"

namespace zenith::onnx {

Status checkModel(const Model &model);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_MODEL_ONNXMODELCHECKS_H
