// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam searches find the same before and after their steps score first.

#include "frontends/cayley/BuildBeam.h"
#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/cayley/StateOps.h"
#include "ir/GraphDialect.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "gtest/gtest.h"
#include <stdexcept>

using namespace zenith;
using namespace zenith::cayley;

namespace {

class ScoreFirst : public testing::Test {
protected:
  ScoreFirst() {
    context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  }

  /// The results of a beam search, and whether it has the same ones once the
  /// pass has run on it, which has to change it.
  void expectSame(const StateGraph &states, const BeamOptions &options,
                  const std::vector<State> &starts) {
    auto module = mlir::OwningOpRef<mlir::ModuleOp>(
        mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
    ASSERT_FALSE(buildBeam(states, options, *module, nullptr));
    auto before = mlir::OwningOpRef<mlir::ModuleOp>(module->clone());
    mlir::PassManager passes(&context);
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
    passes.addNestedPass<mlir::func::FuncOp>(createScoreFirstPass());
    ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    EXPECT_EQ(loops(*before), 2);
    EXPECT_EQ(loops(*module), 3);
    for (const State &start : starts) {
      std::vector<Tensor> expected = run(*before, start, options.maxSteps),
                          found = run(*module, start, options.maxSteps);
      for (auto [left, right] : llvm::zip_equal(expected, found)) {
        ASSERT_EQ(left.type(), right.type());
        EXPECT_EQ(bytes(left), bytes(right));
      }
    }
  }

  StateGraph graph(const std::string &name) {
    return llvm::cantFail(loadStateGraph(name));
  }

  static State scrambled(const StateGraph &states, State state, int steps) {
    for (int step = 0; step < steps; ++step)
      state = states.apply(size_t(step * step + step / 3) % states.generators(),
                           state);
    return state;
  }

private:
  static int loops(mlir::ModuleOp module) {
    int count = 0;
    module.walk([&](graph::WhileOp) { ++count; });
    return count;
  }
  static llvm::StringRef bytes(const Tensor &tensor) {
    return {tensor.bytes(), size_t(tensor.size()) *
                                tensor.elementType().getIntOrFloatBitWidth() /
                                8};
  }
  static std::vector<Tensor> run(mlir::ModuleOp module, const State &start,
                                 int64_t steps) {
    auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
    auto type = [&](unsigned argument) {
      return mlir::cast<mlir::RankedTensorType>(
          function.getArgumentTypes()[argument]);
    };
    Tensor limit(type(1), llvm::ArrayRef(reinterpret_cast<const char *>(&steps),
                                         sizeof(steps)));
    llvm::Expected<std::vector<Tensor>> results =
        interpreter::run(function, {stateRow(start, type(0)), limit});
    if (!results)
      throw std::runtime_error(llvm::toString(results.takeError()));
    return *results;
  }

  mlir::MLIRContext context;
};

} // namespace

TEST_F(ScoreFirst, FindsTheSame) {
  for (const char *name : {"lrx:7", "pancake:6", "heisenberg:3,5", "lx:5",
                           "lrx:0001011", "top_spin:00112212"})
    for (BeamScore score : {BeamScore::Hamming, BeamScore::Zero})
      for (int64_t history : {0, 1, 3})
        for (int64_t width : {1, 3, 20, 400}) {
          StateGraph states = graph(name);
          BeamOptions options;
          options.target = states.central;
          options.start = scrambled(states, states.central, 17);
          options.width = width;
          options.maxSteps = 9;
          options.score = score;
          options.history = history;
          SCOPED_TRACE(testing::Message()
                       << name << " width " << width << " history " << history);
          expectSame(states, options,
                     {options.start, options.target,
                      scrambled(states, states.central, 8)});
        }
}

/// Neighbours along them are all equal, or the state itself.
TEST_F(ScoreFirst, SeesThroughEqualGeneratorsAndNone) {
  StateGraph states = graph("lrx:6");
  Permutation identity(6);
  for (int64_t i = 0; i < 6; ++i)
    identity[size_t(i)] = i;
  states.permutations = {identity, states.permutations[2],
                         states.permutations[2], identity,
                         states.permutations[0]};
  states.generatorNames = {"a", "b", "c", "d", "e"};
  BeamOptions options;
  options.target = states.central;
  options.start = scrambled(states, states.central, 30);
  options.maxSteps = 12;
  for (int64_t history : {0, 1})
    for (int64_t width : {1, 5, 50}) {
      options.width = width;
      options.history = history;
      expectSame(states, options, {options.start});
    }
}

TEST_F(ScoreFirst, ScoresNumbersThatTheTargetLacks) {
  StateGraph states = graph("lrx:6");
  BeamOptions options;
  options.target = {1, 0, 1, 2, 0, 0};
  options.start = {1, 0, 1, 2, 0, 0};
  options.width = 4;
  options.maxSteps = 6;
  expectSame(states, options,
             {{0, 1, 2, 3, 4, 5}, {255, 3, 1, 0, 200, 2}, {9, 9, 9, 9, 9, 9}});
}

/// Numbers beyond a byte, and more generators than a vector has lanes.
TEST_F(ScoreFirst, TakesWideStates) {
  StateGraph states = graph("all_transpositions:7");
  BeamOptions options;
  options.target = {1, 2, 700, 70000, 5, 6, 0};
  options.start = {70000, 2, 1, 700, 0, 6, 5};
  options.width = 30;
  options.maxSteps = 6;
  expectSame(states, options, {options.start});
}
