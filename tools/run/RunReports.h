// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a run by phase and kernel, and how close kernels are to the peaks
// of the machine.

#ifndef ZENITH_TOOLS_RUN_RUNREPORTS_H
#define ZENITH_TOOLS_RUN_RUNREPORTS_H

#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace zenith::tools {

class Executor;
struct KernelFigures;
struct MachinePeaks;
struct RunOptions;

/// "phases" (milliseconds of each), "objects_ms", "link_ms", "cached" and
/// "prepare_ms" of a compiled model; empty for the interpreter.
llvm::json::Object compileReport(Executor &executor);

/// Array of {"kernel", "sources", "calls", "ms"}, slowest first; sources are
/// the names of the nodes, or their places, that the kernel computes.
llvm::json::Array kernelReport(llvm::ArrayRef<KernelFigures> kernels);

/// Each kernel of a run in its fastest turn out of a few.
llvm::Expected<std::vector<KernelFigures>>
measureKernels(Executor &executor, llvm::ArrayRef<Tensor> arguments);

/// Prints the figures on standard output as `options` ask: a line of JSON for
/// each report, `time` with more on the way to the run; the roofline as a table
/// where that is wanted.
void printKernelReports(const RunOptions &options, llvm::json::Object time,
                        llvm::ArrayRef<KernelFigures> kernels);

/// Per kernel, slowest first, and for all together: measured time, achieved
/// rates, and the least time that arithmetic or memory traffic allow. Data that
/// stays in a cache can be faster than "memory" says.
llvm::json::Object rooflineReport(llvm::ArrayRef<KernelFigures> kernels,
                                  const MachinePeaks &peaks);
/// The same object as a table.
std::string rooflineText(const llvm::json::Object &report);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_RUNREPORTS_H
