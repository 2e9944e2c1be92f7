// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coverage page: a row per op of GraphIR, a column per question, and the
// operators that the ONNX door reads.

#include "frontends/onnx/ONNXOpTable.h"
#include "ir/GraphDialect.h"
#include "ir/interpreter/Interpreter.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/batching/BatchRule.h"
#include "passes/precision/PrecisionRule.h"
#include "passes/sharding/ShardingRule.h"
#include "tests/project/ProjectFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <sstream>

using namespace mlir;

namespace zenith::project {

static std::string joined(const std::set<std::string> &words) {
  return llvm::join(words, ", ");
}

/// A room's cells, and on the way what it refuses.
class RoomColumn {
public:
  explicit RoomColumn(DirectoryAnswer (*room)(Operation *)) : room(room) {}

  std::string cell(ProjectFacts &facts, const std::string &op) {
    std::set<std::string> words, errors;
    const std::vector<Operation *> &instances = facts.instances[op];
    for (Operation *instance : instances) {
      DirectoryAnswer answer = room(instance);
      if (answer.refused)
        errors.insert(StringRef(answer.error).split('\n').first.str());
      else
        words.insert(answer.words.begin(), answer.words.end());
    }
    for (const std::string &error : errors)
      refusals += "- " + error + "\n";
    if (words.empty())
      return errors.empty() ? "no code" : "refused";
    return joined(words) + (errors.empty() ? "" : ", not all");
  }

  std::string refusals;

private:
  DirectoryAnswer (*room)(Operation *);
};

/// What batching says of an op, and on the way why some have no batched form.
static std::string batchingCell(Operation *op, std::string &refusals) {
  auto rule = dyn_cast<batching::BatchRule>(op);
  if (!rule)
    return "no rule";
  StringRef refusal = rule.refusal();
  if (refusal.empty())
    return "rule";
  refusals +=
      ("- '" + op->getName().getStringRef() + "' op " + refusal + "\n").str();
  return "refused";
}

/// The kinds of the factors of an op, and on the way why some have none.
static std::string shardingCell(const std::vector<Operation *> &instances,
                                std::string &refusals) {
  static const char *const kinds[] = {"pass-through", "reduction",
                                      "need replication", "permutation"};
  std::set<std::string> words;
  for (Operation *op : instances) {
    for (const sharding::Factor &factor : sharding::factorMappingOf(op).factors)
      if (factor.size != 1)
        words.insert(kinds[unsigned(factor.kind)] +
                     std::string(factor.blocked ? " (blocked)" : ""));
  }
  if (!words.empty())
    return joined(words);
  auto rule = dyn_cast<sharding::ShardingRule>(instances.front());
  if (!rule || rule.refusal().empty())
    return "none";
  refusals += ("- '" + instances.front()->getName().getStringRef() + "' op " +
               rule.refusal() + "\n")
                  .str();
  return "refused";
}

/// What an op says about its derivative, by instance.
class GradientColumn {
public:
  std::string cell(ProjectFacts &facts, const std::string &op) {
    using autodiff::GradientAnswer;
    std::set<std::string> words;
    for (Operation *instance : facts.instances[op]) {
      GradientAnswer answer = autodiff::gradientAnswerOf(instance);
      words.insert(answer.kind == GradientAnswer::Rule   ? "rule"
                   : answer.kind == GradientAnswer::Zero ? "zero"
                                                         : "refused");
      if (answer.kind == GradientAnswer::Refused)
        reasons.insert("- `" + op + "`: " + answer.reason + "\n");
    }
    return joined(words);
  }

  std::set<std::string> reasons;
};

/// Ops without a meaning of their own outside of a whole program.
static bool isDeclaration(const std::string &op) {
  return op == "graph.param" || op == "graph.derived_param" ||
         op == "graph.get_param" || op == "graph.yield" || op == "graph.mesh";
}

/// The list of an op before a policy moves it.
static std::string precisionCell(ProjectFacts &facts, const std::string &op) {
  std::set<std::string> words;
  for (Operation *instance : facts.instances[op]) {
    precision::List list = precision::listOf(instance);
    words.insert(list == precision::List::None ? "-"
                                               : precision::wordOf(list).str());
  }
  return joined(words);
}

static void writeOps(ProjectFacts &facts, std::ostream &page) {
  RoomColumn kernel(lowered), onnx([](Operation *op) { return exported(op); });
  GradientColumn gradient;
  std::string batching, sharding;
  page << "| op | family | gradient | batching | precision | factors of its "
          "sharding | kernel | ONNX |\n"
          "|---|---|---|---|---|---|---|---|\n";
  for (RegisteredOperationName name : facts.ops) {
    std::string op = name.getStringRef().str();
    if (!facts.instances.count(op) || isDeclaration(op))
      continue;
    auto family = graph::familyOf(OperationName(name));
    page << "| `" << op << "` | "
         << (family ? graph::familyName(*family).str() : "") << " | "
         << gradient.cell(facts, op) << " | "
         << batchingCell(facts.instances[op].front(), batching) << " | "
         << precisionCell(facts, op) << " | "
         << shardingCell(facts.instances[op], sharding) << " | "
         << kernel.cell(facts, op) << " | " << onnx.cell(facts, op) << " |\n";
  }
  page << "\n## What has no derivative\n\n" << llvm::join(gradient.reasons, "");
  page << "\n## What kernels refuse\n\n" << kernel.refusals;
  page << "\n## What ONNX export refuses\n\n" << onnx.refusals;
  page << "\n## What vmap refuses\n\n" << batching;
  page << "\n## What has no sharding of its own\n\n" << sharding;
}

static void writeOperators(StringRef family, llvm::ArrayRef<onnx::OpRow> rows,
                           std::ostream &page) {
  std::map<std::string, std::string> operators;
  for (const onnx::OpRow &row : rows) {
    std::string &text = operators[row.op.str()];
    text +=
        (text.empty() ? "" : ", ") + std::to_string(row.since) +
        (row.until == onnx::newest ? " on" : "-" + std::to_string(row.until));
  }
  page << "| " << family.str() << " | ";
  llvm::interleave(
      operators,
      [&](const auto &entry) {
        page << "`" << entry.first << "`";
        if (entry.second != "1 on")
          page << " (" << entry.second << ")";
      },
      [&] { page << ", "; });
  page << " |\n";
}

std::string coveragePage(ProjectFacts &facts) {
  std::ostringstream page;
  page
      << R"page(<!-- Written by tools/scripts/gen_docs.py from what the code answers; change the code instead. -->
# Coverage

Every op below has a family, a shape rule, numbered constraints with a test each, a section in [ops.md](ops.md), a text and a bytecode form, and a meaning in the interpreter; `tests/project/CoverageTest.cpp` fails where one is missing. The other rooms may refuse an op, naming it.

The instances of the op in `tests/ir/<family>.mlir` are put through them one by one: *gradient* says whether there is a rule of differentiation, whether the derivative is zero, or that there is none; *batching* whether vmap has a rule; *factors of its sharding* lists the kinds of loops over which the op can be dealt ([sharding](../tutorials/sharding.md)); *kernel* lists the kinds of fusion that they lower to, *ONNX* the operators that they export as, at opset 17. "Not all" means that some instance is refused; "no code" that nothing remains to be computed.

)page";
  writeOps(facts, page);
  page << R"page(
## Operators of ONNX that import

In brackets the opsets, where not all since 1.

| family | operators |
|---|---|
)page";
  for (const onnx::OpFamily &family : onnx::opFamilies())
    writeOperators(family.name.str() + (family.domain.empty()
                                            ? std::string()
                                            : " (" + family.domain.str() + ")"),
                   family.rows(), page);
  return page.str();
}

} // namespace zenith::project
