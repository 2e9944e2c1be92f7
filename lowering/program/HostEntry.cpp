// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry from start to end.

#include "lowering/program/HostEntry.h"

#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

HostEntry::HostEntry(host::ProgramOp program, const mlir::SymbolTable &programs,
                     Module &module, const StringMap<int64_t> &kernels,
                     const std::vector<bool> &kept, bool deviceKernels)
    : code(program, programs, module, deviceKernels),
      buffers(code, kept.size()), arguments(code, buffers),
      results(code, buffers), memory(code, buffers), file(code, buffers),
      steps(code, buffers, results, memory, file, kernels, kept) {}

/// Computes the sizes of the entry and its steps that its arguments give.
void HostEntry::computeSizes() {
  SizeCode &sizes = code.sizes;
  sizes.evaluateKnown(code.program.getArenaAttr());
  for (auto value : code.program.getResults().getAsRange<host::ValueAttr>()) {
    sizes.evaluateKnown(value.getDims());
    if (graph::DimExpr bytes = bytesOf(value); sizes.canEvaluate(bytes))
      sizes.evaluate(bytes);
  }
  for (mlir::Operation &step : code.program.getBody().front())
    steps.computeSizes(&step);
}

llvm::Error HostEntry::build() {
  Frame frame;
  frame.program = code.program;
  code.frame = &frame;
  arguments.check();
  if (llvm::Error error = arguments.bindSymbols())
    return error;
  computeSizes();
  steps.checkGuards();
  code.checkSizes();
  arguments.load();
  memory.loadConstants();
  results.allocateKnown();
  memory.allocateArena();
  file.begin();
  if (code.deviceKernels)
    arguments.upload();
  memory.prepareFrame();
  steps.run();
  file.end();
  if (code.deviceKernels)
    results.download();
  code.builder.CreateRet(code.builder.getInt32(ZENITH_OK));
  return llvm::Error::success();
}

} // namespace zenith::pipeline
