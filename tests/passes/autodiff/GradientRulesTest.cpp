// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rule against central differences in f64, in both modes and twice: one
// small program per rule.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "passes/autodiff/GradientRule.h"
#include "tools/run/GradientCheck.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace zenith;

namespace {

struct Program {
  const char *name;
  const char *signature; ///< arguments and results
  const char *body;
  double low = 0.2, high = 1.3; ///< of arguments
  unsigned order = 2;
};

void PrintTo(const Program &program, std::ostream *out) {
  *out << program.name;
}

#define UNARY(op)                                                              \
  {#op, "(%x: tensor<5xf64>) -> tensor<5xf64>",                                \
   "%r = graph." #op " %x : tensor<5xf64>\n return %r : tensor<5xf64>"}
#define UNARY_IN(op, low, high)                                                \
  {#op, "(%x: tensor<5xf64>) -> tensor<5xf64>",                                \
   "%r = graph." #op " %x : tensor<5xf64>\n return %r : tensor<5xf64>", low,   \
   high}
#define BINARY(op)                                                             \
  {#op, "(%x: tensor<5xf64>, %y: tensor<5xf64>) -> tensor<5xf64>",             \
   "%r = graph." #op " %x, %y : tensor<5xf64>\n return %r : tensor<5xf64>"}

const Program programs[] = {
#include "tests/passes/autodiff/DevicePrograms.def"
#include "tests/passes/autodiff/GradientPrograms.def"
};

class GradientRules : public testing::TestWithParam<Program> {
protected:
  void SetUp() override {
    DialectRegistry registry;
    autodiff::registerGradientRules(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  }
  std::vector<Tensor> argumentsOf(func::FuncOp function) {
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> uniform(GetParam().low,
                                                   GetParam().high);
    std::vector<Tensor> arguments;
    for (Type type : function.getArgumentTypes()) {
      Tensor &argument =
          arguments.emplace_back(Tensor(cast<RankedTensorType>(type)));
      if (!graph::isDifferentiable(type)) {
        // Integers are 0, 1, 2, 0, ...
        auto *numbers = reinterpret_cast<int64_t *>(argument.writable());
        for (int64_t i = 0; i < argument.size(); ++i)
          numbers[i] = i % 3;
        continue;
      }
      auto *numbers = reinterpret_cast<double *>(argument.writable());
      for (int64_t i = 0; i < argument.byteSize() / 8; ++i)
        numbers[i] = uniform(generator);
    }
    return arguments;
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

TEST_P(GradientRules, AgreeWithCentralDifferences) {
  const Program &program = GetParam();
  std::string text = std::string("graph.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
                                 "func.func @main") +
                     program.signature + " {\n" + program.body + "\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  tools::GradientSummary summary;
  llvm::Error error = tools::checkGradients(
      *module, "main", argumentsOf(module->lookupSymbol<func::FuncOp>("main")),
      program.order, {}, summary);
  EXPECT_FALSE(error) << errorOf(std::move(error)).message();
  EXPECT_GT(summary.compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, GradientRules, testing::ValuesIn(programs),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
