// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of phases: the order of the pipeline, and what each one owes the
// next.

#ifndef ZENITH_LOWERING_PIPELINE_PHASES_H
#define ZENITH_LOWERING_PIPELINE_PHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
class OpPassManager;
class Operation;
} // namespace mlir

namespace zenith::pipeline {

/// What builders of passes need to know.
struct PhaseOptions {
  bool explain = false;        ///< passes emit remarks
  int64_t denseIndexBytes = 0; ///< what sets of bits of a search may take
  int64_t memoryBytes = 0;     ///< what a step of a search may take; 0 = any
  std::vector<std::string> withoutSearchForms; ///< not to be chosen
  std::string mixedPrecision; ///< narrow type of weights, "bf16" or "f16";
                              ///< empty = as written
  bool bf16Pairs = false;     ///< the target multiplies pairs of bf16 fastest
  bool int8Dots = false;      ///< and int8 in groups of four
};

struct Phase {
  llvm::StringRef name;
  llvm::StringRef sentence;
  void (*build)(mlir::OpPassManager &passes, const PhaseOptions &options);
  /// True where `op` may be left at the phase's exit.
  bool (*allows)(mlir::Operation *op);
};

/// In order.
llvm::ArrayRef<Phase> phases();
/// Position of a phase; -1 for an unknown name.
int phaseIndex(llvm::StringRef name);
/// The phase that removes `op` from the IR: the first at whose exit it may not
/// be left. Null where all allow it.
const Phase *owedBy(mlir::Operation *op);

/// Every dialect that some phase has in its IR.
void registerPhaseDialects(mlir::DialectRegistry &registry);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_PHASES_H
