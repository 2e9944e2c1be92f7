// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs know their memory: no machine code is made.

#include "tools/ReportMemory.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/TimelineFile.h"
#include "lowering/pipeline/Compile.h"
#include "tools/model/CompiledModel.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

llvm::Error zenith::tools::reportMemory(OwningOpRef<ModuleOp> module,
                                        const pipeline::CompileOptions &compile,
                                        const RunOptions &options,
                                        const DimSizes &dims,
                                        Diagnostics &diagnostics) {
  if (llvm::Error error = pipeline::lowerTo("kernels", *module, compile))
    return error;
  std::shared_ptr<pipeline::Executable> program =
      pipeline::describeExecutable(*module);
  memory::DimValues values = valuesOf(dims);
  int64_t budget = options.maxMemory.value_or(0);
  for (const pipeline::EntryInfo &entry : program->entries) {
    const memory::MemoryReport &memory = entry.planFor(values, budget).memory;
    if (budget)
      if (auto refusal = memory::refuse(memory, values, budget))
        return refusalError(std::move(*refusal), diagnostics);
    if (options.wants(Report::Memory))
      printMemoryReport(
          memory::reportOf(memory, values, {std::nullopt, options.maxMemory}),
          options.reportFormat);
  }
  if (options.memoryTimeline.empty())
    return llvm::Error::success();
  const pipeline::EntryInfo *entry = program->defaultEntry();
  if (!entry)
    return makeError(ErrorCode::Usage,
                     "--memory-timeline: the program has several entries, and "
                     "none is @main");
  const memory::MemoryReport &memory = entry->planFor(values, budget).memory;
  if (!memory.arena().evaluate(values))
    return makeError(ErrorCode::Usage,
                     "--memory-timeline: the arena has " +
                         memory.arena().str() +
                         " bytes, of which --dim NAME=N says too little");
  return models::writeTimeline(
      options.memoryTimeline,
      memory::timelineOf(memory.buffers, memory.arena(), values));
}
