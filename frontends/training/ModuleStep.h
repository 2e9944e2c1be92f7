// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step of a model that is in memory, with its first state: all that
// a host needs to train without files.

#ifndef ZENITH_FRONTENDS_TRAINING_MODULESTEP_H
#define ZENITH_FRONTENDS_TRAINING_MODULESTEP_H

#include "frontends/training/TrainOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace zenith::training {

/// The model becomes a module of two entries: @init gives the first state, by
/// the parameters of the module; @step takes state (donated), data and labels
/// (label/KEY) and gives figures (loss, ...), then the state after it
/// (NAME_next), as BuiltStep has them.
///
/// Of the options loss, optimizer, batchSize, seed, freeze, microBatches, ema,
/// onNaN, lossScale and the policy count. The model is trained in the form that
/// it has, on static shapes; a batchSize of 0 is that of its inputs.
/// `labelled` are the outputs that labels are compared with, empty: all.
/// Errors: Usage for texts and names, Unsupported for dynamic shapes.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildModuleStep(mlir::OwningOpRef<mlir::ModuleOp> model,
                const TrainOptions &options,
                llvm::ArrayRef<std::string> labelled);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_MODULESTEP_H
