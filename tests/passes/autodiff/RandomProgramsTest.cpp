// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random compositions of ops, branches, loops and gathers: derivatives against
// central differences, three ways to second derivatives against each other, and
// vmap of the program and of its gradient against each row.
// ZENITH_RANDOM_PROGRAMS=N tests N programs instead of a few dozen.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/DeriveModule.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/batching/BatchRule.h"
#include "tests/passes/batching/RowByRow.h"
#include "tools/run/GradientCheck.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace zenith;
using autodiff::Transformation;

namespace {

/// Writes a scalar function of a 3x4 matrix, in which every value is of this
/// shape.
class ProgramWriter {
public:
  explicit ProgramWriter(uint32_t seed) : generator(seed) {}

  std::string write() {
    text = "func.func @main(%v0: tensor<3x4xf64>) -> tensor<f64> {\n"
           "%zero = graph.constant dense<0> : tensor<i64>\n"
           "%one = graph.constant dense<1> : tensor<i64>\n";
    values = {"%v0"};
    for (int i = 0; i < 8; ++i)
      addAny(/*depth=*/0);
    std::string all = values.back();
    std::string sum = fresh();
    text += sum + " = graph.reduce sum, " + all +
            " [0, 1] : tensor<3x4xf64> -> tensor<f64>\nreturn " + sum +
            " : tensor<f64>\n}\n";
    return text;
  }

private:
  static constexpr const char *type = "tensor<3x4xf64>";

  unsigned below(unsigned count) { return generator() % count; }
  std::string fresh() { return "%t" + std::to_string(next++); }
  std::string any() { return values[below(values.size())]; }
  void define(const std::string &rest) {
    std::string name = fresh();
    text += name + " = " + rest + "\n";
    values.push_back(name);
  }

  void addUnary() {
    static const char *ops[] = {"sin", "tanh", "logistic", "atan",
                                "erf", "neg",  "abs",      "cos"};
    define(std::string("graph.") + ops[below(8)] + " " + any() + " : " + type);
  }
  void addBinary() {
    static const char *ops[] = {"add", "sub", "mul", "max", "min"};
    define(std::string("graph.") + ops[below(5)] + " " + any() + ", " + any() +
           " : " + type);
  }
  void addProduct() {
    std::string square = fresh();
    text += square + " = graph.dot_general " + any() + ", " + any() +
            " <batching = [] x [], contracting = [1] x [1]> : (" + type + ", " +
            type + ") -> tensor<3x3xf64>\n";
    std::string small = fresh();
    text += small + " = graph.tanh " + square + " : tensor<3x3xf64>\n";
    define(
        "graph.dot_general " + small + ", " + any() +
        " <batching = [] x [], contracting = [1] x [0]> : (tensor<3x3xf64>, " +
        type + ") -> " + type);
  }
  void addReduction() {
    static const char *kinds[] = {"sum", "max", "min", "prod"};
    std::string row = fresh();
    text += row + " = graph.reduce " + kinds[below(4)] + ", " + any() +
            " [0] : " + type + " -> tensor<4xf64>\n";
    std::string small = fresh();
    text += small + " = graph.sin " + row + " : tensor<4xf64>\n";
    define("graph.broadcast " + small + " [1] : tensor<4xf64> -> " + type);
  }
  void addGather() {
    std::string indices = fresh();
    text += indices + " = graph.constant dense<[[" + std::to_string(below(3)) +
            "], [" + std::to_string(below(3)) + "], [" +
            std::to_string(below(5)) + "]]> : tensor<3x1xi64>\n";
    define("graph.gather " + any() + ", " + indices +
           " <offset = [1], collapsed = [0], batching = [] x [], index_map = "
           "[0], index_vector_dim = 1> sizes [1, 4] : (" +
           type + ", tensor<3x1xi64>) -> " + type);
  }
  void addMovement() {
    std::string moved = fresh();
    text += moved + " = graph.slice " + any() +
            " [0, 1] [3, 3] [1, 1] : " + type + " -> tensor<3x3xf64>\n";
    std::string zero = fresh();
    text += zero + " = graph.constant dense<0.25> : tensor<f64>\n";
    define("graph.pad " + moved + ", " + zero +
           " [0, 0] [0, 1] [0, 0] : tensor<3x3xf64>, tensor<f64> -> " + type);
  }
  void addSoftmax() { define("graph.softmax " + any() + " [1] : " + type); }
  void addCumulative() {
    define("graph.cumulative sum, " + any() + " 1 : " + type);
  }

  /// A region's ops, and what it yields; values inside are forgotten after.
  std::string region(unsigned depth) {
    size_t known = values.size();
    for (int i = 0; i < 3; ++i)
      addAny(depth + 1);
    std::string result = values.back();
    values.resize(known);
    return result;
  }
  void addBranch(unsigned depth) {
    std::string sum = fresh(), zero = fresh(), condition = fresh(),
                result = fresh();
    text += sum + " = graph.reduce sum, " + any() + " [0, 1] : " + type +
            " -> tensor<f64>\n" + zero +
            " = graph.constant dense<0.1> : tensor<f64>\n" + condition +
            " = graph.compare gt, " + sum + ", " + zero +
            " : tensor<f64> -> tensor<i1>\n" + result + " = graph.if " +
            condition + " then {\n";
    text += "graph.yield " + region(depth) + " : " + type + "\n} else {\n";
    text += "graph.yield " + region(depth) + " : " + type +
            "\n} : (tensor<i1>) -> " + type + "\n";
    values.push_back(result);
  }
  void addLoop(unsigned depth) {
    std::string n = fresh(), loop = fresh(), i = fresh(), h = fresh();
    std::string carried = "tensor<i64>, " + std::string(type);
    text += n + " = graph.constant dense<" + std::to_string(below(4)) +
            "> : tensor<i64>\n";
    std::string begin =
        "^bb0(" + i + ": tensor<i64>, " + h + ": " + type + "):\n";
    std::string condition = fresh();
    text += loop + ":2 = graph.while %zero, " + any() + " cond {\n" + begin +
            condition + " = graph.compare lt, " + i + ", " + n +
            " : tensor<i64> -> tensor<i1>\ngraph.yield " + condition +
            " : tensor<i1>\n} do {\n" + begin;
    size_t known = values.size();
    values.push_back(h);
    std::string part = fresh();
    text += part + " = graph.dynamic_slice " + any() + ", " + i +
            ", %zero : (" + type +
            ", tensor<i64>, tensor<i64>) -> tensor<1x4xf64>\n";
    std::string row = fresh();
    text += row + " = graph.broadcast " + part +
            " [0, 1] : tensor<1x4xf64> -> " + type + "\n";
    values.push_back(row);
    std::string body = region(depth), tame = fresh(), j = fresh();
    text += tame + " = graph.tanh " + body + " : " + type + "\n" + j +
            " = graph.add " + i + ", %one : tensor<i64>\ngraph.yield " + j +
            ", " + tame + " : " + carried + "\n} : (" + carried + ") -> (" +
            carried + ")\n";
    values.resize(known);
    values.push_back(loop + "#1");
  }

  /// A loop whose trips depend on what it carries.
  void addOpenLoop(unsigned depth) {
    std::string sum = fresh(), start = fresh(), end = fresh(), loop = fresh(),
                t = fresh(), h = fresh();
    std::string carried = "tensor<f64>, " + std::string(type);
    text += sum + " = graph.reduce sum, " + any() + " [0, 1] : " + type +
            " -> tensor<f64>\n" + start + " = graph.tanh " + sum +
            " : tensor<f64>\n" + end +
            " = graph.constant dense<1.3> : tensor<f64>\n";
    std::string begin =
        "^bb0(" + t + ": tensor<f64>, " + h + ": " + type + "):\n";
    std::string condition = fresh();
    text += loop + ":2 = graph.while " + start + ", " + any() + " cond {\n" +
            begin + condition + " = graph.compare lt, " + t + ", " + end +
            " : tensor<f64> -> tensor<i1>\ngraph.yield " + condition +
            " : tensor<i1>\n} do {\n" + begin;
    size_t known = values.size();
    std::string wide = fresh();
    text += wide + " = graph.broadcast " + t + " [] : tensor<f64> -> " + type +
            "\n";
    values.push_back(wide);
    values.push_back(h);
    std::string body = region(depth), tame = fresh(), step = fresh(),
                u = fresh();
    text += tame + " = graph.tanh " + body + " : " + type + "\n" + step +
            " = graph.constant dense<0.61> : tensor<f64>\n" + u +
            " = graph.add " + t + ", " + step + " : tensor<f64>\ngraph.yield " +
            u + ", " + tame + " : " + carried + "\n} : (" + carried + ") -> (" +
            carried + ")\n";
    values.resize(known);
    values.push_back(loop + "#1");
  }

  void addAny(unsigned depth) {
    switch (below(depth < 2 ? 13 : 10)) {
    case 0:
    case 1:
      return addUnary();
    case 2:
    case 3:
      return addBinary();
    case 4:
      return addProduct();
    case 5:
      return addReduction();
    case 6:
      return addGather();
    case 7:
      return addMovement();
    case 8:
      return addSoftmax();
    case 9:
      return addCumulative();
    case 10:
      return addBranch(depth);
    case 11:
      return addLoop(depth);
    default:
      return addOpenLoop(depth);
    }
  }

  std::mt19937 generator;
  std::string text;
  std::vector<std::string> values;
  unsigned next = 0;
};

class RandomPrograms : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    DialectRegistry registry;
    autodiff::registerGradientRules(registry);
    batching::registerBatchRules(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<graph::GraphDialect, func::FuncDialect>();
    text = ProgramWriter(GetParam()).write();
  }
  OwningOpRef<ModuleOp> parse() {
    return parseSourceString<ModuleOp>(text, &context);
  }
  Tensor random(uint32_t seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-0.9, 0.9);
    Tensor tensor(RankedTensorType::get({3, 4}, Float64Type::get(&context)));
    for (int i = 0; i < 12; ++i)
      reinterpret_cast<double *>(tensor.writable())[i] = uniform(generator);
    return tensor;
  }
  /// The last result of the function that `rules` make of @main.
  std::vector<double> lastOf(ArrayRef<const char *> rules,
                             ArrayRef<Tensor> arguments) {
    OwningOpRef<ModuleOp> module = parse();
    SmallVector<Transformation> all;
    for (const char *rule : rules)
      all.push_back(*autodiff::parseTransformation(rule));
    auto name = autodiff::deriveModule(*module, "main", all,
                                       [&](autodiff::BuildPasses build) {
                                         PassManager passes(&context);
                                         build(passes);
                                         return passes.run(*module);
                                       });
    if (!name) {
      ADD_FAILURE() << errorOf(name.takeError()).message();
      return {};
    }
    auto results =
        interpreter::run(module->lookupSymbol<func::FuncOp>(*name), arguments);
    if (!results) {
      ADD_FAILURE() << errorOf(results.takeError()).message();
      return {};
    }
    const Tensor &last = results->back();
    auto *numbers = reinterpret_cast<const double *>(last.bytes());
    return {numbers, numbers + last.size()};
  }
  void expectNear(ArrayRef<double> a, ArrayRef<double> b) {
    ASSERT_EQ(a.size(), b.size());
    for (auto [x, y] : llvm::zip(a, b))
      EXPECT_NEAR(x, y, 1e-9 * std::max(1.0, std::abs(x))) << text;
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string text;
};

TEST_P(RandomPrograms, AgreeWithCentralDifferences) {
  OwningOpRef<ModuleOp> module = parse();
  ASSERT_TRUE(module) << text;
  tools::GradientSummary summary;
  llvm::Error error = tools::checkGradients(
      *module, "main", {random(GetParam())}, 1, {}, summary);
  EXPECT_FALSE(error) << errorOf(std::move(error)).message() << "\n" << text;
}

TEST_P(RandomPrograms, HaveOneSecondDerivative) {
  Tensor x = random(GetParam()), v = random(GetParam() + 1000);
  std::vector<double> forwardOverReverse =
      lastOf({"grad{wrt=0}", "jvp{wrt=0 of=1}"}, {x, v});
  expectNear(
      lastOf({"grad{wrt=0 tape=sqrt}", "vjp{wrt=0 of=1 tape=sqrt}"}, {x, v}),
      forwardOverReverse);
  expectNear(lastOf({"jvp{wrt=0 of=0}", "grad{wrt=0 of=1}"}, {x, v}),
             forwardOverReverse);
}

TEST_P(RandomPrograms, EqualTheProgramOnEachRow) {
  auto batching = batching::batchingContext();
  auto module = parseSourceString<ModuleOp>(text, batching.get());
  ASSERT_TRUE(module) << text;
  batching::RowCheck check;
  check.seed = GetParam();
  check.options.rows = GetParam() % 2 ? 3 : ShapedType::kDynamic;
  check.options.in = {GetParam() % 3};
  check.options.out = {0};
  batching::Comparison comparison =
      batching::compareRows(*module, "main", check);
  EXPECT_EQ(comparison.outcome, batching::Outcome::Equal)
      << comparison.why << "\n"
      << text;
}

// Loops inside run as many trips as the row asks for, and so do their tapes.
TEST_P(RandomPrograms, HaveTheGradientOfEachRow) {
  const char *rule = GetParam() % 2 ? "grad{wrt=0 tape=sqrt}" : "grad{wrt=0}";
  constexpr int rows = 3;
  Tensor all(RankedTensorType::get({rows, 3, 4}, Float64Type::get(&context)));
  std::vector<double> expected;
  for (int row = 0; row < rows; ++row) {
    Tensor x = random(GetParam() + 2000 * row);
    std::memcpy(all.writable() + row * 12 * sizeof(double), x.bytes(),
                12 * sizeof(double));
    llvm::append_range(expected, lastOf({rule}, {x}));
  }
  expectNear(lastOf({rule, "vmap{in=0}"}, {all}), expected);
}

int count() {
  const char *given = std::getenv("ZENITH_RANDOM_PROGRAMS");
  return given ? std::max(1, std::atoi(given)) : 30;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0, count()));

} // namespace
