// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a search on keys whose temporary lists stay within a bound.

#ifndef ZENITH_PASSES_SEARCH_STATES_KEYRANGES_H
#define ZENITH_PASSES_SEARCH_STATES_KEYRANGES_H

#include "passes/search/states/WordOps.h"

namespace zenith::search {

/// Tables of images for search.dedup; null: keys have no images.
struct ImageTables {
  mlir::Value parts, bits;
  int64_t ties = 0;
};

/// A step from a layer to the next one. A list of keys is one value per word.
struct KeyStep {
  /// The candidates that a part of a layer expands to: lists of keys.
  llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
      candidatesOf;
  int64_t candidatesPerState;
  llvm::SmallVector<int64_t> keyBits; ///< of each word
  bool hasAbsent;          ///< candidates whose word 0 is all ones do not count
  ImageTables images = {}; ///< only of whole steps
};

/// The keys among the candidates of `layer`, each once, that are in no list of
/// `known`.
llvm::SmallVector<mlir::Value>
freshKeys(mlir::OpBuilder &builder, mlir::Location location,
          const KeyStep &step, mlir::ValueRange layer, mlir::ValueRange known);

/// The same for layers of any size in about `bytes` besides the layers
/// themselves. Small layers take one step as above. Others are expanded once
/// for each of several ranges of hashes, a block of states at a time:
/// candidates of a block in the range are appended to a list that grows, which
/// is deduplicated at the end of the range. Word 0 of a key must not be all
/// ones.
llvm::SmallVector<mlir::Value>
freshKeysWithin(mlir::OpBuilder &builder, mlir::Location location,
                const KeyStep &step, mlir::ValueRange layer,
                mlir::ValueRange known, int64_t bytes);

/// Bytes that freshKeys takes per state of the layer.
int64_t stepBytes(int64_t candidatesPerState, int64_t words);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_KEYRANGES_H
