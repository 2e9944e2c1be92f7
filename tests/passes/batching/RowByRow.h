// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a batched function with the function on each row.

#ifndef ZENITH_TESTS_PASSES_BATCHING_ROWBYROW_H
#define ZENITH_TESTS_PASSES_BATCHING_ROWBYROW_H

#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/batching/Vmap.h"
#include <random>
#include <string>

namespace zenith::batching {

/// A context with the dialects and their batching rules.
std::unique_ptr<mlir::MLIRContext> batchingContext();

enum class Outcome {
  Equal,   ///< each row has what the function gives for it
  Refused, ///< vmap has no form of an op, and says so
  NoRows,  ///< the function fails on some row
  Wrong    ///< `why` says where
};

struct Comparison {
  Outcome outcome;
  std::string why; ///< a message, or the first difference
};

struct RowCheck {
  VmapOptions options;
  int64_t rows = 3;
  /// Of dynamic dimensions, and of i64 scalars, which may be sizes.
  int64_t size = 3;
  uint32_t seed = 1;
  bool ascending = false; ///< elements of vectors
};

/// Batches the function called `name`, and runs both forms in the interpreter
/// on random arguments.
Comparison compareRows(mlir::ModuleOp module, llvm::StringRef name,
                       const RowCheck &check);

} // namespace zenith::batching

#endif // ZENITH_TESTS_PASSES_BATCHING_ROWBYROW_H
