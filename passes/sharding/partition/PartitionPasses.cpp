// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes around partitioning and unrolling.

#include "passes/sharding/partition/PartitionPasses.h"

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/partition/PartitionProgram.h"

namespace zenith {
#define GEN_PASS_DEF_PARTITIONPASS
#define GEN_PASS_DEF_UNROLLDEVICESPASS
#include "passes/sharding/partition/PartitionPasses.h.inc"

using namespace mlir;

namespace sharding {
namespace {

// The error as a diagnostic; false where there is none.
bool emitted(Operation *op, llvm::Error error) {
  if (!error)
    return false;
  op->emitError() << errorOf(std::move(error)).message();
  return true;
}

struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  using PartitionPassBase::PartitionPassBase;

  void runOnOperation() override {
    if (emitted(getOperation(), partitionProgram(getOperation(), explain)))
      signalPassFailure();
  }
};

struct UnrollDevicesPass : impl::UnrollDevicesPassBase<UnrollDevicesPass> {
  void runOnOperation() override {
    if (emitted(getOperation(), unrollProgram(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace sharding
} // namespace zenith
