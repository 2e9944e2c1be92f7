// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all registered ops and asks each every question of the house; a new
// question is a new row of the table.

#include "ir/GraphDialect.h"
#include "ir/GraphOps.h"
#include "ir/interpreter/EvalError.h"
#include "ir/interpreter/Interpreter.h"
#include "tests/house/House.h"
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <regex>

using namespace zenith;
using zenith::house::House;

namespace {

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

/// Rooms may refuse, if they say what.
Answer answered(House &house, mlir::RegisteredOperationName name,
                house::RoomAnswer (*room)(mlir::Operation *)) {
  for (mlir::Operation *op : house.instances[name.getStringRef().str()]) {
    house::RoomAnswer answer = room(op);
    if (answer.refused && answer.error.find("graph.") == std::string::npos)
      return "refused without the name of an op: '" + answer.error + "'";
  }
  return "";
}

Answer kernel(House &house, mlir::RegisteredOperationName name) {
  return answered(house, name, house::lowered);
}

Answer onnxExport(House &house, mlir::RegisteredOperationName name) {
  return answered(house, name, house::exported);
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
    {"kernel",
     kernel,
     {{"graph.param", "declares"},
      {"graph.derived_param", "declares"},
      {"graph.get_param", "needs the parameters, which only a program has"},
      {"graph.yield", "ends a region"}}},
    {"ONNX export",
     onnxExport,
     {{"graph.param", "declares"},
      {"graph.derived_param", "declares"},
      {"graph.get_param", "needs the parameters, which only a program has"},
      {"graph.yield", "ends a region"}}},
};

TEST(CoverageTest, EveryOpAnswersEveryQuestion) {
  House house(ZENITH_SOURCE_DIR);
  ASSERT_EQ(house.errors, "");
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

/// With --print-coverage writes docs/generated/coverage.md to standard output.
int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--print-coverage") {
    House house(ZENITH_SOURCE_DIR);
    std::cout << house::coveragePage(house);
    return house.errors.empty() ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
