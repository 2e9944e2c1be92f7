// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the memory certificate: the peak of bytes in terms of the named
// dimensions.

#include "lowering/memory/MemoryReport.h"
#include "ir/remarks/Remark.h"

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

static llvm::json::Object parsed(const std::string &text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (value && value->getAsObject())
    return std::move(*value->getAsObject());
  llvm::consumeError(value.takeError());
  return {};
}

/// Bounds on the arena are bounds on what a run allocates with the results
/// beside it.
static void addFacts(llvm::json::Object &object, const MemoryReport &report,
                     const DimValues &values) {
  llvm::json::Object facts = parsed(report.facts);
  int64_t beside = (report.resultBuffers - report.donatedBuffers)
                       .evaluate(values)
                       .value_or(0);
  std::optional<int64_t> most = report.certificate().evaluate(values);
  if (llvm::json::Object *bound = facts.getObject("lower_bound")) {
    int64_t bytes = bound->getInteger("bytes").value_or(0) + beside;
    (*bound)["bytes"] = most ? std::min(bytes, *most) : bytes;
  }
  if (llvm::json::Object *remat = facts.getObject("remat"))
    if (llvm::json::Array *plans = remat->getArray("plans"))
      for (llvm::json::Value &plan : *plans)
        if (llvm::json::Array *pair = plan.getAsArray())
          (*pair)[0] = (*pair)[0].getAsInteger().value_or(0) + beside;
  for (auto &[key, value] : facts)
    if (llvm::StringRef(key) != "least_found")
      object[key] = std::move(value);
  object.try_emplace(
      "offload",
      llvm::json::Object{{"values", 0}, {"bytes", 0}, {"file_peak", 0}});
  if (std::optional<llvm::json::Object> timeline =
          timelineOf(report.buffers, report.arena(), values))
    object["largest"] = largestOf(*timeline, 10);
}

llvm::json::Object reportOf(const MemoryReport &report, const DimValues &values,
                            const MemoryMeasured &measured) {
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
  object["certificate"] = amount(report.certificate());
  object["budget"] = measured.budget ? llvm::json::Value(*measured.budget)
                                     : llvm::json::Value(nullptr);
  if (measured.peak) {
    object["measured_peak"] = *measured.peak;
    object["measured"] = llvm::json::Object{{"peak_bytes", *measured.peak}};
  }
  addFacts(object, report, values);
  return object;
}

std::string toJSON(const MemoryReport &report, const DimValues &values,
                   const MemoryMeasured &measured) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(reportOf(report, values, measured));
  return text;
}

std::optional<BudgetRefusal> refuse(const MemoryReport &report,
                                    const DimValues &values, int64_t budget) {
  std::optional<int64_t> needed = report.certificate().evaluate(values);
  if (!needed || *needed <= budget)
    return std::nullopt;
  llvm::json::Object object = reportOf(report, values),
                     facts = parsed(report.facts);
  int64_t arena = report.arena().evaluate(values).value_or(0),
          least = facts.getInteger("least_found").value_or(arena),
          leastFound = *needed - arena + std::min(least, arena);
  const llvm::json::Object *bound = object.getObject("lower_bound");
  auto textOf = [&](const llvm::json::Object *from, llvm::StringRef key) {
    return from ? from->getString(key).value_or("").str() : "";
  };
  int64_t lowest = bound ? bound->getInteger("bytes").value_or(0) : 0;
  BudgetRefusal refusal;
  llvm::raw_string_ostream text(refusal.text);
  text << "--max-memory=" << budget << " cannot be met: " << budget
       << " bytes, lower bound " << lowest << " at step "
       << textOf(bound, "step") << " (" << textOf(bound, "location")
       << "), least plan found " << leastFound << "; largest buffers:";
  const llvm::json::Array *largest = object.getArray("largest");
  if (largest)
    for (const llvm::json::Value &row : *largest) {
      const llvm::json::Object *buffer = row.getAsObject();
      text << ' ' << buffer->getInteger("bytes").value_or(0) << ' '
           << textOf(buffer, "type") << " (" << textOf(buffer, "location")
           << ')';
    }
  llvm::json::Array rows;
  if (largest)
    rows = *largest;
  refusal.object =
      llvm::json::Object{{"severity", "error"},
                         {"code", remarks::entryOf(remarks::Code::MEM001).name},
                         {"message", refusal.text},
                         {"budget", budget},
                         {"lower_bound", lowest},
                         {"least_found", leastFound},
                         {"largest", std::move(rows)}};
  return refusal;
}

} // namespace zenith::memory
