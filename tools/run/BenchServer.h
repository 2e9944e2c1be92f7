// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timed runs: a fixed number of them, or as many as a driver asks for.

#ifndef ZENITH_TOOLS_RUN_BENCHSERVER_H
#define ZENITH_TOOLS_RUN_BENCHSERVER_H

#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace zenith::tools {

class Executor;

/// Milliseconds of `count` runs.
llvm::Expected<std::vector<double>>
timeRuns(Executor &executor, llvm::ArrayRef<Tensor> inputs, unsigned count);

/// Figures of a started model.
struct BenchStart {
  double compileMs = 0, firstRunMs = 0;
};

/// Prints the first line of the protocol, then answers each line `run N` of
/// standard input until that ends.
llvm::Error serveBench(Executor &executor, llvm::ArrayRef<Tensor> inputs,
                       const BenchStart &start);

/// Warms up and measures; the object of --bench-json.
llvm::Expected<llvm::json::Object> bench(Executor &executor,
                                         llvm::ArrayRef<Tensor> inputs,
                                         unsigned count,
                                         const BenchStart &start, double flops);
/// One line for people.
std::string benchSummary(const llvm::json::Object &figures);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_BENCHSERVER_H
