// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the memory certificate: the peak of bytes in terms of the named
// dimensions.

#include "lowering/memory/MemoryReport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace zenith::memory {

std::vector<MemoryClass> MemoryReport::classes() const {
  return {{"parameters", parameters},   {"derived_parameters", derived},
          {"inputs", inputs},           {"results", results},
          {"activations", activations}, {"temporaries", temporaries}};
}

graph::DimExpr MemoryReport::peak() const {
  graph::DimExpr sum;
  for (const MemoryClass &part : classes())
    sum = sum + part.bytes;
  return sum;
}

std::string toJSON(const MemoryReport &report, const DimValues &values,
                   std::optional<int64_t> measuredPeak) {
  auto amount = [&](const graph::DimExpr &bytes) {
    std::optional<int64_t> known = bytes.evaluate(values);
    return llvm::json::Object{{"formula", bytes.str()},
                              {"bytes", known ? llvm::json::Value(*known)
                                              : llvm::json::Value(nullptr)}};
  };
  llvm::json::Object classes;
  for (const MemoryClass &part : report.classes())
    classes[part.name] = amount(part.bytes);
  llvm::json::Object object{
      {"entry", report.entry},
      {"classes", std::move(classes)},
      {"arena", amount(report.arena())},
      {"peak", amount(report.peak())},
      {"pool", report.usesPool ? "data-dependent" : "unused"}};
  if (measuredPeak)
    object["measured_peak"] = *measuredPeak;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}

} // namespace zenith::memory
