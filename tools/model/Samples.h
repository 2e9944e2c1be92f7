// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a program's inputs that stand for all others: what --calibrate
// gives.

#ifndef ZENITH_TOOLS_MODEL_SAMPLES_H
#define ZENITH_TOOLS_MODEL_SAMPLES_H

#include "frontends/models/BindInputs.h"
#include "frontends/models/EntrySignature.h"
#include "llvm/Support/Error.h"

namespace zenith::tools {

/// The arguments of each batch of samples, in the program's order. Where the
/// first dimension of an input has no fixed size, a batch is several samples;
/// where samples have as many dimensions as an input of fixed size, it is as
/// many as that size says.
using SampleBatches = std::vector<std::vector<Tensor>>;

/// Reads the samples of all inputs. A key that is no input, or an input without
/// samples, is an error of code Usage; another shape or type, another number of
/// samples than those of other inputs, NaN and infinity are Invalid.
llvm::Expected<SampleBatches>
readSamples(llvm::ArrayRef<models::ArgumentInfo> arguments,
            llvm::ArrayRef<std::string> inputNames,
            llvm::ArrayRef<models::KeyedFile> files,
            mlir::MLIRContext *context);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_SAMPLES_H
