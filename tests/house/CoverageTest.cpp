// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all registered ops and asks each every question of the house; a new
// question is a new row of the table.

#include "ir/GraphDialect.h"
#include "ir/GraphOps.h"
#include "ir/interpreter/EvalError.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/house/House.h"
#include <algorithm>
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
/// the round-trip tests; on zeros, sizes that are dynamic being 1.
Answer meaning(House &house, mlir::RegisteredOperationName name) {
  std::string why = "no instance in tests/ir";
  for (mlir::Operation *op : house.instances[name.getStringRef().str()]) {
    mlir::OwningOpRef<mlir::ModuleOp> module = house::isolate(op);
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
    auto kind = interpreter::EvalError::Kind::Unsupported;
    handleAllErrors(
        results.takeError(),
        [&](const interpreter::EvalError &error) {
          kind = error.kind();
          why = error.reason();
        },
        [&](const llvm::ErrorInfoBase &error) { why = error.message(); });
    if (kind == interpreter::EvalError::Kind::Run ||
        kind == interpreter::EvalError::Kind::Invalid)
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
  return answered(house, name,
                  [](mlir::Operation *op) { return house::exported(op); });
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

/// With --print-coverage or --print-support writes docs/generated/coverage.md
/// or support.md to standard output.
int main(int argc, char **argv) {
  std::string wish = argc == 2 ? argv[1] : "";
  if (wish == "--print-coverage" || wish == "--print-support") {
    House house(ZENITH_SOURCE_DIR);
    std::cout << (wish == "--print-coverage" ? house::coveragePage(house)
                                             : house::supportPage(house));
    return house.errors.empty() ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
