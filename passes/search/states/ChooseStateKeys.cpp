// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: decides how each breadth-first loop represents its states, says
// why, and builds the loop again.

#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/search/groups/SymmetryGroup.h"
#include "passes/search/states/BfsRewrite.h"
#include "passes/search/states/KeyRanges.h"
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

/// Each permutation's inverse among them, the first one of equal ones; nothing
/// where it is not there.
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

/// The generator that undoes each one; empty where one has none, or where two
/// are the same: the bit of one would not tell that the other leads back too.
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

/// Whether the next layer has no state of any layer before: the loop knows them
/// all, or the last two, and every generator can be undone.
static bool leavesOutAllStates(const BfsLoop &growth) {
  auto has = [](const std::vector<BfsLoop::Row> &rows,
                const BfsLoop::Row &row) {
    return llvm::is_contained(rows, row);
  };
  if (growth.earlierIsAll)
    return llvm::all_of(growth.starts, [&](const BfsLoop::Row &row) {
      return has(growth.earlierStarts, row);
    });
  return growth.earlier && growth.layerIsKnown &&
         llvm::all_of(growth.earlierStarts,
                      [&](const BfsLoop::Row &row) {
                        return has(growth.starts, row);
                      }) &&
         llvm::all_of(
             findInverses(growth.permutations),
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

/// Whether every generator leads from even states to odd ones and back: then no
/// two neighbours are in one layer.
static bool alternates(const BfsLoop &growth, const StateKeys &keys,
                       const std::vector<std::vector<int64_t>> &permutations) {
  return growth.starts.size() == 1 && keys.haveEachValueOnce() &&
         llvm::all_of(permutations,
                      [](ArrayRef<int64_t> p) { return isOdd(p); });
}

/// Words of a key: every generator is a formula per word, so that wide keys
/// take longer to compile than they save.
static constexpr unsigned mostWords = 8;
/// Ops of all generators: beyond, steps on rows are there sooner.
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
  bool usesTable(const BfsLoop &growth, int64_t cost, double states);
  bool useBitRows(const BfsLoop &growth);
  bool useMarks(const BfsLoop &growth);
  bool useDenseIndex(const BfsLoop &growth);
  std::optional<GraphSymmetry>
  chooseSymmetry(const BfsLoop &growth,
                 const std::vector<std::vector<int64_t>> &permutations);
  std::vector<GraphSymmetry>
  chooseSymmetryGroup(const BfsLoop &growth,
                      const std::vector<std::vector<int64_t>> &permutations);
  std::optional<StatePieces>
  choosePieces(const BfsLoop &growth,
               const std::vector<std::vector<int64_t>> &permutations);
  int64_t boundOfStep(const BfsLoop &growth, const StateKeys &keys);
  void packKeys(const BfsLoop &growth, bool mayShare = true);
};

} // namespace

void ChooseStateKeysPass::visit(WhileOp loop) {
  DimAnalysis dims;
  std::string why;
  std::optional<BfsLoop> growth = matchBfsLoop(loop, dims, why);
  if (!growth) {
    if (!why.empty())
      remark(loop, Code::SEA101, {why});
    return;
  }
  if (!useBitRows(*growth) && !useDenseIndex(*growth) && !useMarks(*growth) &&
      mayUse("keys"))
    packKeys(*growth);
}

bool ChooseStateKeysPass::useBitRows(const BfsLoop &growth) {
  if (denseBytes <= 0 || !mayUse("bit-rows") || !leavesOutAllStates(growth))
    return false;
  StateKeys keys(growth, /*withBackBits=*/false);
  std::string why;
  std::optional<CosetIndex> index =
      CosetIndex::choose(growth, keys, denseBytes, why);
  if (!index) {
    remark(growth.loop, Code::SEA104, {why});
    return false;
  }
  const CosetRows &table = index->table();
  remark(growth.loop, Code::SEA005,
         {table.rows(), table.columns(), table.moves()});
  rewriteWithBitRows(growth, *index);
  return true;
}

/// The xor of a state's fields, where all states have the same.
static std::optional<uint64_t> sumOfFields(const BfsLoop &growth,
                                           const StateKeys &keys) {
  std::optional<uint64_t> sum;
  for (const BfsLoop::Row &row : growth.starts) {
    uint64_t own = 0;
    for (uint64_t rest = keys.pack(row)[0]; rest; rest >>= keys.bits())
      own ^= rest & ((uint64_t(1) << keys.bits()) - 1);
    if (sum && *sum != own)
      return std::nullopt;
    sum = own;
  }
  return sum;
}

/// Whether all starts are arrangements of the same values: then whatever codes
/// these have, all states have the same sum.
static bool areArrangements(const std::vector<BfsLoop::Row> &starts) {
  auto sorted = [](BfsLoop::Row row) {
    llvm::sort(row);
    return row;
  };
  return llvm::all_of(starts, [&](const BfsLoop::Row &row) {
    return sorted(row) == sorted(starts.front());
  });
}

bool ChooseStateKeysPass::useMarks(const BfsLoop &growth) {
  if (denseBytes <= 0 || !mayUse("marks") || !leavesOutAllStates(growth))
    return false;
  StateKeys keys(growth, /*withBackBits=*/false);
  size_t bits = keys.positions().size() * keys.bits();
  // Beyond the cache marks pay where at least a few lie in each line, and code
  // for each generator where that is short.
  constexpr double cached = 1 << 24, numbersPerState = 128;
  constexpr int64_t mostOps = 300;
  if (keys.words() > 1 || bits > 40 || keys.cost() > mostOps)
    return false;
  MarkForm form;
  // What permutations hold only moves, so its sum stays.
  if (!growth.permutations.empty() && keys.positions().size() > 1)
    form.sum = sumOfFields(growth, keys);
  if (form.sum)
    bits -= keys.bits();
  double numbers = double(uint64_t(1) << bits);
  if (numbers / 8 > double(denseBytes) ||
      (numbers / 8 > cached && numbers > numbersPerState * keys.mostStates()))
    return false;
  remark(growth.loop, Code::SEA006, {uint64_t(numbers), form.sum ? 1 : 0});
  form.words = std::max<int64_t>(1, int64_t(uint64_t(numbers) / 64));
  // Leaving the generator that leads back out takes an op or two for each,
  // whose candidates would take ten times as long: worth it for a few.
  constexpr int64_t mostTagged = 8;
  if (mayUse("back-bits") && growth.generators <= mostTagged)
    form.inverses = inversesOf(growth.permutations);
  std::optional<GraphSymmetry> symmetry;
  if (areArrangements(growth.starts))
    symmetry = chooseSymmetry(growth, growth.permutations);
  if (!symmetry) {
    rewriteWithMarks(growth, keys, form);
    return true;
  }
  remark(growth.loop, Code::SEA008);
  // A halved key has its fields where a whole one has them, with other codes.
  StateKeys halved(growth, /*withBackBits=*/true, &*symmetry);
  if (form.sum)
    form.sum = sumOfFields(growth, halved);
  rewriteWithMarks(growth, halved, form);
  return true;
}

bool ChooseStateKeysPass::useDenseIndex(const BfsLoop &growth) {
  if (denseBytes <= 0 || !mayUse("dense-index"))
    return false;
  StateKeys keys(growth, /*withBackBits=*/false);
  std::string why;
  std::optional<DenseIndex> index =
      DenseIndex::choose(growth, keys, denseBytes, why);
  if (!index) {
    remark(growth.loop, Code::SEA103, {why});
    return false;
  }
  bool asTable = usesTable(growth, index->cost(), index->states());
  // A table's candidates are made of positions in memory.
  if (asTable && index->states() * sizeof(uint64_t) > double(denseBytes)) {
    remark(growth.loop, Code::SEA103, {"too many generators"});
    return false;
  }
  remark(growth.loop, Code::SEA003,
         {index->words() * 64, index->description()});
  rewriteWithBits(growth, *index, asTable);
  return true;
}

/// Each op is an instruction of one kernel and takes a while to compile; those
/// of a table are fewer, but take longer to run.
bool ChooseStateKeysPass::usesTable(const BfsLoop &growth, int64_t cost,
                                    double states) {
  constexpr int64_t cheap = 300, mostOps = 1000;
  constexpr double compileNanoseconds = 7e5, savedNanoseconds = 5;
  // Searches of larger graphs see few of their states.
  double saved =
      std::min(states, 1e7) * double(growth.generators) * savedNanoseconds;
  if (cost <= cheap || !mayUse("generator-table") ||
      (cost <= mostOps && double(cost) * compileNanoseconds < saved))
    return false;
  remark(growth.loop, Code::SEA004, {growth.generators, cost});
  return true;
}

/// A symmetry that saves more than the code for it takes to compile.
std::optional<GraphSymmetry> ChooseStateKeysPass::chooseSymmetry(
    const BfsLoop &growth,
    const std::vector<std::vector<int64_t>> &permutations) {
  constexpr double fewStates = 1 << 20;
  constexpr int64_t mostOps = 300, opsOfChoice = 8;
  StateKeys plain(growth, /*withBackBits=*/true);
  if (!mayUse("symmetry") || !plain.hasBackBits() ||
      plain.mostStates() < fewStates || plain.cost() * 2 > mostOps)
    return std::nullopt;
  std::optional<GraphSymmetry> symmetry = findSymmetry(growth, permutations);
  if (!symmetry)
    return std::nullopt;
  StateKeys halved(growth, /*withBackBits=*/true, &*symmetry);
  if (!halved.isHalved() || halved.words() > plain.words() ||
      halved.cost() * 2 + halved.imageCost() +
              growth.generators * opsOfChoice * halved.words() >
          mostOps)
    return std::nullopt;
  return symmetry;
}

/// Pieces, where they make keys shorter and code for them stays short, or keys
/// of positions would be too long.
std::optional<StatePieces> ChooseStateKeysPass::choosePieces(
    const BfsLoop &growth,
    const std::vector<std::vector<int64_t>> &permutations) {
  std::optional<StatePieces> pieces;
  if (mayUse("pieces"))
    pieces = StatePieces::find(growth, permutations);
  if (!pieces)
    return std::nullopt;
  StateKeys plain(growth, /*withBackBits=*/true),
      joined(growth, /*withBackBits=*/true, /*symmetry=*/nullptr, &*pieces);
  bool isShorter = joined.words() < plain.words() ||
                   (joined.hasBackBits() && !plain.hasBackBits());
  constexpr int64_t mostOpsOfPieces = 1000;
  if (!isShorter || joined.words() > plain.words() ||
      joined.cost() > (plain.words() > mostWords ? mostOps : mostOpsOfPieces))
    return std::nullopt;
  return pieces;
}

/// What a step may take where it might take more; else 0.
int64_t ChooseStateKeysPass::boundOfStep(const BfsLoop &growth,
                                         const StateKeys &keys) {
  int64_t perState = stepBytes(growth.generators, keys.words());
  if (memoryBytes <= 0 || !mayUse("key-ranges") || keys.mayBeAllOnes() ||
      keys.mostStates() * double(perState) <= double(memoryBytes))
    return 0;
  return memoryBytes;
}

/// More symmetries than one that undoes itself, where there may be many states.
std::vector<GraphSymmetry> ChooseStateKeysPass::chooseSymmetryGroup(
    const BfsLoop &growth,
    const std::vector<std::vector<int64_t>> &permutations) {
  constexpr double fewStates = 1 << 20;
  constexpr size_t most = 128;
  StateKeys plain(growth, /*withBackBits=*/true);
  if (!mayUse("symmetry-group") || plain.words() > mostWords ||
      plain.mostStates() < fewStates)
    return {};
  std::vector<GraphSymmetry> group =
      findSymmetryGroup(growth, permutations, most);
  // Steps with images are not divided: they should take about as little as the
  // states of a layer would.
  int64_t layerBytes = int64_t(group.size() * plain.words() * sizeof(uint64_t));
  bool fits = boundOfStep(growth, plain) == 0 ||
              stepBytes(growth.generators, plain.words()) <= 2 * layerBytes;
  if (group.size() <= 2 || !fits)
    group.clear();
  return group;
}

void ChooseStateKeysPass::packKeys(const BfsLoop &growth, bool mayShare) {
  WhileOp loop = growth.loop;
  const auto &permutations = growth.permutations;
  std::vector<size_t> inverses;
  if (mayUse("back-bits"))
    inverses = inversesOf(permutations);
  std::vector<GraphSymmetry> group;
  if (!inverses.empty() && mayShare)
    group = chooseSymmetryGroup(growth, permutations);
  std::optional<GraphSymmetry> symmetry;
  if (!inverses.empty() && group.empty())
    symmetry = chooseSymmetry(growth, permutations);
  std::optional<StatePieces> pieces;
  if (!inverses.empty() && !symmetry)
    pieces = choosePieces(growth, permutations);
  StateKeys keys(growth, !inverses.empty(), symmetry ? &*symmetry : nullptr,
                 pieces ? &*pieces : nullptr,
                 StateImages::tieBits(group.size()));
  const std::optional<StateImages> images =
      group.empty() ? std::nullopt : StateImages::build(growth, keys, group);
  if (!group.empty() && (!images || keys.words() > mostWords))
    return packKeys(growth, /*mayShare=*/false);
  if (symmetry)
    remark(loop, Code::SEA008);
  if (images)
    remark(loop, Code::SEA011, {images->images()});
  if (pieces)
    remark(loop, Code::SEA009,
           {keys.positions().size(), keys.fieldCount(), pieces->largest()});
  if (keys.words() > mostWords) {
    remark(loop, Code::SEA101,
           {"keys would have " + Twine(keys.words()) + " words, more than " +
            Twine(mostWords)});
    return;
  }
  bool asTable =
      keys.haveBytes() && usesTable(growth, keys.cost(), keys.mostStates());
  if (!asTable && keys.cost() > mostOps) {
    remark(loop, Code::SEA101,
           {"code for its generators would have " + Twine(keys.cost()) +
            " ops, more than " + Twine(mostOps)});
    return;
  }
  remark(loop, Code::SEA001,
         {keys.words(), keys.fieldCount(), keys.bits(), growth.positions});
  bool needsNoLayer =
      keys.hasBackBits() && alternates(growth, keys, permutations);
  if (keys.hasBackBits())
    remark(loop, Code::SEA002, {growth.generators, needsNoLayer ? 0 : 1});
  else
    remark(loop, Code::SEA102,
           {inverses.empty() ? "a generator has no inverse of its own"
                             : "a word has no room for them"});
  KeyForm form;
  if (keys.hasBackBits())
    form.inverses = inverses;
  form.needsNoLayer = needsNoLayer;
  form.asTable = asTable;
  if (images)
    form.images = &*images;
  else
    form.memoryBytes = boundOfStep(growth, keys);
  if (form.memoryBytes > 0)
    remark(loop, Code::SEA007,
           {form.memoryBytes / stepBytes(growth.generators, keys.words())});
  // One word of each key is there anyway, as a list that has a size.
  constexpr double fewStates = 1 << 20;
  if (!keys.isHalved() && !images && form.memoryBytes == 0 && !asTable &&
      keys.words() > 1 && keys.mostStates() >= fewStates &&
      mayUse("last-count"))
    form.nextTurn = ExitPredicate::find(growth);
  if (form.nextTurn)
    remark(loop, Code::SEA010);
  rewriteWithKeys(growth, keys, form);
}

} // namespace zenith::search
