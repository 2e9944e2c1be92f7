// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument values of a run: from files, from a random generator, and the
// dimensions that both must agree on.

#ifndef ZENITH_TOOLS_MODEL_RUNINPUTS_H
#define ZENITH_TOOLS_MODEL_RUNINPUTS_H

#include "frontends/models/EntrySignature.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>

namespace zenith::tools {

using models::ArgumentInfo;

struct RunOptions;

using DimValues = std::map<std::string, int64_t>;

/// Sizes of named dimensions as the given inputs (null tensors are missing
/// ones) and `given` fix them; errors where they contradict each other or the
/// types.
llvm::Expected<DimValues> solveDims(llvm::ArrayRef<ArgumentInfo> arguments,
                                    llvm::ArrayRef<Tensor> inputs,
                                    const DimValues &given);

/// An error of code Invalid where a size is outside of its bounds.
llvm::Error checkBounds(const DimValues &dims,
                        const graph::DimBoundsMap &bounds);

/// Integers from `least` to `most`, both included.
struct RandomRange {
  int64_t least = 0, most = 1;
};

/// Floats standard normal, integers in the range, booleans 0 or 1; the same for
/// equal seeds on every machine.
Tensor randomTensor(mlir::RankedTensorType type, uint64_t seed,
                    RandomRange range = {});

/// All arguments; keys may use the names in `inputNames`; `dims` receives the
/// sizes of the named dimensions.
llvm::Expected<std::vector<Tensor>>
collectInputs(llvm::ArrayRef<ArgumentInfo> arguments,
              llvm::ArrayRef<std::string> inputNames, const RunOptions &options,
              mlir::MLIRContext *context, DimValues &dims);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_RUNINPUTS_H
