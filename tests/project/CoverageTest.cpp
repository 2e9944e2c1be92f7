// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all registered ops and asks each every question of the facts; a new
// question is a new row of the table.

#include "ir/GraphDialect.h"
#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/interpreter/Interpreter.h"
#include "lowering/elements/ElementRule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/batching/BatchRule.h"
#include "passes/fusion/FusionRule.h"
#include "passes/precision/PrecisionRule.h"
#include "passes/sharding/ShardingRule.h"
#include "tests/project/ProjectFacts.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <regex>

using namespace zenith;
using zenith::project::ProjectFacts;

namespace {

/// Empty where the op answers, else what is wrong.
using Answer = std::string;

Answer family(ProjectFacts &, mlir::RegisteredOperationName name) {
  return graph::familyOf(mlir::OperationName(name)) ? "" : "no family";
}

Answer shapeRule(ProjectFacts &, mlir::RegisteredOperationName name) {
  return name.hasInterface<graph::ShapeRule>() ? "" : "no ShapeRule";
}

Answer fusionRule(ProjectFacts &, mlir::RegisteredOperationName name) {
  return name.hasInterface<fusion::FusionRule>() ? "" : "no FusionRule";
}

Answer batchRule(ProjectFacts &, mlir::RegisteredOperationName name) {
  return name.hasInterface<batching::BatchRule>() ? "" : "no BatchRule";
}

/// A list, or why it is on none.
Answer precisionRule(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  for (mlir::Operation *op : facts.instances[name.getStringRef().str()]) {
    auto rule = mlir::dyn_cast<precision::PrecisionRule>(op);
    if (!rule)
      return "no PrecisionRule";
    if (rule.list() == precision::List::None && rule.unlisted().empty())
      return "on no list, and no reason";
  }
  return "";
}

/// Factors, or why there are none.
Answer shardingRule(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  for (mlir::Operation *op : facts.instances[name.getStringRef().str()]) {
    auto rule = mlir::dyn_cast<sharding::ShardingRule>(op);
    if (!rule)
      return "no ShardingRule";
    if (rule.factorMapping(/*conservative=*/false).empty() &&
        rule.refusal().empty() && op->getNumResults() > 0 &&
        !sharding::shapeOf(op->getResult(0)).empty() &&
        !mlir::isa<graph::CustomCallOp>(op))
      return "no factors, and no reason";
  }
  return "";
}

/// A rule, zero, or why there is none.
Answer gradientRule(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  for (mlir::Operation *op : facts.instances[name.getStringRef().str()]) {
    auto rule = mlir::dyn_cast<autodiff::GradientRule>(op);
    if (!rule)
      return "no GradientRule";
    autodiff::GradientAnswer answer = rule.gradientAnswer();
    if (answer.kind == autodiff::GradientAnswer::Refused &&
        answer.reason.empty())
      return "no derivative, and no reason";
  }
  return "";
}

/// Ops of these families are elements of kernels; the others call routines,
/// stay outside of kernels, or are written out before.
Answer elementRule(ProjectFacts &, mlir::RegisteredOperationName name) {
  using graph::Family;
  std::optional<Family> family = graph::familyOf(mlir::OperationName(name));
  bool isElement = family == Family::Elementwise ||
                   family == Family::Movement || family == Family::Indexing ||
                   family == Family::Reduction;
  return !isElement || name.hasInterface<kernels::ElementRule>()
             ? ""
             : "no ElementRule";
}

Answer documented(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  std::string section = facts.sections[name.stripDialect().str()];
  if (section.empty())
    return "no section in docs/generated/ops.md";
  return section.find("```mlir\n") != std::string::npos &&
                 section.find(name.getStringRef().str()) != std::string::npos
             ? ""
             : "no example";
}

Answer constraintsTested(ProjectFacts &facts,
                         mlir::RegisteredOperationName name) {
  std::string op = name.stripDialect().str(), section = facts.sections[op],
              missing;
  static const std::regex label(R"(- \*\*(c\d+)\*\*)");
  for (std::sregex_iterator match(section.begin(), section.end(), label), end;
       match != end; ++match) {
    std::string test = op + "_" + (*match)[1].str();
    // Either the verifier's own label, or a test named after it whose message
    // comes from MLIR.
    if (facts.invalidTests.find("(" + test + ")") == std::string::npos &&
        facts.invalidTests.find("@" + test + "_") == std::string::npos)
      missing += " " + test;
  }
  return missing.empty() ? "" : "no invalid test:" + missing;
}

Answer roundTrip(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  return facts.instances.count(name.getStringRef().str())
             ? ""
             : "not in tests/ir/<family>.mlir";
}

/// The interpreter gives a value, or an error about the values, for some op of
/// the round-trip tests; on zeros, sizes that are dynamic being 1.
Answer meaning(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  std::string why = "no instance in tests/ir";
  for (mlir::Operation *op : facts.instances[name.getStringRef().str()]) {
    mlir::OwningOpRef<mlir::ModuleOp> module = project::isolate(op);
    auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
    std::vector<Tensor> arguments;
    for (mlir::Type type : function.getArgumentTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      llvm::SmallVector<int64_t> shape(tensor.getShape());
      std::replace(shape.begin(), shape.end(), mlir::ShapedType::kDynamic,
                   int64_t(1));
      arguments.emplace_back(tensor.clone(shape));
    }
    interpreter::Options options;
    options.maxLoopSteps = 1000;
    auto results = interpreter::run(function, arguments, options);
    if (results)
      return "";
    Error error = errorOf(results.takeError());
    why = error.text;
    if (error.code == ErrorCode::Run || error.code == ErrorCode::Invalid)
      return "";
  }
  return why;
}

/// Rooms may refuse, if they say what.
Answer answered(ProjectFacts &facts, mlir::RegisteredOperationName name,
                project::DirectoryAnswer (*room)(mlir::Operation *)) {
  for (mlir::Operation *op : facts.instances[name.getStringRef().str()]) {
    project::DirectoryAnswer answer = room(op);
    if (answer.refused && answer.error.find("graph.") == std::string::npos &&
        answer.error.find("search.") == std::string::npos)
      return "refused without the name of an op: '" + answer.error + "'";
  }
  return "";
}

Answer kernel(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  return answered(facts, name, project::lowered);
}

Answer onnxExport(ProjectFacts &facts, mlir::RegisteredOperationName name) {
  return answered(facts, name,
                  [](mlir::Operation *op) { return project::exported(op); });
}

struct Question {
  const char *name;
  std::function<Answer(ProjectFacts &, mlir::RegisteredOperationName)> ask;
  /// Ops that need not answer, each with the reason.
  std::map<std::string, std::string> exempt;
};

const char *const decomposed = "zenith-decompose-random writes it out before";

const Question questions[] = {
    {"family", family, {}},
    {"shape rule", shapeRule, {}},
    {"fusion",
     fusionRule,
     {{"graph.dropout", decomposed},
      {"graph.fold_in", decomposed},
      {"graph.random_bernoulli", decomposed},
      {"graph.random_bits", decomposed},
      {"graph.random_categorical", decomposed},
      {"graph.random_normal", decomposed},
      {"graph.random_permutation", decomposed},
      {"graph.random_truncated_normal", decomposed},
      {"graph.random_uniform", decomposed},
      {"graph.split_key", decomposed}}},
    {"batching", batchRule, {}},
    {"precision", precisionRule, {}},
    {"gradient", gradientRule, {}},
    {"sharding", shardingRule, {}},
    {"element",
     elementRule,
     {{"graph.complex", "parts of complex elements: ComplexLanes.cpp"},
      {"graph.real", "parts of complex elements: ComplexLanes.cpp"},
      {"graph.imag", "parts of complex elements: ComplexLanes.cpp"},
      {"graph.complex_abs", "zenith-split-complex writes it out before"},
      {"graph.scatter", "a kernel of its own"},
      {"graph.scatter_with", "a kernel of its own"},
      {"graph.cumulative", "a kernel of its own"},
      {"graph.reduce_with", "a kernel of its own"},
      {"graph.reduce_window_with", "a kernel of its own"}}},
    {"documentation", documented, {}},
    {"tested constraints", constraintsTested, {}},
    {"round trip", roundTrip, {}},
    {"interpreter",
     meaning,
     {{"graph.param", "declares"},
      {"graph.derived_param", "declares"},
      {"graph.mesh", "declares"},
      {"graph.get_param", "needs the parameters, which only a whole run has"},
      {"graph.manual", "needs devices, over which a partition deals it"},
      {"graph.all_gather", "meets other devices: unrolled before"},
      {"graph.all_reduce", "meets other devices: unrolled before"},
      {"graph.all_to_all", "meets other devices: unrolled before"},
      {"graph.axis_index", "is the place of a device: unrolled before"},
      {"graph.collective_broadcast", "meets other devices: unrolled before"},
      {"graph.collective_permute", "meets other devices: unrolled before"},
      {"graph.reduce_scatter", "meets other devices: unrolled before"},
      {"graph.yield", "ends a region that the interpreter walks"}}},
    {"kernel",
     kernel,
     {{"graph.param", "declares"},
      {"graph.derived_param", "declares"},
      {"graph.mesh", "declares"},
      {"graph.get_param", "needs the parameters, which only a program has"},
      {"graph.yield", "ends a region"}}},
    {"ONNX export",
     onnxExport,
     {{"graph.param", "declares"},
      {"graph.derived_param", "declares"},
      {"graph.mesh", "declares"},
      {"graph.get_param", "needs the parameters, which only a program has"},
      {"graph.yield", "ends a region"}}},
};

TEST(CoverageTest, EveryOpAnswersEveryQuestion) {
  ProjectFacts facts(ZENITH_SOURCE_DIR);
  ASSERT_EQ(facts.errors, "");
  ASSERT_GT(facts.ops.size(), 80u);
  for (const Question &question : questions) {
    std::set<std::string> unknown;
    for (const auto &[op, reason] : question.exempt)
      unknown.insert(op);
    for (mlir::RegisteredOperationName name : facts.ops) {
      std::string op = name.getStringRef().str();
      unknown.erase(op);
      if (question.exempt.count(op))
        continue;
      EXPECT_EQ(question.ask(facts, name), "")
          << op << " does not answer: " << question.name;
    }
    EXPECT_TRUE(unknown.empty()) << "an exemption from " << question.name
                                 << " names an op that does not exist";
  }
}

} // namespace

/// With --print-PAGE writes docs/generated/PAGE.md to standard output:
/// coverage, support, options, remarks or phases.
int main(int argc, char **argv) {
  std::string wish = argc == 2 ? argv[1] : "";
  using Page = std::pair<const char *, std::string (*)()>;
  for (auto [name, page] : {Page("--print-options", project::optionsPage),
                            Page("--print-remarks", project::remarksPage),
                            Page("--print-phases", project::phasesPage)})
    if (wish == name) {
      std::cout << page();
      return 0;
    }
  if (wish == "--print-coverage" || wish == "--print-support") {
    ProjectFacts facts(ZENITH_SOURCE_DIR);
    std::cout << (wish == "--print-coverage" ? project::coveragePage(facts)
                                             : project::supportPage(facts));
    return facts.errors.empty() ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
