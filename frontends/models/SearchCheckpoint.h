// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a search in a file, and what it is the state of.

#ifndef ZENITH_FRONTENDS_MODELS_SEARCHCHECKPOINT_H
#define ZENITH_FRONTENDS_MODELS_SEARCHCHECKPOINT_H

#include "frontends/cayley/StateGraph.h"
#include "ir/tensor/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class MLIRContext;
}

namespace zenith::models {

/// What a program carries from step to step, and the layers so far.
struct SearchCheckpoint {
  std::vector<Tensor> state;
  std::vector<int64_t> layers;
};

/// 64 hexadecimal digits for the generators, the central state and these
/// states, whatever the graph is called (SHA-256).
std::string digestOf(const cayley::StateGraph &graph,
                     llvm::ArrayRef<cayley::State> states);

/// A .safetensors file with "carried0" and so on, "layers", and `key` as bytes.
/// The file appears complete or not at all.
llvm::Error saveCheckpoint(const std::string &path, const std::string &key,
                           const SearchCheckpoint &checkpoint,
                           mlir::MLIRContext *context);

/// Errors where the file is damaged, and where its key is not `key`: a search
/// goes on from a checkpoint of its own kind, graph and options only. Keys are
/// JSON objects, whose "graph" messages name.
llvm::Expected<SearchCheckpoint> loadCheckpoint(const std::string &path,
                                                const std::string &key,
                                                mlir::MLIRContext *context);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_SEARCHCHECKPOINT_H
