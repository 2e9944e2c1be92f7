// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of phases: their order, their passes, and the contract of each with
// the next.

#ifndef ZENITH_LOWERING_PIPELINE_PHASES_H
#define ZENITH_LOWERING_PIPELINE_PHASES_H

#include "lowering/pipeline/CompileOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class DialectRegistry;
class ModuleOp;
class OpPassManager;
class Operation;
} // namespace mlir

namespace zenith::pipeline {

/// What builders of passes need to know: the options, and what the target that
/// they name can do.
struct PhaseOptions : CompileOptions {
  explicit PhaseOptions(const CompileOptions &options);

  std::vector<std::string> withoutWords; ///< of `without`, as passes take them
  std::vector<std::string> lackingWords; ///< of `withoutTypes`, likewise
  bool bf16Pairs = false;  ///< the target multiplies pairs of bf16 fastest
  bool int8Dots = false;   ///< and int8 in groups of four
  bool coreCaches = false; ///< cores with caches read panels of codes
};

struct Phase {
  llvm::StringRef name;
  llvm::StringRef sentence;
  void (*build)(mlir::OpPassManager &passes, const PhaseOptions &options);
  /// True where `op` may be left at the phase's exit.
  bool (*allows)(mlir::Operation *op);
  llvm::StringRef exit; ///< the same in words
};

/// In the order of the pipeline.
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
