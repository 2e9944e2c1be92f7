// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report of memory as lines for people.

#include "lowering/memory/MemoryReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace zenith::memory {

namespace {

/// Writes lines of a name and what is said of it.
class TextWriter {
public:
  explicit TextWriter(const json::Object &report) : report(report), os(text) {}
  std::string write();

private:
  llvm::raw_ostream &line(llvm::StringRef name) {
    return os << "  " << llvm::left_justify(name, 19);
  }
  void amount(llvm::StringRef name, const json::Object *bytes);
  void plan();
  void recomputation(const json::Object &remat);
  void largest();

  const json::Object &report;
  std::string text;
  llvm::raw_string_ostream os;
};

} // namespace

/// A number, and the formula where that says more.
void TextWriter::amount(llvm::StringRef name, const json::Object *bytes) {
  if (!bytes)
    return;
  std::string formula = bytes->getString("formula").value_or("").str();
  std::optional<int64_t> known = bytes->getInteger("bytes");
  line(name) << (known ? std::to_string(*known) : formula) << " bytes";
  if (known && formula != std::to_string(*known))
    os << " = " << formula;
  os << "\n";
}

void TextWriter::recomputation(const json::Object &remat) {
  auto number = [&](llvm::StringRef key) {
    return remat.getNumber(key).value_or(0);
  };
  auto share = [&](llvm::StringRef added, llvm::StringRef whole) {
    return number(whole) > 0 ? 100 * number(added) / number(whole) : 0;
  };
  line("remat") << llvm::formatv(
      "{0}: {1} steps, {2} recomputed, arithmetic +{3:F1} %, time +{4:F1} % "
      "(estimated)\n",
      remat.getString("mode").value_or(""), int64_t(number("steps")),
      int64_t(number("recomputed")), share("added_flops", "flops"),
      share("added_cost", "cost"));
  const json::Array *plans = remat.getArray("plans");
  if (!plans || plans->size() < 2)
    return;
  os << "plans that a budget can pick: bytes, time added\n";
  for (const json::Value &value : *plans)
    if (const json::Array *pair = value.getAsArray())
      os << llvm::format("  %14lld  +%.1f %%\n",
                         (long long)(*pair)[0].getAsInteger().value_or(0),
                         number("cost") > 0
                             ? 100 * (*pair)[1].getAsNumber().value_or(0) /
                                   number("cost")
                             : 0);
}

/// What the phases decided.
void TextWriter::plan() {
  if (const json::Object *bound = report.getObject("lower_bound"))
    line("lower bound") << bound->getInteger("bytes").value_or(0)
                        << " bytes at step "
                        << bound->getString("step").value_or("") << " ("
                        << bound->getString("location").value_or("") << ")\n";
  if (const json::Object *offload = report.getObject("offload");
      offload && offload->getInteger("values").value_or(0) > 0)
    line("offload") << *offload->getInteger("values") << " values of "
                    << offload->getInteger("bytes").value_or(0)
                    << " bytes in a file of "
                    << offload->getInteger("file_peak").value_or(0) << "\n";
  if (auto order = report.getString("order"))
    line("order") << *order << "\n";
  if (const json::Object *remat = report.getObject("remat"))
    recomputation(*remat);
}

void TextWriter::largest() {
  const json::Array *rows = report.getArray("largest");
  if (!rows || rows->empty())
    return;
  os << "largest buffers: bytes, steps, class, type, location\n";
  for (const json::Value &value : *rows) {
    const json::Object &row = *value.getAsObject();
    auto word = [&](llvm::StringRef key) {
      return row.getString(key).value_or("");
    };
    auto number = [&](llvm::StringRef key) {
      return std::to_string(row.getInteger(key).value_or(0));
    };
    os << "  " << llvm::right_justify(number("bytes"), 14) << "  "
       << llvm::left_justify(number("begin") + ".." + number("end"), 12) << ' '
       << llvm::left_justify(word("class"), 12) << ' ' << word("type") << "  "
       << word("location") << "\n";
  }
}

std::string TextWriter::write() {
  os << "memory of @" << report.getString("entry").value_or("") << "\n";
  amount("certificate", report.getObject("certificate"));
  for (const char *name : {"measured_peak", "parameters", "inputs"})
    if (std::optional<int64_t> bytes = report.getInteger(name))
      line(llvm::StringRef(name).take_until([](char c) { return c == '_'; }))
          << *bytes << " bytes\n";
  if (std::optional<int64_t> budget = report.getInteger("budget"))
    line("budget") << *budget << " bytes\n";
  amount("arena", report.getObject("arena"));
  if (auto pool = report.getString("pool"); pool && *pool != "unused")
    line("pool") << *pool << "\n";
  plan();
  if (const json::Object *classes = report.getObject("classes")) {
    os << "classes\n";
    for (llvm::StringRef name : {"parameters", "derived_parameters", "inputs",
                                 "results", "activations", "temporaries"})
      amount(name, classes->getObject(name));
  }
  largest();
  return text;
}

std::string toText(const json::Object &report) {
  return TextWriter(report).write();
}

} // namespace zenith::memory
