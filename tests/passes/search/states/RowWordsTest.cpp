// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are found in the same layers, whatever stands for states.

#include "passes/search/states/RowWords.h"

#include "frontends/cayley/BuildDistances.h"
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

using namespace zenith;
using namespace zenith::cayley;

namespace {

class RowWords : public testing::Test {
protected:
  RowWords() {
    context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  }

  /// States of walks, and rows that differ from them in an element or two; some
  /// are there twice.
  static std::vector<State> someRows(const StateGraph &states) {
    std::vector<State> rows;
    State state = states.central;
    for (size_t step = 0; step < 24; ++step) {
      rows.push_back(state);
      State other = state;
      std::swap(other[step % other.size()], other.back());
      rows.push_back(other);
      other[step % other.size()] = other[(step + 1) % other.size()];
      rows.push_back(other);
      other[0] += int64_t(states.central.size());
      rows.push_back(other);
      if (step % 4 == 3)
        rows.push_back(state);
      state =
          states.apply((step * step + step / 3) % states.generators(), state);
    }
    return rows;
  }

  /// Distances and sizes of layers by the rewritten program are those by the
  /// one on rows, and the loop carries no rows.
  void expectSame(const StateGraph &states,
                  const ChooseStateKeysPassOptions &options,
                  const std::string &op, bool leavesCentralOut = false) {
    auto module =
        buildDistances(states, {{states.central}, leavesCentralOut}, &context);
    auto before = mlir::OwningOpRef<mlir::ModuleOp>(module->clone());
    mlir::PassManager passes(&context);
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
    passes.addNestedPass<mlir::func::FuncOp>(
        createChooseStateKeysPass(options));
    ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    bool isUsed = false;
    module->walk([&](mlir::Operation *inner) {
      isUsed |= inner->getName().getStringRef() == op;
      EXPECT_NE(inner->getName().getStringRef(), "graph.unique");
    });
    EXPECT_TRUE(isUsed) << op;
    std::vector<State> asked = someRows(states);
    if (leavesCentralOut)
      llvm::erase(asked, states.central);
    for (const std::vector<State> &rows : {asked, std::vector<State>()})
      EXPECT_EQ(run(*module, rows), run(*before, rows)) << states.name;
  }

  mlir::MLIRContext context;

private:
  std::vector<std::vector<char>> run(mlir::ModuleOp module,
                                     const std::vector<State> &rows) {
    auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
    auto type =
        mlir::cast<mlir::RankedTensorType>(function.getArgumentTypes()[0]);
    auto shaped = [&](int64_t count) {
      return mlir::RankedTensorType::get({count, type.getDimSize(1)},
                                         type.getElementType());
    };
    std::vector<char> bytes;
    for (const State &row : rows) {
      Tensor one = stateRow(row, shaped(1));
      bytes.insert(bytes.end(), one.bytes(), one.bytes() + one.byteSize());
    }
    int64_t most = INT64_MAX;
    Tensor limit(
        mlir::RankedTensorType::get({}, mlir::IntegerType::get(&context, 64)),
        llvm::ArrayRef(reinterpret_cast<const char *>(&most), sizeof(most)));
    auto results = llvm::cantFail(interpreter::run(
        function, {Tensor(shaped(int64_t(rows.size())), bytes), limit}));
    std::vector<std::vector<char>> found;
    for (const Tensor &result : results)
      found.emplace_back(result.bytes(), result.bytes() + result.byteSize());
    return found;
  }
};

TEST_F(RowWords, BitsOfRowsAreThoseOfTheGroupsTable) {
  ChooseStateKeysPassOptions options;
  options.denseBytes = 1 << 24;
  for (const char *name : {"lrx:5", "lrx:8", "pancake:5", "burnt_pancake:3"})
    expectSame(llvm::cantFail(loadStateGraph(name)), options,
               "search.test_bits");
}

TEST_F(RowWords, DistancesOfRowsAreNotedByTheirBits) {
  ChooseStateKeysPassOptions options;
  options.denseBytes = 1 << 24;
  for (const char *name : {"lrx:5", "lrx:8", "pancake:5", "burnt_pancake:3"})
    expectSame(llvm::cantFail(loadStateGraph(name)), options,
               "search.note_bits", /*leavesCentralOut=*/true);
}

TEST_F(RowWords, PositionsThatNeverMoveHaveTheStartsElements) {
  StateGraph states = llvm::cantFail(loadStateGraph("lrx:5"));
  states.central = {9, 7, 300, 4, 0, 12, 7};
  for (Permutation &permutation : states.permutations)
    permutation.insert(permutation.end(), {5, 6});
  ChooseStateKeysPassOptions options;
  expectSame(states, options, "search.dedup");
  options.denseBytes = 1 << 24;
  expectSame(states, options, "search.coset_bit_rows");
}

TEST_F(RowWords, KeysOfRowsHaveCodesOrNumbersOfOneWordOrMore) {
  ChooseStateKeysPassOptions options;
  for (const char *name : {"lrx:6", "lrx:00012", "heisenberg:3,3"})
    expectSame(llvm::cantFail(loadStateGraph(name)), options, "search.dedup");
  // Keys of two words.
  StateGraph wide = llvm::cantFail(loadStateGraph("lrx:5"));
  for (int64_t position = 5; position < 20; ++position)
    wide.central.push_back(position);
  for (Permutation &permutation : wide.permutations)
    for (int64_t position = 5; position < 20; ++position)
      permutation.push_back(position == 19   ? 18
                            : position == 18 ? 19
                                             : position);
  expectSame(wide, options, "search.dedup");
}

/// Eight cubies of three stickers and three of two, which one generator takes
/// to each other and turns.
static StateGraph turningCubies() {
  Permutation next(30);
  auto addCycle = [&](uint32_t first, uint32_t cubies, uint32_t size) {
    for (uint32_t place = 0; place < cubies * size; ++place)
      next[first + place] = first + (place + size) % (cubies * size);
    for (uint32_t sticker = 0; sticker < size; ++sticker)
      next[first + (cubies - 1) * size + sticker] =
          first + (sticker + 1) % size;
  };
  addCycle(0, 8, 3);
  addCycle(24, 2, 2);
  addCycle(28, 1, 2);
  Permutation back(next.size());
  StateGraph graph;
  graph.name = "turning cubies";
  for (uint32_t place = 0; place < next.size(); ++place) {
    back[next[place]] = place;
    // Neighbouring cubies share colours.
    graph.central.push_back(place < 24 ? (place / 3 + place % 3) % 6
                                       : place - 18);
  }
  graph.generatorNames = {"next", "back"};
  graph.permutations = {next, back};
  return graph;
}

TEST_F(RowWords, KeysOfRowsHaveCodesOfCubies) {
  StateGraph states = turningCubies();
  ChooseStateKeysPassOptions options;
  expectSame(states, options, "search.dedup");
  // One word in place of two.
  auto module = buildDistances(states, {{states.central}}, &context);
  mlir::PassManager passes(&context);
  passes.addNestedPass<mlir::func::FuncOp>(createChooseStateKeysPass(options));
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  module->walk([](mlir::Operation *op) {
    if (op->getName().getStringRef() == "search.dedup")
      EXPECT_EQ(op->getNumResults(), 1u);
  });
}

TEST_F(RowWords, SetsWithoutInversesKeepTheirIndex) {
  ChooseStateKeysPassOptions options;
  expectSame(llvm::cantFail(loadStateGraph("lx:5")), options,
             "search.append_new");
}

} // namespace
