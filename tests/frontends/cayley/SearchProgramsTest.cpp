// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search programs mean what plain searches on sets of states do.

#include "frontends/cayley/BuildAdjacency.h"
#include "frontends/cayley/BuildBeam.h"
#include "frontends/cayley/BuildBfs.h"
#include "frontends/cayley/BuildDistances.h"
#include "frontends/cayley/BuildHashes.h"
#include "frontends/cayley/BuildMeeting.h"
#include "frontends/cayley/BuildWalks.h"
#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/cayley/StateOps.h"
#include "ir/GraphDialect.h"
#include "ir/interpreter/Interpreter.h"
#include "ir/tensor/Scalar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/search/states/SplitSearchLoop.h"
#include "gtest/gtest.h"
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

using namespace zenith;
using namespace zenith::cayley;

namespace {

struct BeamResult;

class SearchPrograms : public testing::Test {
protected:
  SearchPrograms() {
    context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  }

  StateGraph graph(const std::string &name) {
    return llvm::cantFail(loadStateGraph(name));
  }

  std::vector<Tensor> run(mlir::ModuleOp module,
                          llvm::ArrayRef<Tensor> arguments = {}) {
    EXPECT_TRUE(mlir::succeeded(mlir::verify(module)));
    auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
    llvm::Expected<std::vector<Tensor>> results =
        interpreter::run(function, arguments);
    if (!results)
      throw std::runtime_error(llvm::toString(results.takeError()));
    return *results;
  }

  /// With states and a limit as arguments.
  std::vector<Tensor> run(mlir::ModuleOp module,
                          std::initializer_list<State> states, int64_t limit) {
    std::vector<Tensor> arguments;
    auto types =
        module.lookupSymbol<mlir::func::FuncOp>("main").getArgumentTypes();
    for (const State &state : states)
      arguments.push_back(stateRow(
          state, mlir::cast<mlir::RankedTensorType>(types[arguments.size()])));
    arguments.push_back(number(limit));
    return run(module, llvm::ArrayRef<Tensor>(arguments));
  }
  Tensor number(int64_t value) {
    return Tensor(
        mlir::RankedTensorType::get({}, mlir::IntegerType::get(&context, 64)),
        llvm::ArrayRef(reinterpret_cast<const char *>(&value), sizeof(value)));
  }

  /// Paths come out of the program from the target back to the start.
  static void expectBeam(const std::vector<Tensor> &results,
                         const BeamResult &expected);
  static std::vector<int64_t> integers(const Tensor &tensor) {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      int64_t number = 0;
      EXPECT_FALSE(llvm::StringRef(interpreter::elementAt(tensor, i).str())
                       .getAsInteger(10, number));
      numbers.push_back(number);
    }
    return numbers;
  }

  static std::vector<State> rows(const Tensor &tensor) {
    std::vector<int64_t> numbers = integers(tensor);
    std::vector<State> states;
    int64_t width = tensor.shape()[1];
    for (int64_t i = 0; i < tensor.shape()[0]; ++i)
      states.emplace_back(numbers.begin() + i * width,
                          numbers.begin() + (i + 1) * width);
    return states;
  }

  mlir::MLIRContext context;
};

/// The end of a walk whose moves a small generator of numbers chooses.
State scrambled(const StateGraph &graph, unsigned length, unsigned seed) {
  State state = graph.central;
  for (unsigned i = 0; i < length; ++i) {
    seed = seed * 1664525 + 1013904223;
    state = graph.apply((seed >> 16) % graph.generators(), state);
  }
  return state;
}

State walked(const StateGraph &graph, State state,
             const std::vector<int64_t> &path) {
  for (int64_t generator : path)
    state = graph.apply(size_t(generator), state);
  return state;
}

struct BeamResult {
  bool found = false;
  std::vector<int64_t> path, sizes;
};

/// Beam search as its description says.
BeamResult plainBeam(const StateGraph &graph, const BeamOptions &options,
                     llvm::function_ref<double(const State &)> score) {
  struct Node {
    State state;
    std::vector<int64_t> path;
  };
  std::vector<Node> beam{{options.start, {}}};
  std::vector<std::set<State>> layers{{options.start}};
  BeamResult result{options.start == options.target, {}, {1}};
  for (int64_t step = 0;
       step < options.maxSteps && !beam.empty() && !result.found; ++step) {
    std::vector<Node> next;
    std::set<State> seen;
    for (const Node &node : beam)
      for (size_t g = 0; g < graph.generators(); ++g) {
        State state = graph.apply(g, node.state);
        bool banned = false;
        for (size_t back = 0;
             back < layers.size() && int64_t(back) < options.history; ++back)
          banned |= layers[layers.size() - 1 - back].count(state) > 0;
        if (banned || !seen.insert(state).second)
          continue;
        next.push_back({state, node.path});
        next.back().path.push_back(int64_t(g));
      }
    auto rank = [&](const Node &node) {
      return node.state == options.target
                 ? -std::numeric_limits<double>::infinity()
                 : score(node.state);
    };
    std::stable_sort(next.begin(), next.end(),
                     [&](auto &a, auto &b) { return rank(a) < rank(b); });
    result.found = !next.empty() && next[0].state == options.target;
    int64_t most =
        result.found && options.score == BeamScore::Model ? 1 : options.width;
    next.resize(std::min<size_t>(next.size(), size_t(most)));
    layers.emplace_back();
    for (const Node &node : next)
      layers.back().insert(node.state);
    result.sizes.push_back(int64_t(next.size()));
    beam = std::move(next);
  }
  if (result.found)
    result.path = beam[0].path;
  return result;
}

double hamming(const State &a, const State &b) {
  double distance = 0;
  for (size_t i = 0; i < a.size(); ++i)
    distance += a[i] != b[i];
  return distance;
}

int64_t distance(const StateGraph &graph, const State &from, const State &to) {
  std::map<State, int64_t> known{{from, 0}};
  std::vector<State> layer{from};
  for (int64_t depth = 1; !layer.empty() && !known.count(to); ++depth) {
    std::vector<State> next;
    for (const State &state : layer)
      for (size_t g = 0; g < graph.generators(); ++g)
        if (State other = graph.apply(g, state);
            known.try_emplace(other, depth).second)
          next.push_back(other);
    layer = std::move(next);
  }
  auto found = known.find(to);
  return found == known.end() ? -1 : found->second;
}

} // namespace

void SearchPrograms::expectBeam(const std::vector<Tensor> &results,
                                const BeamResult &expected) {
  EXPECT_EQ(integers(results[0])[0] != 0, expected.found);
  EXPECT_EQ(integers(results[2]), expected.sizes);
  std::vector<int64_t> path = integers(results[1]);
  std::reverse(path.begin(), path.end());
  EXPECT_EQ(path, expected.path);
}

TEST_F(SearchPrograms, BeamKeepsTheBestOfEachStep) {
  for (const char *name :
       {"lrx:7", "pancake:6", "heisenberg:3,5", "lrx:0001011", "lx:5"})
    for (int64_t width : {1, 7, 40})
      for (int64_t history : {0, 1, 2})
        for (BeamScore score : {BeamScore::Hamming, BeamScore::Zero}) {
          StateGraph states = graph(name);
          BeamOptions options;
          options.start = scrambled(states, 20, unsigned(width));
          options.target = states.central;
          options.width = width;
          options.maxSteps = 12;
          options.score = score;
          options.history = history;
          // Links as a list, and in a buffer.
          options.memoryBytes = history == 1 ? 1 : 0;
          SCOPED_TRACE(testing::Message()
                       << name << " width " << width << " history " << history);
          auto module = mlir::OwningOpRef<mlir::ModuleOp>(
              mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
          ASSERT_FALSE(buildBeam(states, options, *module, nullptr));
          std::vector<Tensor> results =
              run(*module, {options.start}, options.maxSteps);
          BeamResult expected =
              plainBeam(states, options, [&](const State &state) {
                return score == BeamScore::Zero
                           ? 1.0
                           : hamming(state, options.target);
              });
          expectBeam(results, expected);
        }
}

TEST_F(SearchPrograms, BeamAtItsTargetHasAnEmptyPath) {
  StateGraph states = graph("lrx:5");
  BeamOptions options;
  options.start = options.target = states.central;
  options.width = 5;
  options.maxSteps = 3;
  auto module = mlir::OwningOpRef<mlir::ModuleOp>(
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  ASSERT_FALSE(buildBeam(states, options, *module, nullptr));
  std::vector<Tensor> results = run(*module, {options.start}, options.maxSteps);
  EXPECT_EQ(integers(results[0])[0] != 0, true);
  EXPECT_EQ(integers(results[1]), std::vector<int64_t>());
  EXPECT_EQ(integers(results[2]), std::vector<int64_t>{1});
}

/// Sum over positions of weight * (number - position)^2, of states as integers,
/// and of one-hot states as floats.
static const char *const integerModel = R"(
  func.func @main(%x: tensor<?x6xi64>) -> tensor<?xf32> {
    %f = graph.convert %x : tensor<?x6xi64> -> tensor<?x6xf32>
    %n = graph.dim %x, 0 : tensor<?x6xi64>
    %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
    %b = graph.broadcast %w [1] [%n] : tensor<6xf32> -> tensor<?x6xf32>
    %p = graph.mul %f, %b : tensor<?x6xf32>
    %s = graph.reduce sum, %p [1] : tensor<?x6xf32> -> tensor<?xf32>
    %r = graph.neg %s : tensor<?xf32>
    return %r : tensor<?xf32>
  })";
static const char *const oneHotModel = R"(
  func.func @main(%x: tensor<?x36xf32>) -> tensor<?x1xf32> {
    %w = graph.constant dense<[[0.0], [-1.0], [-2.0], [-3.0], [-4.0], [-5.0],
      [0.0], [-2.0], [-4.0], [-6.0], [-8.0], [-10.0],
      [0.0], [-3.0], [-6.0], [-9.0], [-12.0], [-15.0],
      [0.0], [-4.0], [-8.0], [-12.0], [-16.0], [-20.0],
      [0.0], [-5.0], [-10.0], [-15.0], [-20.0], [-25.0],
      [0.0], [-6.0], [-12.0], [-18.0], [-24.0], [-30.0]]> : tensor<36x1xf32>
    %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]>
        : (tensor<?x36xf32>, tensor<36x1xf32>) -> tensor<?x1xf32>
    return %r : tensor<?x1xf32>
  })";

TEST_F(SearchPrograms, BeamAsksAModel) {
  StateGraph states = graph("lrx:6");
  for (const char *text : {integerModel, oneHotModel}) {
    BeamOptions options;
    options.start = scrambled(states, 30, 3);
    options.target = states.central;
    options.width = 9;
    options.maxSteps = 20;
    options.score = BeamScore::Model;
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto model = module->lookupSymbol<mlir::func::FuncOp>("main");
    ASSERT_FALSE(buildBeam(states, options, *module, model));
    std::vector<Tensor> results =
        run(*module, {options.start}, options.maxSteps);
    BeamResult expected = plainBeam(states, options, [](const State &state) {
      double sum = 0;
      for (size_t i = 0; i < state.size(); ++i)
        sum -= double(state[i]) * double(i + 1);
      return sum;
    });
    expectBeam(results, expected);
  }
}

TEST_F(SearchPrograms, BeamRefusesModelsByWhatTheyTake) {
  StateGraph states = graph("lrx:7");
  BeamOptions options;
  options.start = options.target = states.central;
  options.score = BeamScore::Model;
  options.modelName = "m.onnx";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(integerModel, &context);
  auto model = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::string text = llvm::toString(buildBeam(states, options, *module, model));
  EXPECT_NE(text.find("the model's input is tensor<?x6xi64>"),
            std::string::npos)
      << text;
}

TEST_F(SearchPrograms, BeamRefusesModelsThatGiveOtherNumbersOfScores) {
  StateGraph states = graph("lrx:6");
  BeamOptions options;
  options.start = options.target = states.central;
  options.score = BeamScore::Model;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%x: tensor<?x6xf32> {graph.dims = ["n", "6"]})
        -> tensor<?xf32> {
      %s = graph.reduce sum, %x [1] : tensor<?x6xf32> -> tensor<?xf32>
      %t = graph.concat 0, %s, %s
          : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %t : tensor<?xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  auto model = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::string text = llvm::toString(buildBeam(states, options, *module, model));
  EXPECT_NE(text.find("gives 122 scores for 61 states"), std::string::npos)
      << text;
}

TEST_F(SearchPrograms, MeetingFindsShortestPaths) {
  for (const char *name : {"lrx:6", "lx:5", "pancake:6", "heisenberg:3,4",
                           "lrx:0011101", "sl_2_root_weyl:5"}) {
    StateGraph states = graph(name);
    for (unsigned seed = 0; seed < 6; ++seed) {
      MeetingOptions options{scrambled(states, seed * 5, seed),
                             scrambled(states, seed, seed + 9)};
      auto module = llvm::cantFail(buildMeeting(states, options, &context));
      std::vector<Tensor> results =
          run(*module, {options.start, options.target}, INT64_MAX);
      SCOPED_TRACE(testing::Message() << name << " seed " << seed);
      ASSERT_TRUE(integers(results[0])[0] != 0);
      std::vector<int64_t> path = integers(results[1]);
      EXPECT_EQ(int64_t(path.size()),
                distance(states, options.start, options.target));
      EXPECT_EQ(walked(states, options.start, path), options.target);
    }
  }
}

TEST_F(SearchPrograms, OneProgramServesAllStates) {
  StateGraph states = graph("pancake:6");
  auto textOf = [](mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return text;
  };
  std::set<std::string> meetings, beams;
  for (unsigned seed = 0; seed < 3; ++seed) {
    MeetingOptions meeting{scrambled(states, 9, seed),
                           scrambled(states, 7, seed + 9)};
    meetings.insert(
        textOf(*llvm::cantFail(buildMeeting(states, meeting, &context))));
    BeamOptions beam;
    beam.start = meeting.start;
    beam.target = states.central;
    auto module = mlir::OwningOpRef<mlir::ModuleOp>(
        mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
    ASSERT_FALSE(buildBeam(states, beam, *module, nullptr));
    beams.insert(textOf(*module));
  }
  EXPECT_EQ(meetings.size(), 1u);
  EXPECT_EQ(beams.size(), 1u);
}

TEST_F(SearchPrograms, MeetingSaysWhereThereIsNoPath) {
  StateGraph states = graph("pancake:5");
  State other = states.central;
  other[0] = 7;
  auto module =
      llvm::cantFail(buildMeeting(states, {other, states.central}, &context));
  EXPECT_EQ(integers(run(*module, {other, states.central}, INT64_MAX)[0])[0],
            0);
  State far = scrambled(states, 40, 5);
  int64_t length = distance(states, far, states.central);
  ASSERT_GT(length, 1);
  module =
      llvm::cantFail(buildMeeting(states, {far, states.central}, &context));
  for (int64_t most : {length - 1, length})
    EXPECT_EQ(integers(run(*module, {far, states.central}, most)[0])[0] != 0,
              most == length);
}

TEST_F(SearchPrograms, WalksStepAlongGenerators) {
  for (const char *name : {"lrx:5", "heisenberg:3,3", "lx:4"})
    for (WalkKind kind : {WalkKind::Classic, WalkKind::NonBacktracking}) {
      StateGraph states = graph(name);
      WalkOptions options{kind, {states.central}, 6, 9, false, 42};
      auto module = buildWalks(states, options, &context);
      std::vector<Tensor> results = run(*module);
      std::vector<State> all = rows(results[0]);
      ASSERT_EQ(all.size(), 54u);
      EXPECT_EQ(integers(results[1]), std::vector<int64_t>(9, 6));
      std::set<State> ends;
      for (size_t walk = 0; walk < 6; ++walk) {
        EXPECT_EQ(all[walk], states.central);
        for (size_t step = 1; step < 9; ++step) {
          const State &before = all[(step - 1) * 6 + walk],
                      &after = all[step * 6 + walk];
          bool isNeighbour = false;
          for (size_t g = 0; g < states.generators(); ++g)
            isNeighbour |= states.apply(g, before) == after;
          EXPECT_TRUE(isNeighbour);
          if (kind == WalkKind::NonBacktracking && step > 1 &&
              states.isInverseClosed())
            EXPECT_NE(after, all[(step - 2) * 6 + walk]);
        }
        ends.insert(all[8 * 6 + walk]);
      }
      EXPECT_GT(ends.size(), 1u);
    }
}

TEST_F(SearchPrograms, LayersOfWalksAreBreadthFirst) {
  StateGraph states = graph("lrx:4");
  auto module = buildWalks(
      states, {WalkKind::Layers, {states.central}, 1000, 100, false, 1},
      &context);
  EXPECT_EQ(integers(run(*module)[1]),
            (std::vector<int64_t>{1, 3, 5, 6, 5, 3, 1}));
  module = buildWalks(
      states, {WalkKind::Layers, {states.central}, 2, 5, false, 1}, &context);
  std::vector<Tensor> results = run(*module);
  EXPECT_EQ(integers(results[1])[0], 1);
  std::vector<State> all = rows(results[0]);
  EXPECT_EQ(std::set<State>(all.begin(), all.end()).size(), all.size());
}

TEST_F(SearchPrograms, AdjacencyHasThePlacesOfNeighbours) {
  for (int64_t maxLayers : {-1, 3}) {
    StateGraph states = graph("lrx:5");
    BfsOptions options;
    options.starts = {states.central};
    options.maxLayers = maxLayers;
    options.kept.kind = KeptLayers::All;
    auto growth = buildBfs(states, options, &context);
    Tensor layers = run(*growth)[1];
    std::vector<State> all = rows(layers);
    auto module = buildAdjacency(states, options.starts, &context);
    Tensor edges = run(*module, layers)[0];
    ASSERT_EQ(edges.shape()[0], int64_t(all.size()));
    ASSERT_EQ(edges.shape()[1], int64_t(states.generators()));
    std::vector<int64_t> places = integers(edges);
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t g = 0; g < states.generators(); ++g) {
        State next = states.apply(g, all[i]);
        auto found = std::find(all.begin(), all.end(), next);
        EXPECT_EQ(places[i * states.generators() + g],
                  found == all.end() ? -1 : found - all.begin());
      }
  }
}

TEST_F(SearchPrograms, MovesLeadFromStateToState) {
  StateGraph states = graph("lx:5");
  WalkOptions options{WalkKind::NonBacktracking, {}, 5, 7, true, 3};
  for (unsigned seed = 0; seed < 3; ++seed)
    options.starts.push_back(scrambled(states, 9, seed));
  std::vector<Tensor> results = run(*buildWalks(states, options, &context));
  std::vector<State> all = rows(results[0]);
  std::vector<int64_t> moves = integers(results[2]);
  ASSERT_EQ(moves.size(), 30u);
  for (size_t walk = 0; walk < 5; ++walk) {
    EXPECT_EQ(all[walk], options.starts[walk % 3]);
    for (size_t step = 0; step < 6; ++step)
      EXPECT_EQ(
          states.apply(size_t(moves[step * 5 + walk]), all[step * 5 + walk]),
          all[(step + 1) * 5 + walk]);
  }
}

TEST_F(SearchPrograms, DistancesAreThoseOfASearch) {
  for (const char *name : {"lrx:5", "lx:5", "heisenberg:3,3"})
    for (bool leavesCentralOut : {false, true}) {
      StateGraph states = graph(name);
      auto module = buildDistances(states, {{states.central}, leavesCentralOut},
                                   &context);
      auto type = mlir::cast<mlir::RankedTensorType>(
          module->lookupSymbol<mlir::func::FuncOp>("main")
              .getArgumentTypes()[0]);
      for (int64_t most : {int64_t(3), INT64_MAX}) {
        std::vector<int64_t> expected;
        Tensor asked(mlir::RankedTensorType::get({6, type.getDimSize(1)},
                                                 type.getElementType()));
        for (unsigned seed = 0; seed < 6; ++seed) {
          State state = scrambled(states, (seed + leavesCentralOut) * 3, seed);
          int64_t steps = distance(states, states.central, state);
          ASSERT_TRUE(steps > 0 || !leavesCentralOut);
          expected.push_back(steps > most ? -1 : steps);
          Tensor row = stateRow(
              state, mlir::RankedTensorType::get({1, type.getDimSize(1)},
                                                 type.getElementType()));
          std::copy_n(row.bytes(), row.byteSize(),
                      asked.writable() + seed * row.byteSize());
        }
        EXPECT_EQ(integers(run(*module, {asked, number(most)})[0]), expected)
            << name;
      }
    }
}

TEST_F(SearchPrograms, KeptLayersArePartsOfAllLayers) {
  for (const char *name : {"lrx:5", "lx:5"}) {
    StateGraph states = graph(name);
    BfsOptions options;
    options.starts = {states.central};
    options.kept.kind = KeptLayers::All;
    std::vector<Tensor> whole = run(*buildBfs(states, options, &context));
    std::vector<State> all = rows(whole[1]);
    std::vector<int64_t> sizes = integers(whole[0]);
    options.kept = {KeptLayers::Range, 2, 3};
    EXPECT_EQ(
        rows(run(*buildBfs(states, options, &context))[1]),
        std::vector<State>(all.begin() + 1 + sizes[1],
                           all.begin() + 1 + sizes[1] + sizes[2] + sizes[3]));
    options.kept.kind = KeptLayers::Last;
    options.takesLimit = true;
    options.listsSizes = false;
    auto module = buildBfs(states, options, &context);
    std::vector<Tensor> last = run(*module, {number(INT64_MAX)});
    EXPECT_EQ(rows(last[1]),
              std::vector<State>(all.end() - sizes.back(), all.end()));
    EXPECT_EQ(rows(run(*module, {number(0)})[1]),
              std::vector<State>{states.central});
  }
}

/// The results of a program that is cut, run so many steps at a time.
std::vector<Tensor> runInParts(mlir::ModuleOp module,
                               std::vector<Tensor> arguments, Tensor limit) {
  auto call = [&](const char *name, llvm::ArrayRef<Tensor> inputs) {
    return llvm::cantFail(interpreter::run(
        module.lookupSymbol<mlir::func::FuncOp>(name), inputs));
  };
  std::vector<Tensor> state = call("init", arguments);
  for (bool more = true; more;) {
    state.push_back(limit);
    std::vector<Tensor> next = call("run", state);
    more = *next.front().bytes() != 0;
    state.assign(next.begin() + 1, next.end());
    // A step is a run of one.
    if (!more)
      continue;
    next = call("step", state);
    more = *next.front().bytes() != 0;
    state.assign(next.begin() + 1, next.end());
  }
  return call("results", state);
}

TEST_F(SearchPrograms, PartsGiveTheResultsOfOnePiece) {
  StateGraph states = graph("lx:5");
  BfsOptions growth;
  growth.starts = {states.central};
  growth.kept.kind = KeptLayers::All;
  growth.takesLimit = true;
  State far = scrambled(states, 25, 3);
  BeamOptions beam;
  beam.start = far;
  beam.target = states.central;
  beam.width = 6;
  beam.maxSteps = 9;
  beam.history = 2;
  mlir::OwningOpRef<mlir::ModuleOp> modules[] = {
      buildBfs(states, growth, &context),
      llvm::cantFail(buildMeeting(states, {far, states.central}, &context)),
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))};
  ASSERT_FALSE(buildBeam(states, beam, *modules[2], nullptr));
  for (auto &module : modules) {
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    std::vector<Tensor> arguments;
    for (mlir::Type type : main.getArgumentTypes()) {
      auto ranked = mlir::cast<mlir::RankedTensorType>(type);
      arguments.push_back(ranked.getRank() == 0 ? number(9)
                          : arguments.empty()
                              ? stateRow(far, ranked)
                              : stateRow(states.central, ranked));
    }
    std::vector<Tensor> whole = run(*module, arguments);
    ASSERT_TRUE(mlir::succeeded(
        search::splitSearchLoop(main, {"init", "step", "run", "results"})));
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    std::vector<Tensor> parts = runInParts(*module, arguments, number(2));
    ASSERT_EQ(parts.size(), whole.size());
    for (size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(parts[i].type(), whole[i].type());
      EXPECT_EQ(integers(parts[i]), integers(whole[i]));
    }
  }
}

TEST_F(SearchPrograms, HashesAreExact) {
  mlir::Type i64 = mlir::IntegerType::get(&context, 64);
  std::vector<int64_t> states{0, INT64_MAX, -1, INT64_MIN, 5, 1 << 20};
  Tensor asked(mlir::RankedTensorType::get({2, 3}, i64),
               llvm::ArrayRef(reinterpret_cast<const char *>(states.data()),
                              states.size() * sizeof(int64_t)));
  std::vector<int64_t> sums = integers(
      run(*buildHashes(3, i64, {HashKind::Matrix, 2, 7}, &context), asked)[0]);
  // The columns of m by states that have one 1.
  std::vector<int64_t> units{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Tensor basis(mlir::RankedTensorType::get({3, 3}, i64),
               llvm::ArrayRef(reinterpret_cast<const char *>(units.data()),
                              units.size() * sizeof(int64_t)));
  std::vector<int64_t> m = integers(
      run(*buildHashes(3, i64, {HashKind::Matrix, 2, 7}, &context), basis)[0]);
  constexpr int64_t prime = (int64_t(1) << 31) - 1;
  for (size_t row = 0; row < 2; ++row)
    for (size_t lane = 0; lane < 2; ++lane) {
      __int128 sum = 0;
      for (size_t i = 0; i < 3; ++i)
        sum += __int128(states[row * 3 + i]) * m[i * 2 + lane];
      EXPECT_EQ(sums[row * 2 + lane], int64_t((sum % prime + prime) % prime));
    }
  std::vector<int64_t> polynomials = integers(
      run(*buildHashes(3, i64, {HashKind::Poly32, 1, 0}, &context), asked)[0]);
  for (size_t row = 0; row < 2; ++row) {
    uint32_t h = 0;
    for (size_t i = 0; i < 3; ++i)
      h = h * 0x01000193 + uint32_t(states[row * 3 + i]) + 1;
    EXPECT_EQ(polynomials[row], h);
  }
}

TEST_F(SearchPrograms, ReversedGraphsUndoGenerators) {
  for (const char *name :
       {"lx:6", "heisenberg:3,6", "sl_3_root_weyl:4", "sl_2_fund_roots:9"}) {
    StateGraph states = graph(name);
    StateGraph backwards = llvm::cantFail(states.reversed());
    State state = scrambled(states, 12, 1);
    for (size_t g = 0; g < states.generators(); ++g)
      EXPECT_EQ(backwards.apply(g, states.apply(g, state)), state);
  }
}
