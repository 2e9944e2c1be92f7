// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills gradients in by the clean phase, then hands the step to the exporter.

#include "frontends/training/ExportStep.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/WriteONNX.h"
#include "frontends/tensors/Safetensors.h"
#include "frontends/training/StepSession.h"
#include "lowering/pipeline/Pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::training {

/// Masks of dropouts, after all that might compute them: ONNX's Dropout draws
/// them, of ones.
static void drawMasks(func::FuncOp function, ArrayRef<double> rates) {
  if (rates.empty())
    return;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.front());
  StepBuilder b(builder, function.getLoc());
  unsigned first = function.getNumArguments() - unsigned(rates.size());
  auto key = b.filled(RankedTensorType::get(
                          {2}, builder.getIntegerType(32, /*isSigned=*/false)),
                      0);
  for (auto [i, rate] : llvm::enumerate(rates)) {
    BlockArgument mask = function.getArgument(first + unsigned(i));
    Value ones = b.filled(StepBuilder::typeOf(mask), 1);
    auto drop = builder.create<graph::DropoutOp>(b.loc, mask.getType(), ones,
                                                 key, llvm::APFloat(rate));
    drop->setAttr("onnx.drawn_mask", builder.getUnitAttr());
    mask.replaceAllUsesWith(drop);
  }
  llvm::BitVector masks(function.getNumArguments());
  masks.set(first, function.getNumArguments());
  function.eraseArguments(masks);
}

llvm::Error exportStep(TrainingSetup &setup, const TrainOptions &options,
                       models::Diagnostics &diagnostics) {
  constexpr int64_t leastOpset = 17;
  auto step = setup.buildExportedStep(options.opset.value_or(leastOpset));
  if (!step)
    return step.takeError();
  auto first = setup.firstValues(*step);
  if (!first)
    return first.takeError();
  std::map<std::string, Tensor> values;
  for (auto [entry, value] : llvm::zip(step->state, *first))
    values[entry.entry.name] = value;
  for (const auto &[name, value] : setup.frozen())
    if (auto param = step->module->lookupSymbol<graph::ParamOp>(name))
      param.setSourceAttr(value.toElements());
  pipeline::CompileOptions compile = options.compile;
  compile.folder = step->folder;
  compile.toPhase = phaseOfStep(*step->module, compile);
  if (llvm::Error error = pipeline::runPhases(*step->module, compile))
    return error;
  drawMasks(step->module->lookupSymbol<func::FuncOp>(step->entry),
            step->maskRates);
  models::ONNXWriteOptions write;
  write.opset = options.opset ? options.opset : std::optional(leastOpset);
  write.entry = step->entry;
  write.folder = step->folder;
  auto opset = models::writeAsONNX(*step->module, options.exportStep, write,
                                   diagnostics);
  if (!opset)
    return opset.takeError();
  return tensors::writeSafetensors(options.exportStep + ".state", values);
}

} // namespace zenith::training
