// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The support page: operators of ONNX by opset, in and out, and where each op
// of GraphIR runs.

#include "frontends/onnx/ONNXOpTable.h"
#include "tests/project/ProjectFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <sstream>

using namespace mlir;

namespace zenith::project {

/// Opsets that export writes.
static constexpr int oldestWritten = 13, newestWritten = 23;

namespace {
struct Writing {
  /// Of each operator of ONNX, the opsets at which some op becomes it.
  std::map<std::string, std::set<int>> operators;
  /// Of each op, the opsets at which all its instances are written, and those
  /// at which some are.
  std::map<std::string, std::set<int>> all, some;
};
} // namespace

static Writing writeAll(ProjectFacts &facts) {
  Writing writing;
  for (int opset = oldestWritten; opset <= newestWritten; ++opset)
    for (const auto &[op, instances] : facts.instances) {
      bool all = true;
      for (Operation *instance : instances) {
        DirectoryAnswer answer = exported(instance, opset);
        all &= !answer.refused;
        if (!answer.refused)
          writing.some[op].insert(opset);
        for (const std::string &name : answer.words)
          writing.operators[name].insert(opset);
      }
      if (all)
        writing.all[op].insert(opset);
    }
  return writing;
}

/// "13 on", "13-17" or "none".
static std::string rangeOf(const std::set<int> &opsets) {
  if (opsets.empty())
    return "no";
  std::string first = std::to_string(*opsets.begin());
  if (*opsets.rbegin() == newestWritten)
    return first + " on";
  return first + "-" + std::to_string(*opsets.rbegin());
}

static void writeOperators(const Writing &writing, std::ostream &page) {
  std::map<std::pair<std::string, std::string>, std::string> read;
  for (const onnx::OpFamily &family : onnx::opFamilies())
    for (const onnx::OpRow &row : family.rows()) {
      std::string &text = read[{family.domain.str(), row.op.str()}];
      text +=
          (text.empty() ? "" : ", ") + std::to_string(row.since) +
          (row.until == onnx::newest ? " on" : "-" + std::to_string(row.until));
    }
  for (const auto &[name, opsets] : writing.operators)
    read.try_emplace({"", name}, "no");
  page << "| operator | import | export |\n|---|---|---|\n";
  for (const auto &[key, text] : read) {
    const auto &[domain, name] = key;
    auto written = writing.operators.find(name);
    bool isWritten = domain.empty() && written != writing.operators.end();
    page << "| `" << (domain.empty() ? "" : domain + "::") << name << "` | "
         << text << " | " << (isWritten ? rangeOf(written->second) : "no")
         << " |\n";
  }
}

/// Where the kernels of all instances run.
static std::pair<std::string, std::string>
places(const std::vector<Operation *> &instances) {
  bool any = false, all = true, device = false, host = false;
  for (Operation *instance : instances) {
    DirectoryAnswer answer = lowered(instance);
    all &= !answer.refused;
    any |= !answer.refused;
    host |= answer.onHost;
    device |= !answer.refused && !answer.onHost;
  }
  if (!any)
    return {"no", "no"};
  std::string rest = all ? "" : ", not all";
  std::string where = device && host ? "device or host"
                      : host         ? "host"
                                     : "device";
  return {"yes" + rest, where + rest};
}

static void writeOps(ProjectFacts &facts, const Writing &writing,
                     std::ostream &page) {
  page << "| op | interp | cpu | opencl | ONNX export "
          "|\n|---|---|---|---|---|\n";
  for (const auto &[op, instances] : facts.instances) {
    bool isDeclaration = op == "graph.param" || op == "graph.derived_param" ||
                         op == "graph.get_param" || op == "graph.yield";
    if (op.rfind("graph.", 0) != 0 || isDeclaration)
      continue;
    auto [cpu, opencl] = places(instances);
    auto all = writing.all.find(op), some = writing.some.find(op);
    std::string written = all != writing.all.end() ? rangeOf(all->second)
                          : some != writing.some.end()
                              ? rangeOf(some->second) + ", not all"
                              : "no";
    page << "| `" << op << "` | yes | " << cpu << " | " << opencl << " | "
         << written << " |\n";
  }
}

std::string supportPage(ProjectFacts &facts) {
  std::ostringstream page;
  Writing writing = writeAll(facts);
  page
      << R"page(<!-- Written by tools/scripts/gen_docs.py from what the code answers; change the code instead. -->
# Support

## Operators of ONNX

*Import* gives the opsets whose form of the operator is read, *export* those at which some op of GraphIR is written as it. What runs an imported operator is below: the ops that it is made of. `tools/scripts/gen_docs.py --conformance=FILE...` compares this table with results of a conformance run. Random operators give numbers of their own, the same in every run, not those of another implementation.

)page";
  writeOperators(writing, page);
  page << R"page(
## Ops of GraphIR

Each instance of the op in `tests/ir/<family>.mlir` is put through the rooms by itself. *cpu*: it becomes kernels, or steps of the host program. *opencl*: where these run; "host" means a transfer there and back, with a `fallback` remark. *ONNX export*: the opsets that can express it. "Not all": some instance is refused, by name.

)page";
  writeOps(facts, writing, page);
  return page.str();
}

} // namespace zenith::project
