// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts kernels by time and compares their rates with the peaks of the machine.

#include "tools/run/RunReports.h"

#include "lowering/pipeline/Compile.h"
#include "runtime/SystemResources.h"
#include "tools/model/Executor.h"
#include "tools/model/RunOptions.h"
#include "tools/run/MachinePeaks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith;
using namespace zenith::tools;
namespace json = llvm::json;

json::Object zenith::tools::compileReport(Executor &executor) {
  const pipeline::CompileTimes *times = executor.compileTimes();
  if (!times)
    return json::Object();
  json::Object phases;
  for (const auto &[name, ms] : times->eachPhase)
    phases[name] = ms;
  return json::Object{{"phases", std::move(phases)},
                      {"objects_ms", times->objects},
                      {"link_ms", times->link},
                      {"cached", times->cached},
                      {"prepare_ms", executor.prepareMs()}};
}

static std::vector<KernelFigures>
slowestFirst(llvm::ArrayRef<KernelFigures> kernels) {
  std::vector<KernelFigures> sorted(kernels);
  llvm::sort(sorted, [](const KernelFigures &a, const KernelFigures &b) {
    return std::tie(b.ms, a.name) < std::tie(a.ms, b.name);
  });
  return sorted;
}

json::Array zenith::tools::kernelReport(llvm::ArrayRef<KernelFigures> kernels) {
  json::Array array;
  for (const KernelFigures &kernel : slowestFirst(kernels))
    array.push_back(json::Object{{"kernel", kernel.name},
                                 {"sources", json::Array(kernel.sources)},
                                 {"calls", kernel.calls},
                                 {"ms", kernel.ms}});
  return array;
}

llvm::Expected<std::vector<KernelFigures>>
zenith::tools::measureKernels(Executor &executor,
                              llvm::ArrayRef<Tensor> arguments) {
  constexpr unsigned turns = 3;
  std::vector<KernelFigures> best;
  for (unsigned turn = 0; turn < turns; ++turn) {
    executor.startMeasuring();
    llvm::Error error = executor.runOnly(arguments);
    std::vector<KernelFigures> kernels = executor.stopMeasuring();
    if (error)
      return std::move(error);
    if (best.empty())
      best = kernels;
    for (auto [known, kernel] : llvm::zip(best, kernels))
      known.ms = std::min(known.ms, kernel.ms);
  }
  return best;
}

static double over(double x, double y) { return y > 0 ? x / y : 0; }

static json::Object rooflineOf(const KernelFigures &kernel,
                               const MachinePeaks &peaks) {
  double compute = over(kernel.flops * 1e-6, peaks.gflops),
         memory = over(kernel.bytes * 1e-6, peaks.gbytesPerSecond);
  return json::Object{{"kernel", kernel.name},
                      {"sources", json::Array(kernel.sources)},
                      {"calls", kernel.calls},
                      {"ms", kernel.ms},
                      {"flops", kernel.flops},
                      {"bytes", kernel.bytes},
                      {"gflops", over(kernel.flops * 1e-6, kernel.ms)},
                      {"gbytes_per_s", over(kernel.bytes * 1e-6, kernel.ms)},
                      {"bound", compute > memory ? "compute" : "memory"},
                      {"possible_ms", std::max(compute, memory)},
                      {"achieved", over(std::max(compute, memory), kernel.ms)}};
}

json::Object
zenith::tools::rooflineReport(llvm::ArrayRef<KernelFigures> kernels,
                              const MachinePeaks &peaks) {
  json::Array array;
  KernelFigures all;
  all.name = "total";
  double possible = 0;
  for (const KernelFigures &kernel : slowestFirst(kernels)) {
    json::Object object = rooflineOf(kernel, peaks);
    possible += *object.getNumber("possible_ms");
    array.push_back(std::move(object));
    all.calls += kernel.calls;
    all.ms += kernel.ms;
    all.flops += kernel.flops;
    all.bytes += kernel.bytes;
  }
  json::Object total = rooflineOf(all, peaks);
  // Kernels run one after the other.
  total["possible_ms"] = possible;
  total["achieved"] = over(possible, all.ms);
  return json::Object{
      {"machine", json::Object{{"threads", peaks.threads},
                               {"gflops", peaks.gflops},
                               {"gbytes_per_s", peaks.gbytesPerSecond},
                               {"spread", peaks.spread},
                               {"load_average", peaks.loadAverage},
                               {"under_load", peaks.isUnderLoad()}}},
      {"kernels", std::move(array)},
      {"total", std::move(total)}};
}

void zenith::tools::printKernelReports(const RunOptions &options,
                                       json::Object time,
                                       llvm::ArrayRef<KernelFigures> kernels) {
  if (options.wants(Report::Time)) {
    time["kernels"] = kernelReport(kernels);
    llvm::outs() << json::Value(std::move(time)) << "\n";
  }
  if (!options.wants(Report::Roofline))
    return;
  int threads = runtime::usefulThreads(int(options.threads));
  json::Object roofline =
      rooflineReport(kernels, measurePeaks(unsigned(threads)));
  if (options.reportFormat == TextFormat::Text)
    llvm::outs() << rooflineText(roofline);
  else
    llvm::outs() << json::Value(std::move(roofline)) << "\n";
}

static void printRow(llvm::raw_ostream &os, const json::Object &row) {
  auto number = [&](llvm::StringRef key) {
    return row.getNumber(key).value_or(0);
  };
  os << llvm::format("%10.3f %6.0f %9.1f %9.1f %10.3f %6.0f %%  ", number("ms"),
                     number("calls"), number("gflops"), number("gbytes_per_s"),
                     number("possible_ms"), number("achieved") * 100)
     << llvm::left_justify(row.getString("bound").value_or(""), 8)
     << row.getString("kernel").value_or("") << "\n";
}

std::string zenith::tools::rooflineText(const json::Object &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const json::Object &machine = *report.getObject("machine");
  os << "machine: "
     << llvm::format("%.0f threads, %.1f GFLOP/s, %.1f GB/s\n",
                     *machine.getNumber("threads"),
                     *machine.getNumber("gflops"),
                     *machine.getNumber("gbytes_per_s"));
  if (machine.getBoolean("under_load").value_or(false))
    os << llvm::format("warning: measured under load (load average %.1f, turns "
                       "differ by %.0f %%): the peaks are too low\n",
                       *machine.getNumber("load_average"),
                       *machine.getNumber("spread") * 100);
  os << "        ms  calls   GFLOP/s      GB/s   possible achieved bound   "
        "kernel\n";
  for (const json::Value &row : *report.getArray("kernels"))
    printRow(os, *row.getAsObject());
  printRow(os, *report.getObject("total"));
  return text;
}
