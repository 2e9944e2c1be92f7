// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: decides how each breadth-first loop represents its states, says
// why, and builds the loop again.

#include "ir/SearchOps.h"
#include "ir/remarks/Remark.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/search/groups/SymmetryGroup.h"
#include "passes/search/states/BfsRewrite.h"
#include "passes/search/states/KeyRanges.h"
#include "passes/search/states/KnownStates.h"
#include "passes/search/states/RowWords.h"
#include <map>

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_CHOOSESTATEKEYSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::search {

using remarks::Code;
using PermutationList = std::vector<std::vector<int64_t>>;

/// The index of each permutation's inverse, of equal ones the first; nothing
/// where the list lacks it.
static std::vector<std::optional<size_t>>
findInverses(const PermutationList &permutations) {
  std::map<std::vector<int64_t>, size_t> places;
  for (auto [place, permutation] : llvm::enumerate(permutations))
    places.try_emplace(permutation, place);
  std::vector<std::optional<size_t>> result;
  for (const std::vector<int64_t> &permutation : permutations) {
    std::vector<int64_t> inverse(permutation.size());
    for (auto [to, from] : llvm::enumerate(permutation))
      inverse[size_t(from)] = int64_t(to);
    auto found = places.find(inverse);
    result.push_back(found == places.end() ? std::optional<size_t>()
                                           : found->second);
  }
  return result;
}

/// The inverse of each generator; empty where one has none, or where two
/// generators are equal: the bit of one would not mask the other.
static std::vector<size_t> inversesOf(const PermutationList &permutations) {
  std::vector<size_t> inverses;
  for (std::optional<size_t> inverse : findInverses(permutations)) {
    if (!inverse)
      return {};
    inverses.push_back(*inverse);
  }
  for (size_t g = 0; g < inverses.size(); ++g)
    if (inverses[inverses[g]] != g)
      return {};
  return inverses;
}

/// Whether the next layer has no state of any layer before: the loop knows all
/// layers, or the last two and every generator has an inverse.
static bool excludesAllLayers(const BfsLoop &bfs) {
  auto has = [](const std::vector<BfsLoop::Row> &rows,
                const BfsLoop::Row &row) {
    return llvm::is_contained(rows, row);
  };
  if (bfs.earlierIsAll)
    return llvm::all_of(bfs.starts, [&](const BfsLoop::Row &row) {
      return has(bfs.earlierStarts, row);
    });
  return bfs.earlier && bfs.layerIsKnown &&
         llvm::all_of(
             bfs.earlierStarts,
             [&](const BfsLoop::Row &row) { return has(bfs.starts, row); }) &&
         llvm::all_of(
             findInverses(bfs.permutations),
             [](std::optional<size_t> inverse) { return bool(inverse); });
}

static bool isOdd(ArrayRef<int64_t> permutation) {
  std::vector<bool> seen(permutation.size());
  bool odd = false;
  for (size_t first = 0; first < permutation.size(); ++first)
    for (size_t at = first; !seen[at]; at = size_t(permutation[at])) {
      seen[at] = true;
      odd ^= size_t(permutation[at]) != first;
    }
  return odd;
}

/// Whether every generator is an odd permutation, so that the graph is
/// bipartite: then no two neighbours are in one layer.
static bool alternates(const BfsLoop &bfs, const StateKeys &keys,
                       const std::vector<std::vector<int64_t>> &permutations) {
  return bfs.starts.size() == 1 && keys.haveEachValueOnce() &&
         llvm::all_of(permutations,
                      [](ArrayRef<int64_t> p) { return isOdd(p); });
}

/// Words of a key: every generator is a formula per word, so that wide keys
/// take longer to compile than they save at run time.
static constexpr unsigned mostWords = 8;
/// Ops of all generators: with more, a loop over rows finishes sooner.
static constexpr int64_t mostOps = 2500;

namespace {

struct ChooseStateKeysPass
    : impl::ChooseStateKeysPassBase<ChooseStateKeysPass> {
  using ChooseStateKeysPassBase::ChooseStateKeysPassBase;

  void runOnOperation() override {
    SmallVector<WhileOp> loops;
    getOperation().walk([&](WhileOp loop) { loops.push_back(loop); });
    for (WhileOp loop : loops)
      visit(loop);
  }

private:
  void visit(WhileOp loop);
  void remark(WhileOp loop, Code code, ArrayRef<remarks::Value> values = {}) {
    if (explain)
      remarks::emit(loop, code, values);
  }
  bool mayUse(StringRef form) { return !llvm::is_contained(without, form); }
  bool usesTable(const BfsLoop &bfs, int64_t cost, double states);
  bool useBitRows(const BfsLoop &bfs);
  bool useMarks(const BfsLoop &bfs);
  bool useDenseIndex(const BfsLoop &bfs);
  std::optional<GraphSymmetry>
  chooseSymmetry(const BfsLoop &bfs,
                 const std::vector<std::vector<int64_t>> &permutations);
  std::vector<GraphSymmetry>
  chooseSymmetryGroup(const BfsLoop &bfs,
                      const std::vector<std::vector<int64_t>> &permutations);
  std::optional<Cubies>
  chooseCubies(const BfsLoop &bfs,
               const std::vector<std::vector<int64_t>> &permutations);
  int64_t boundOfStep(const BfsLoop &bfs, const StateKeys &keys);
  bool packKeys(const BfsLoop &bfs, bool mayShare = true);
  void indexRows(WhileOp loop);
};

} // namespace

void ChooseStateKeysPass::visit(WhileOp loop) {
  DimAnalysis dims;
  std::string why;
  std::optional<BfsLoop> bfs = matchBfsLoop(loop, dims, why);
  if (!bfs) {
    if (!why.empty())
      remark(loop, Code::SEA101, {why});
    return indexRows(loop);
  }
  if (!useBitRows(*bfs) && !useDenseIndex(*bfs) && !useMarks(*bfs) &&
      !(mayUse("keys") && packKeys(*bfs)))
    indexRows(loop);
}

/// States that stay rows are found by an index where all of them are known.
void ChooseStateKeysPass::indexRows(WhileOp loop) {
  if (WhileOp indexed =
          mayUse("known-index") ? indexKnownRows(loop) : WhileOp())
    remark(indexed, Code::SEA012, {"as rows"});
}

bool ChooseStateKeysPass::useBitRows(const BfsLoop &bfs) {
  if (denseBytes <= 0 || !mayUse("bit-rows") || !excludesAllLayers(bfs))
    return false;
  StateKeys keys(bfs, /*withInverseMask=*/false);
  std::string why;
  std::optional<CosetIndex> index;
  // Rows that are looked up are ranked by the places of their values.
  if (bfs.lookups.empty() || keys.haveEachValueOnce())
    index = CosetIndex::choose(bfs, keys, denseBytes, why);
  else
    why = "rows that are looked up have no rank";
  if (!index) {
    remark(bfs.loop, Code::SEA104, {why});
    return false;
  }
  const CosetRows &table = index->table();
  remark(bfs.loop, Code::SEA005,
         {table.rows(), table.columns(), table.moves()});
  rewriteWithBitRows(bfs, keys, *index);
  return true;
}

/// The xor of a state's fields, where all states have the same.
static std::optional<uint64_t> sumOfFields(const BfsLoop &bfs,
                                           const StateKeys &keys) {
  std::optional<uint64_t> sum;
  for (const BfsLoop::Row &row : bfs.starts) {
    uint64_t own = 0;
    for (uint64_t rest = keys.pack(row)[0]; rest; rest >>= keys.bits())
      own ^= rest & ((uint64_t(1) << keys.bits()) - 1);
    if (sum && *sum != own)
      return std::nullopt;
    sum = own;
  }
  return sum;
}

/// Whether all starts are arrangements of one multiset of values: then all
/// states have the same sum, whatever the codes of the values.
static bool areArrangements(const std::vector<BfsLoop::Row> &starts) {
  auto sorted = [](BfsLoop::Row row) {
    llvm::sort(row);
    return row;
  };
  return llvm::all_of(starts, [&](const BfsLoop::Row &row) {
    return sorted(row) == sorted(starts.front());
  });
}

bool ChooseStateKeysPass::useMarks(const BfsLoop &bfs) {
  if (denseBytes <= 0 || !mayUse("marks") || !bfs.lookups.empty() ||
      !excludesAllLayers(bfs))
    return false;
  StateKeys keys(bfs, /*withInverseMask=*/false);
  size_t bits = keys.positions().size() * keys.bits();
  // Beyond the cache a bitset pays where each line holds at least a few states,
  // and code for each generator pays where it is short.
  constexpr double numbersPerState = 128;
  double cached = double(target::modelOf(getOperation()).sharedCacheBytes);
  constexpr int64_t mostOps = 300;
  if (keys.words() > 1 || bits > 40 || keys.cost() > mostOps)
    return false;
  MarkForm form;
  // Permutations only move values, so their sum is invariant.
  if (!bfs.permutations.empty() && keys.positions().size() > 1)
    form.sum = sumOfFields(bfs, keys);
  if (form.sum)
    bits -= keys.bits();
  double numbers = double(uint64_t(1) << bits);
  if (numbers / 8 > double(denseBytes) ||
      (numbers / 8 > cached && numbers > numbersPerState * keys.mostStates()))
    return false;
  remark(bfs.loop, Code::SEA006, {uint64_t(numbers), form.sum ? 1 : 0});
  form.words = std::max<int64_t>(1, int64_t(uint64_t(numbers) / 64));
  // Skipping the inverse generator takes an op or two per generator and saves
  // its candidates, which take ten times as long: worth it for few generators.
  constexpr int64_t mostTagged = 8;
  if (mayUse("back-bits") && bfs.generators <= mostTagged)
    form.inverses = inversesOf(bfs.permutations);
  std::optional<GraphSymmetry> symmetry;
  if (areArrangements(bfs.starts))
    symmetry = chooseSymmetry(bfs, bfs.permutations);
  if (!symmetry) {
    rewriteWithMarks(bfs, keys, form);
    return true;
  }
  remark(bfs.loop, Code::SEA008);
  // A halved key has the same fields as a whole one, with other codes.
  StateKeys halved(bfs, /*withInverseMask=*/true, &*symmetry);
  if (form.sum)
    form.sum = sumOfFields(bfs, halved);
  rewriteWithMarks(bfs, halved, form);
  return true;
}

bool ChooseStateKeysPass::useDenseIndex(const BfsLoop &bfs) {
  if (denseBytes <= 0 || !mayUse("dense-index") || !bfs.lookups.empty())
    return false;
  StateKeys keys(bfs, /*withInverseMask=*/false);
  std::string why;
  std::optional<DenseIndex> index =
      DenseIndex::choose(bfs, keys, denseBytes, why);
  if (!index) {
    remark(bfs.loop, Code::SEA103, {why});
    return false;
  }
  bool asTable = usesTable(bfs, index->cost(), index->states());
  // With a table, candidates are computed from a list of positions in memory.
  if (asTable && index->states() * sizeof(uint64_t) > double(denseBytes)) {
    remark(bfs.loop, Code::SEA103, {"too many generators"});
    return false;
  }
  remark(bfs.loop, Code::SEA003, {index->words() * 64, index->description()});
  rewriteWithBits(bfs, *index, asTable);
  return true;
}

/// Each op is an instruction of one kernel and costs compile time; the ops of a
/// table are fewer, but take longer to run.
bool ChooseStateKeysPass::usesTable(const BfsLoop &bfs, int64_t cost,
                                    double states) {
  constexpr int64_t cheap = 300, mostOps = 1000;
  constexpr double compileNanoseconds = 7e5, savedNanoseconds = 5;
  // Searches of larger graphs visit few of their states.
  double saved =
      std::min(states, 1e7) * double(bfs.generators) * savedNanoseconds;
  if (cost <= cheap || !mayUse("generator-table") ||
      (cost <= mostOps && double(cost) * compileNanoseconds < saved))
    return false;
  remark(bfs.loop, Code::SEA004, {bfs.generators, cost});
  return true;
}

/// A symmetry that saves more time than its code takes to compile.
std::optional<GraphSymmetry> ChooseStateKeysPass::chooseSymmetry(
    const BfsLoop &bfs, const std::vector<std::vector<int64_t>> &permutations) {
  constexpr double fewStates = 1 << 20;
  constexpr int64_t mostOps = 300, opsOfChoice = 8;
  StateKeys plain(bfs, /*withInverseMask=*/true);
  if (!mayUse("symmetry") || !plain.hasInverseMask() ||
      plain.mostStates() < fewStates || plain.cost() * 2 > mostOps)
    return std::nullopt;
  std::optional<GraphSymmetry> symmetry =
      findSymmetry(bfs.starts, permutations);
  if (!symmetry)
    return std::nullopt;
  StateKeys halved(bfs, /*withInverseMask=*/true, &*symmetry);
  if (!halved.isHalved() || halved.words() > plain.words() ||
      halved.cost() * 2 + halved.imageCost() +
              bfs.generators * opsOfChoice * halved.words() >
          mostOps)
    return std::nullopt;
  return symmetry;
}

/// Cubies, where they make keys shorter and their code stays short, or where
/// keys of positions would be too long.
std::optional<Cubies> ChooseStateKeysPass::chooseCubies(
    const BfsLoop &bfs, const std::vector<std::vector<int64_t>> &permutations) {
  // Rows that are looked up find the codes of cubies in a table.
  constexpr size_t mostValues = 40;
  std::optional<Cubies> cubies;
  if (mayUse("pieces") &&
      (bfs.lookups.empty() || numbersOfValues(bfs).size() < mostValues))
    cubies = Cubies::find(bfs, permutations);
  if (!cubies)
    return std::nullopt;
  StateKeys plain(bfs, /*withInverseMask=*/true),
      joined(bfs, /*withInverseMask=*/true, /*symmetry=*/nullptr, &*cubies);
  bool isShorter = joined.words() < plain.words() ||
                   (joined.hasInverseMask() && !plain.hasInverseMask());
  constexpr int64_t mostOpsOfCubies = 1000;
  if (!isShorter || joined.words() > plain.words() ||
      joined.cost() > (plain.words() > mostWords ? mostOps : mostOpsOfCubies))
    return std::nullopt;
  return cubies;
}

/// The memory bound of a step that might exceed it; else 0.
int64_t ChooseStateKeysPass::boundOfStep(const BfsLoop &bfs,
                                         const StateKeys &keys) {
  int64_t perState = stepBytes(bfs.generators, keys.words());
  if (memoryBytes <= 0 || !mayUse("key-ranges") || keys.mayBeAllOnes() ||
      keys.mostStates() * double(perState) <= double(memoryBytes))
    return 0;
  return memoryBytes;
}

/// A group of more than one involutive symmetry, where there may be many
/// states.
std::vector<GraphSymmetry> ChooseStateKeysPass::chooseSymmetryGroup(
    const BfsLoop &bfs, const std::vector<std::vector<int64_t>> &permutations) {
  constexpr double fewStates = 1 << 20;
  constexpr size_t most = 128;
  StateKeys plain(bfs, /*withInverseMask=*/true);
  if (!mayUse("symmetry-group") || plain.words() > mostWords ||
      plain.mostStates() < fewStates)
    return {};
  std::vector<GraphSymmetry> group =
      findSymmetryGroup(bfs.starts, permutations, most);
  // Steps with images are not divided into ranges: they may take about as much
  // memory as the states of a layer would without symmetries.
  int64_t layerBytes = int64_t(group.size() * plain.words() * sizeof(uint64_t));
  bool fits = boundOfStep(bfs, plain) == 0 ||
              stepBytes(bfs.generators, plain.words()) <= 2 * layerBytes;
  if (group.size() <= 2 || !fits)
    group.clear();
  return group;
}

/// Whether a step drops exactly the states that the list of all earlier ones
/// has: then the list may be kept by an index.
static bool dropsKnownOnly(const BfsLoop &bfs) {
  return bfs.earlierIsAll &&
         (!bfs.layerIsKnown ||
          llvm::all_of(bfs.starts, [&](const BfsLoop::Row &row) {
            return llvm::is_contained(bfs.earlierStarts, row);
          }));
}

/// False where rows are better than keys.
bool ChooseStateKeysPass::packKeys(const BfsLoop &bfs, bool mayShare) {
  WhileOp loop = bfs.loop;
  const auto &permutations = bfs.permutations;
  std::vector<size_t> inverses;
  if (mayUse("back-bits"))
    inverses = inversesOf(permutations);
  // No state stands for another that rows are looked up by.
  bool mayHalve = !inverses.empty() && bfs.lookups.empty();
  std::vector<GraphSymmetry> group;
  if (mayHalve && mayShare)
    group = chooseSymmetryGroup(bfs, permutations);
  std::optional<GraphSymmetry> symmetry;
  if (mayHalve && group.empty())
    symmetry = chooseSymmetry(bfs, permutations);
  std::optional<Cubies> cubies;
  if (!inverses.empty() && !symmetry)
    cubies = chooseCubies(bfs, permutations);
  StateKeys keys(bfs, !inverses.empty(), symmetry ? &*symmetry : nullptr,
                 cubies ? &*cubies : nullptr,
                 StateImages::tieBits(group.size()));
  const std::optional<StateImages> images =
      group.empty() ? std::nullopt : StateImages::build(bfs, keys, group);
  if (!group.empty() && (!images || keys.words() > mostWords))
    return packKeys(bfs, /*mayShare=*/false);
  if (symmetry)
    remark(loop, Code::SEA008);
  if (images)
    remark(loop, Code::SEA011, {images->images()});
  if (cubies)
    remark(loop, Code::SEA009,
           {keys.positions().size(), keys.fieldCount(), cubies->largest()});
  if (keys.words() > mostWords) {
    remark(loop, Code::SEA101,
           {"keys would have " + Twine(keys.words()) + " words, more than " +
            Twine(mostWords)});
    return false;
  }
  constexpr uint64_t mostValues = 1 << 16;
  if (!bfs.lookups.empty() &&
      (keys.haveJoinedPositions() || !keys.codesOfValues().empty()) &&
      numbersOfValues(bfs).rbegin()->first >= mostValues) {
    remark(
        loop, Code::SEA101,
        {"rows that are looked up have values above " + Twine(mostValues - 1)});
    return false;
  }
  bool asTable =
      keys.haveBytes() && usesTable(bfs, keys.cost(), keys.mostStates());
  if (!asTable && keys.cost() > mostOps) {
    remark(loop, Code::SEA101,
           {"code for its generators would have " + Twine(keys.cost()) +
            " ops, more than " + Twine(mostOps)});
    return false;
  }
  remark(loop, Code::SEA001,
         {keys.words(), keys.fieldCount(), keys.bits(), bfs.positions});
  bool needsNoLayer =
      keys.hasInverseMask() && alternates(bfs, keys, permutations);
  if (keys.hasInverseMask())
    remark(loop, Code::SEA002, {bfs.generators, needsNoLayer ? 0 : 1});
  else
    remark(loop, Code::SEA102,
           {inverses.empty() ? "a generator has no inverse of its own"
                             : "no word has room for it"});
  KeyForm form;
  if (keys.hasInverseMask())
    form.inverses = inverses;
  form.needsNoLayer = needsNoLayer;
  form.asTable = asTable;
  if (images)
    form.images = &*images;
  else
    form.memoryBytes = boundOfStep(bfs, keys);
  if (form.memoryBytes > 0)
    remark(loop, Code::SEA007,
           {form.memoryBytes / stepBytes(bfs.generators, keys.words())});
  form.indexesKnown =
      form.inverses.empty() && dropsKnownOnly(bfs) && mayUse("known-index");
  if (form.indexesKnown)
    remark(loop, Code::SEA012, {"as keys"});
  // One word of each key is stored anyway: its list has the layer's size.
  constexpr double fewStates = 1 << 20;
  if (!keys.isHalved() && !images && form.memoryBytes == 0 && !asTable &&
      !form.indexesKnown && bfs.lookups.empty() && keys.words() > 1 &&
      keys.mostStates() >= fewStates && mayUse("last-count"))
    form.exitPredicate = ExitPredicate::find(bfs);
  if (form.exitPredicate)
    remark(loop, Code::SEA010);
  rewriteWithKeys(bfs, keys, form);
  return true;
}

} // namespace zenith::search
