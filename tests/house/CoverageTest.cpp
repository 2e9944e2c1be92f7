// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all registered ops and asks each every question of the house; a new
// question is a new row of the table.

#include "ir/GraphDialect.h"
#include "ir/GraphOps.h"
#include "ir/interpreter/EvalError.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace zenith;

namespace {

const std::filesystem::path sourceDir = ZENITH_SOURCE_DIR;

std::string readFile(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// All files of tests/ir whose name ends in `suffix`, joined.
std::string testTexts(const std::string &suffix) {
  std::string text;
  for (const auto &entry :
       std::filesystem::directory_iterator(sourceDir / "tests" / "ir")) {
    std::string name = entry.path().filename().string();
    if (name.size() > suffix.size() &&
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
      text += readFile(entry.path());
  }
  return text;
}

/// What is known of the ops: built once, read by the questions.
struct House {
  mlir::MLIRContext context;
  std::vector<mlir::RegisteredOperationName> ops;
  /// Section of the generated page by op name without dialect.
  std::map<std::string, std::string> sections;
  std::string invalidTests = testTexts("-invalid.mlir");
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> roundTrips;
  /// Ops with static operands in the round-trip tests, by full name.
  std::map<std::string, std::vector<mlir::Operation *>> instances;

  House() {
    context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
    for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
      if (name.getDialectNamespace() == "graph")
        ops.push_back(name);
    readSections();
    for (const char *family :
         {"elementwise", "movement", "contraction", "reduction", "indexing",
          "composite", "control"}) {
      auto path = sourceDir / "tests" / "ir" / (std::string(family) + ".mlir");
      roundTrips.push_back(
          mlir::parseSourceFile<mlir::ModuleOp>(path.string(), &context));
      EXPECT_TRUE(roundTrips.back()) << path;
      if (roundTrips.back())
        roundTrips.back()->walk([&](mlir::Operation *op) {
          instances[op->getName().getStringRef().str()].push_back(op);
        });
    }
  }

  void readSections() {
    std::stringstream page(
        readFile(sourceDir / "docs" / "generated" / "ops.md"));
    std::string line, current;
    while (std::getline(page, line)) {
      if (line.rfind("### graph.", 0) == 0)
        current = line.substr(10);
      else if (line.rfind("## ", 0) == 0)
        current.clear();
      else if (!current.empty())
        sections[current] += line + "\n";
    }
  }
};

/// Empty where the op answers, else what is wrong.
using Answer = std::string;

Answer family(House &, mlir::RegisteredOperationName name) {
  return graph::familyOf(mlir::OperationName(name)) ? "" : "no family";
}

Answer shapeRule(House &, mlir::RegisteredOperationName name) {
  return name.hasInterface<graph::ShapeRule>() ? "" : "no ShapeRule";
}

Answer documented(House &house, mlir::RegisteredOperationName name) {
  std::string section = house.sections[name.stripDialect().str()];
  if (section.empty())
    return "no section in docs/generated/ops.md";
  return section.find("```mlir\n") != std::string::npos &&
                 section.find(name.getStringRef().str()) != std::string::npos
             ? ""
             : "no example";
}

Answer constraintsTested(House &house, mlir::RegisteredOperationName name) {
  std::string op = name.stripDialect().str(), section = house.sections[op],
              missing;
  static const std::regex label(R"(- \*\*(c\d+)\*\*)");
  for (std::sregex_iterator match(section.begin(), section.end(), label), end;
       match != end; ++match) {
    std::string test = op + "_" + (*match)[1].str();
    // Either the verifier's own label, or a test named after it whose message
    // comes from MLIR.
    if (house.invalidTests.find("(" + test + ")") == std::string::npos &&
        house.invalidTests.find("@" + test + "_") == std::string::npos)
      missing += " " + test;
  }
  return missing.empty() ? "" : "no invalid test:" + missing;
}

Answer roundTrip(House &house, mlir::RegisteredOperationName name) {
  return house.instances.count(name.getStringRef().str())
             ? ""
             : "not in tests/ir/<family>.mlir";
}

/// The interpreter gives a value, or an error about the values, for some op of
/// the round-trip tests.
Answer meaning(House &house, mlir::RegisteredOperationName name) {
  std::string why = "no instance with static operands in tests/ir";
  for (mlir::Operation *op : house.instances[name.getStringRef().str()]) {
    std::vector<Tensor> operands;
    bool isStatic = true;
    for (mlir::Type type : op->getOperandTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      isStatic &= tensor.hasStaticShape();
      if (isStatic)
        operands.emplace_back(tensor);
    }
    if (!isStatic)
      continue;
    auto results = interpreter::evaluate(op, operands);
    if (results)
      return "";
    auto kind = interpreter::EvalError::Kind::Unsupported;
    handleAllErrors(
        results.takeError(),
        [&](const interpreter::EvalError &error) {
          kind = error.kind();
          why = error.reason();
        },
        [&](const llvm::ErrorInfoBase &error) { why = error.message(); });
    if (kind == interpreter::EvalError::Kind::Run)
      return "";
  }
  return why;
}

struct Question {
  const char *name;
  std::function<Answer(House &, mlir::RegisteredOperationName)> ask;
  /// Ops that need not answer, each with the reason.
  std::map<std::string, std::string> exempt;
};

const Question questions[] = {
    {"family", family, {}},
    {"shape rule", shapeRule, {}},
    {"documentation", documented, {}},
    {"tested constraints", constraintsTested, {}},
    {"round trip", roundTrip, {}},
    {"interpreter",
     meaning,
     {{"graph.param", "declares"},
      {"graph.derived_param", "declares"},
      {"graph.get_param", "needs the parameters, which only a whole run has"},
      {"graph.yield", "ends a region that the interpreter walks"}}},
};

TEST(CoverageTest, EveryOpAnswersEveryQuestion) {
  House house;
  ASSERT_GT(house.ops.size(), 80u);
  for (const Question &question : questions) {
    std::set<std::string> unknown;
    for (const auto &[op, reason] : question.exempt)
      unknown.insert(op);
    for (mlir::RegisteredOperationName name : house.ops) {
      std::string op = name.getStringRef().str();
      unknown.erase(op);
      if (question.exempt.count(op))
        continue;
      EXPECT_EQ(question.ask(house, name), "")
          << op << " does not answer: " << question.name;
    }
    EXPECT_TRUE(unknown.empty()) << "an exemption from " << question.name
                                 << " names an op that does not exist";
  }
}

} // namespace
