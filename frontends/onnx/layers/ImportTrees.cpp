// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of tree ensembles (ai.onnx.ml): all samples walk all trees at
// once, one level per step, through tables of nodes.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/layers/LearningReading.h"

#include <fmt/format.h>
#include <map>
#include <set>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

constexpr int leafMode = 6;

/// Nodes of all trees in one list; leaves lead to themselves.
struct Forest {
  std::vector<double> feature, split, yes, no, mode, missing, roots;
  std::vector<std::vector<std::pair<int64_t, double>>> votes; // target, weight
  int64_t targets = 1, depth = 0;
  size_t size() const { return feature.size(); }
  void addNode(double feature, double split, int mode, bool missing) {
    this->feature.push_back(feature);
    this->split.push_back(split);
    this->mode.push_back(mode);
    this->missing.push_back(missing);
    yes.push_back(double(size() - 1));
    no.push_back(double(size() - 1));
    votes.emplace_back();
  }
};

/// Levels below the roots; nothing if nodes form a cycle or are out of range.
std::optional<int64_t> depthOf(const Forest &forest) {
  std::vector<int64_t> level(forest.size(), -1);
  SmallVector<std::pair<int64_t, int64_t>> open;
  for (double root : forest.roots)
    open.push_back({int64_t(root), 0});
  int64_t deepest = 0;
  size_t steps = 0;
  while (!open.empty()) {
    auto [node, depth] = open.pop_back_val();
    if (node < 0 || node >= int64_t(forest.size()) ||
        ++steps > 4 * forest.size() || depth > int64_t(forest.size()))
      return std::nullopt;
    deepest = std::max(deepest, depth);
    if (forest.mode[node] == leafMode)
      continue;
    open.push_back({int64_t(forest.yes[node]), depth + 1});
    open.push_back({int64_t(forest.no[node]), depth + 1});
  }
  return deepest;
}

/// Walks the trees and gathers the votes of the reached leaves.
class ForestWalk {
public:
  ForestWalk(NodeReading &n, const Forest &forest, Type wide)
      : n(n), b(n.b), forest(forest), wide(wide) {}
  /// [samples, targets]
  Value scores(llvm::StringRef aggregate);

private:
  Value table(const std::vector<double> &values, Type element) {
    return constantTable(b, values, {int64_t(values.size())}, element);
  }
  Value look(const std::vector<double> &values, Value nodes, Type element) {
    return gatherAlong(b, table(values, element), 0, nodes);
  }
  Value step(Value x, Value nodes);
  Value decision(ScalarValue x, ScalarValue split, Value nodes);

  NodeReading &n;
  ImportBuilder &b;
  const Forest &forest;
  Type wide;
};

Value ForestWalk::decision(ScalarValue x, ScalarValue split, Value nodes) {
  static constexpr CompareDirection directions[] = {
      CompareDirection::le, CompareDirection::lt, CompareDirection::ge,
      CompareDirection::gt, CompareDirection::eq, CompareDirection::ne};
  Value result, modes;
  for (int mode = 0; mode < leafMode; ++mode) {
    if (!llvm::is_contained(forest.mode, double(mode)))
      continue;
    Value holds = x.compare(directions[mode], split);
    if (!result) {
      result = holds;
      continue;
    }
    if (!modes)
      modes = look(forest.mode, nodes, b.builder.getI64Type());
    result = b.select(ScalarValue(b, modes).compare(CompareDirection::eq, mode),
                      holds, result);
  }
  if (!llvm::is_contained(forest.missing, 1.0))
    return result;
  Value tracks =
      ScalarValue(b, look(forest.missing, nodes, b.builder.getI64Type()))
          .compare(CompareDirection::ne, 0.0);
  Value isMissing =
      b.binary<graph::AndOp>(x.compare(CompareDirection::ne, x), tracks);
  return b.binary<graph::OrOp>(result, isMissing);
}

Value ForestWalk::step(Value x, Value nodes) {
  Type i64 = b.builder.getI64Type();
  Value features = look(forest.feature, nodes, i64);
  ScalarValue value(b, gatherElements(b, x, 1, features)),
      split(b, look(forest.split, nodes, wide));
  Value shouldContinue = decision(value, split, nodes);
  return b.select(shouldContinue, look(forest.yes, nodes, i64),
                  look(forest.no, nodes, i64));
}

Value ForestWalk::scores(llvm::StringRef aggregate) {
  Type i64 = b.builder.getI64Type();
  Value x = samplesOf(n, wide);
  if (n.failed())
    return x;
  int64_t trees = forest.roots.size();
  Value nodes = b.broadcast(table(forest.roots, i64), {1},
                            {b.dims(x)[0], DimExpr(trees)});
  constexpr int64_t mostUnrolled = 12;
  if (forest.depth <= mostUnrolled) {
    for (int64_t level = 0; level < forest.depth; ++level)
      nodes = step(x, nodes);
  } else {
    nodes = buildFor(b, b.scalar(DimExpr(forest.depth)), {nodes},
                     [&](Value, ValueRange carried) -> Values {
                       return {step(x, carried[0])};
                     })[0];
  }
  std::vector<double> weights(forest.size() * forest.targets, 0);
  for (size_t i = 0; i < forest.size(); ++i)
    for (auto [target, weight] : forest.votes[i])
      weights[i * forest.targets + target] += weight;
  Value votes = gatherAlong(
      b,
      constantTable(b, weights, {int64_t(forest.size()), forest.targets}, wide),
      0, nodes);
  ReduceKind kind = aggregate == "MIN"   ? ReduceKind::min
                    : aggregate == "MAX" ? ReduceKind::max
                                         : ReduceKind::sum;
  Value result = b.reduce(kind, votes, {1}, false);
  if (aggregate == "AVERAGE")
    result = b.binary<graph::DivOp>(result, double(trees));
  return result;
}

} // namespace

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static int modeNamed(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
      "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  for (auto [index, known] : llvm::enumerate(names))
    if (name == known)
      return int(index);
  return -1;
}

/// The leaves' votes: PREFIX_treeids, _nodeids, _ids and _weights.
static void
readVotes(NodeReading &n, Forest &forest, const std::string &prefix,
          const std::map<std::pair<int64_t, int64_t>, int64_t> &positions) {
  auto list = [&](const char *name) {
    return numbersAttribute(n, (prefix + name).c_str());
  };
  std::vector<double> trees = list("_treeids"), nodes = list("_nodeids"),
                      ids = list("_ids"), weights = list("_weights");
  if (trees.size() != nodes.size() || trees.size() != ids.size() ||
      trees.size() != weights.size())
    return n.fail(invalid("the lists of votes differ in length"));
  for (size_t i = 0; i < trees.size(); ++i) {
    auto position = positions.find({int64_t(trees[i]), int64_t(nodes[i])});
    if (position == positions.end() || ids[i] < 0 || ids[i] >= forest.targets)
      return n.fail(invalid(fmt::format("vote {} is of no node or target", i)));
    forest.votes[position->second].push_back({int64_t(ids[i]), weights[i]});
  }
}

/// The form of opsets 1 to 4: nodes by the ids of trees and nodes.
static Forest readForest(NodeReading &n, const char *prefix, int64_t targets) {
  Forest forest;
  forest.targets = targets;
  auto list = [&](const char *name) { return numbersAttribute(n, name); };
  std::vector<double> trees = list("nodes_treeids"),
                      nodes = list("nodes_nodeids"),
                      features = list("nodes_featureids"),
                      splits = list("nodes_values"),
                      yes = list("nodes_truenodeids"),
                      no = list("nodes_falsenodeids"),
                      missing = list("nodes_missing_value_tracks_true");
  const NodeAttribute *modes = n.node.attribute("nodes_modes");
  size_t count = trees.size();
  missing.resize(count, 0);
  bool fits = count > 0 && modes && modes->strings.size() == count;
  for (auto *other : {&nodes, &features, &splits, &yes, &no})
    fits &= other->size() == count;
  constexpr int64_t mostTargets = 1 << 16;
  if (!fits || targets < 1 || targets > mostTargets) {
    n.fail(invalid("the lists of nodes differ in length, or are empty"));
    return forest;
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> positions;
  std::set<int64_t> seen;
  for (size_t i = 0; i < count; ++i) {
    int mode = modeNamed(modes->strings[i]);
    if (mode < 0)
      n.fail(invalid(fmt::format("a node of mode {}", modes->strings[i])));
    positions[{int64_t(trees[i]), int64_t(nodes[i])}] = i;
    if (seen.insert(int64_t(trees[i])).second)
      forest.roots.push_back(double(i)); // a tree begins with its root
    forest.addNode(mode == leafMode ? 0 : features[i], splits[i], mode,
                   missing[i] != 0);
  }
  for (size_t i = 0; i < count; ++i) {
    if (forest.mode[i] == leafMode)
      continue;
    auto first = positions.find({int64_t(trees[i]), int64_t(yes[i])}),
         second = positions.find({int64_t(trees[i]), int64_t(no[i])});
    if (first == positions.end() || second == positions.end()) {
      n.fail(invalid(fmt::format("node {} leads nowhere", i)));
      return forest;
    }
    forest.yes[i] = double(first->second);
    forest.no[i] = double(second->second);
  }
  readVotes(n, forest, prefix, positions);
  return forest;
}

/// Checks features and depth; false where the node has an error then.
static bool finish(NodeReading &n, Forest &forest) {
  if (n.failed())
    return false;
  auto depth = depthOf(forest);
  auto features = n.rank(0) ? n.dims(0).back().constant() : std::nullopt;
  for (double feature : forest.feature)
    if (feature < 0 || (features && feature >= double(*features)))
      n.fail(invalid(fmt::format("a node reads feature {}", feature)));
  if (!depth)
    n.fail(invalid("the nodes form no trees"));
  else
    forest.depth = *depth;
  return !n.failed();
}

static Value withBase(NodeReading &n, Value scores, int64_t targets) {
  std::vector<double> base = numbersAttribute(n, "base_values");
  if (base.empty())
    return scores;
  if (int64_t(base.size()) != targets) {
    n.fail(unsupported(
        fmt::format("{} base values for {} targets", base.size(), targets)));
    return scores;
  }
  Type element = getElementTypeOrSelf(scores.getType());
  return n.b.binary<graph::AddOp>(scores,
                                  constantTable(n.b, base, {targets}, element));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static void setScores(NodeReading &n, size_t result, Value scores,
                      llvm::StringRef transform, Type element) {
  Value transformed = transformedScores(n, scores, transform);
  if (!n.failed())
    n.result(result, n.b.convert(transformed, element));
}

static bool checkAggregate(NodeReading &n, const Forest &forest,
                           llvm::StringRef aggregate) {
  if (aggregate != "SUM" && aggregate != "AVERAGE" && aggregate != "MIN" &&
      aggregate != "MAX")
    n.fail(invalid(fmt::format("attribute 'aggregate_function' is '{}'",
                               aggregate.str())));
  else if ((aggregate == "MIN" || aggregate == "MAX") && forest.targets > 1)
    n.fail(unsupported("least or largest votes of several targets"));
  return !n.failed();
}

static void importTreeEnsembleRegressor(NodeReading &n) {
  Forest forest = readForest(n, "target", n.intAttribute("n_targets", 1));
  std::string aggregate = n.stringAttribute("aggregate_function", "SUM");
  if (!finish(n, forest) || !checkAggregate(n, forest, aggregate))
    return;
  Type wide = wideFloat(n.b, n.elementType(0));
  Value scores = withBase(n, ForestWalk(n, forest, wide).scores(aggregate),
                          forest.targets);
  if (!n.failed())
    setScores(n, 0, scores, n.stringAttribute("post_transform", "NONE"),
              n.b.builder.getF32Type());
}

/// Two classes by the votes for one of them. Votes for the first class alone
/// count for the second class, compared with 1 minus the votes or with their
/// negative.
static void binaryClasses(NodeReading &n, Value scores, int64_t voted,
                          bool positive, llvm::StringRef transform) {
  ImportBuilder &b = n.b;
  Type f32 = b.builder.getF32Type();
  ScalarValue s(b, b.sliceDim(scores, 1, DimExpr(voted), DimExpr(1)));
  Value isSecond = s.compare(CompareDirection::gt, positive ? 0.5 : 0.0);
  setLabels(n,
            b.reshape(b.convert(isSecond, b.builder.getI64Type()),
                      {b.dims(scores)[0]}),
            "classlabels_int64s");
  if (voted == 1)
    return setScores(n, 1, scores, transform, f32);
  if (transform == "PROBIT")
    return n.fail(unsupported("PROBIT of two classes by one score"));
  bool isLogistic = transform == "LOGISTIC";
  ScalarValue other = positive && !isLogistic ? 1.0 - s : s * -1.0;
  Value both = b.concat(1, {other, s});
  setScores(n, 1, both, isLogistic ? "LOGISTIC" : "NONE", f32);
}

static void importTreeEnsembleClassifier(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t classes = classCount(n, "classlabels_int64s");
  Forest forest = readForest(n, "class", classes);
  if (!finish(n, forest))
    return;
  Type wide = wideFloat(b, n.elementType(0));
  std::string transform = n.stringAttribute("post_transform", "NONE");
  std::vector<double> ids = numbersAttribute(n, "class_ids"),
                      weights = numbersAttribute(n, "class_weights");
  bool oneClass = classes == 2 && llvm::all_equal(ids) && !ids.empty();
  std::vector<double> base = numbersAttribute(n, "base_values");
  Value scores = ForestWalk(n, forest, wide).scores("SUM");
  if (oneClass && base.size() == 1 && ids[0] == 0)
    scores = b.binary<graph::AddOp>(scores, base[0]);
  else if (oneClass && !base.empty())
    return n.fail(unsupported("these base values of two classes by one score"));
  else
    scores = withBase(n, scores, classes);
  if (n.failed())
    return;
  if (oneClass)
    return binaryClasses(
        n, scores, int64_t(ids[0]),
        llvm::all_of(weights, [](double weight) { return weight >= 0; }),
        transform);
  setLabels(n, largestScore(b, scores), "classlabels_int64s");
  setScores(n, 1, scores, transform, b.builder.getF32Type());
}

/// The form of opset 5: inner nodes and leaves in lists of their own.
static void importTreeEnsemble(NodeReading &n) {
  auto list = [&](const char *name) { return numbersAttribute(n, name); };
  std::vector<double> features = list("nodes_featureids"),
                      splits = list("nodes_splits"),
                      modes = list("nodes_modes"),
                      yes = list("nodes_truenodeids"),
                      no = list("nodes_falsenodeids"),
                      yesLeaf = list("nodes_trueleafs"),
                      noLeaf = list("nodes_falseleafs"),
                      missing = list("nodes_missing_value_tracks_true"),
                      targets = list("leaf_targetids"),
                      weights = list("leaf_weights");
  size_t count = features.size(), leaves = targets.size();
  missing.resize(count, 0);
  bool fits = count > 0 && leaves > 0 && weights.size() == leaves;
  for (auto *other : {&splits, &modes, &yes, &no, &yesLeaf, &noLeaf})
    fits &= other->size() == count;
  Forest forest;
  forest.roots = list("tree_roots");
  forest.targets = n.intAttribute("n_targets", 1);
  if (!fits || forest.targets < 1)
    return n.fail(invalid("the lists of nodes or leaves differ in length, or "
                          "are empty"));
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] < 0 || modes[i] >= leafMode)
      return n.fail(unsupported("a node that tests for membership in a set"));
    forest.addNode(features[i], splits[i], int(modes[i]), missing[i] != 0);
    forest.yes[i] = yes[i] + (yesLeaf[i] != 0 ? double(count) : 0);
    forest.no[i] = no[i] + (noLeaf[i] != 0 ? double(count) : 0);
  }
  for (size_t i = 0; i < leaves; ++i) {
    if (targets[i] < 0 || targets[i] >= double(forest.targets))
      return n.fail(invalid(fmt::format("leaf {} is of no target", i)));
    forest.addNode(0, 0, leafMode, false);
    forest.votes.back().push_back({int64_t(targets[i]), weights[i]});
  }
  int64_t aggregate = n.intAttribute("aggregate_function", 1),
          transform = n.intAttribute("post_transform", 0);
  static constexpr llvm::StringLiteral aggregates[] = {"AVERAGE", "SUM", "MIN",
                                                       "MAX"},
                                       transforms[] = {
                                           "NONE", "SOFTMAX", "LOGISTIC",
                                           "SOFTMAX_ZERO", "PROBIT"};
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return n.fail(invalid("aggregate_function or post_transform is none of the "
                          "operator's"));
  if (!finish(n, forest) || !checkAggregate(n, forest, aggregates[aggregate]))
    return;
  Type wide = wideFloat(n.b, n.elementType(0));
  Value scores = ForestWalk(n, forest, wide).scores(aggregates[aggregate]);
  if (!n.failed())
    setScores(n, 0, scores, transforms[transform], n.elementType(0));
}

llvm::ArrayRef<OpRow> zenith::onnx::treeRows() {
  static constexpr OpRow rows[] = {
      {"TreeEnsemble", 5, newest, 1, 1, importTreeEnsemble},
      {"TreeEnsembleClassifier", 1, newest, 1, 1, importTreeEnsembleClassifier},
      {"TreeEnsembleRegressor", 1, newest, 1, 1, importTreeEnsembleRegressor},
  };
  return rows;
}
