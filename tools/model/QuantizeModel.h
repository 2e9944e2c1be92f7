// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --quantize: reads the samples, runs the programs that calibration asks for,
// and returns products to f32 until --min-agreement holds.

#ifndef ZENITH_TOOLS_MODEL_QUANTIZEMODEL_H
#define ZENITH_TOOLS_MODEL_QUANTIZEMODEL_H

#include "frontends/models/LoadModel.h"
#include "tools/model/RunOptions.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

/// Quantizes the entry of a model as options.precision says; nothing where that
/// has no scheme. Programs run on options.compile.target.
/// For a file the result is what operators of ONNX can say; in memory, scales
/// at run time are those of rows. Remarks are printed where options.explain
/// asks for them; of a file all are.
llvm::Error quantizeModel(models::LoadedModel &model, const RunOptions &options,
                          bool forFile, models::Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_QUANTIZEMODEL_H
