// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops around timed runs and the lines that report them.

#include "tools/run/BenchServer.h"

#include "runtime/Stopwatch.h"
#include "tools/model/Executor.h"
#include "tools/model/PeakMemory.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <iostream>

using namespace zenith;
using namespace zenith::tools;

static constexpr unsigned warmUpRuns = 2;

llvm::Expected<std::vector<double>>
zenith::tools::timeRuns(Executor &executor, llvm::ArrayRef<Tensor> inputs,
                        unsigned count) {
  std::vector<double> times;
  for (unsigned i = 0; i < count; ++i) {
    runtime::Stopwatch watch;
    if (llvm::Error error = executor.runOnly(inputs))
      return std::move(error);
    times.push_back(watch.ms());
  }
  return times;
}

static void printLine(llvm::json::Object object) {
  llvm::outs() << llvm::json::Value(std::move(object)) << "\n";
  llvm::outs().flush();
}

llvm::Error zenith::tools::serveBench(Executor &executor,
                                      llvm::ArrayRef<Tensor> inputs,
                                      const BenchStart &start) {
  printLine(llvm::json::Object{{"compile_ms", start.compileMs},
                               {"first_run_ms", start.firstRunMs},
                               {"peak_bytes", peakBytes()}});
  std::string line;
  while (std::getline(std::cin, line)) {
    llvm::StringRef text = llvm::StringRef(line).trim();
    unsigned count = 0;
    if (text.empty())
      continue;
    if (!text.consume_front("run ") || text.trim().getAsInteger(10, count)) {
      printLine(
          llvm::json::Object{{"error", "unknown request '" + line + "'"}});
      continue;
    }
    llvm::Expected<std::vector<double>> times =
        timeRuns(executor, inputs, count);
    if (!times)
      return times.takeError();
    printLine(
        llvm::json::Object{{"runs_ms", llvm::json::Array(*times)},
                           {"peak_bytes", peakBytes()},
                           {"transient_bytes", executor.transientBytes()}});
  }
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Object>
zenith::tools::bench(Executor &executor, llvm::ArrayRef<Tensor> inputs,
                     unsigned count, const BenchStart &start, double flops) {
  llvm::Expected<std::vector<double>> times =
      timeRuns(executor, inputs, warmUpRuns);
  if (times)
    times = timeRuns(executor, inputs, count);
  if (!times)
    return times.takeError();
  return llvm::json::Object{{"compile_ms", start.compileMs},
                            {"first_run_ms", start.firstRunMs},
                            {"runs_ms", llvm::json::Array(*times)},
                            {"peak_bytes", peakBytes()},
                            {"arena_bytes", executor.arenaBytes()},
                            {"flops", flops}};
}

std::string zenith::tools::benchSummary(const llvm::json::Object &figures) {
  std::vector<double> times;
  for (const llvm::json::Value &time : *figures.getArray("runs_ms"))
    times.push_back(*time.getAsNumber());
  std::sort(times.begin(), times.end());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "compiled in " << llvm::format("%.0f", *figures.getNumber("compile_ms"))
     << " ms, first run "
     << llvm::format("%.3f", *figures.getNumber("first_run_ms")) << " ms; "
     << times.size() << " runs: min " << llvm::format("%.3f", times.front())
     << " ms, median " << llvm::format("%.3f", times[times.size() / 2])
     << " ms, "
     << llvm::format("%.1f", *figures.getNumber("flops") / times.front() * 1e-6)
     << " GFLOP/s";
  return text;
}
