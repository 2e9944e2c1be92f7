// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: decides how each breadth-first loop represents its states, says
// why, and builds the loop again.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/search/GrowthRewrite.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_CHOOSESTATEKEYSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::search {

/// The generator that undoes each one; empty where one has none, or where two
/// are the same: the bit of one would not tell that the other leads back too.
static std::vector<size_t>
inversesOf(const std::vector<std::vector<int64_t>> &permutations) {
  std::vector<size_t> inverses;
  for (const auto &permutation : permutations) {
    std::vector<int64_t> inverse(permutation.size());
    for (auto [to, from] : llvm::enumerate(permutation))
      inverse[from] = to;
    auto found = llvm::find(permutations, inverse);
    if (found == permutations.end())
      return {};
    inverses.push_back(size_t(found - permutations.begin()));
  }
  for (size_t g = 0; g < inverses.size(); ++g)
    if (inverses[inverses[g]] != g)
      return {};
  return inverses;
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
static bool alternates(const GrowthLoop &growth, const StateKeys &keys,
                       const std::vector<std::vector<int64_t>> &permutations) {
  return growth.starts.size() == 1 &&
         keys.values() == keys.positions().size() &&
         llvm::all_of(permutations,
                      [](ArrayRef<int64_t> p) { return isOdd(p); });
}

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
  void remark(WhileOp loop, StringRef code, const Twine &text) {
    if (explain)
      loop.emitRemark() << "search: " << code << ": " << text.str();
  }
  bool useDenseIndex(const GrowthLoop &growth);
  void packKeys(const GrowthLoop &growth);
};

} // namespace

void ChooseStateKeysPass::visit(WhileOp loop) {
  DimAnalysis dims;
  std::string why;
  std::optional<GrowthLoop> growth = matchGrowthLoop(loop, dims, why);
  if (!growth) {
    if (!why.empty())
      remark(loop, "SEA101", "the loop goes on with rows: " + why);
    return;
  }
  // Each is a few instructions of one kernel, and compiling takes its time.
  constexpr int64_t mostChanges = 2000;
  if (growth->changes() > mostChanges) {
    remark(loop, "SEA101",
           "the loop goes on with rows: its generators change " +
               Twine(growth->changes()) + " elements, more than " +
               Twine(mostChanges));
    return;
  }
  if (!useDenseIndex(*growth))
    packKeys(*growth);
}

bool ChooseStateKeysPass::useDenseIndex(const GrowthLoop &growth) {
  if (denseBytes <= 0)
    return false;
  StateKeys keys(growth, /*withBackBits=*/false);
  std::string why;
  std::optional<DenseIndex> index =
      DenseIndex::choose(growth, keys, denseBytes, why);
  if (!index) {
    remark(growth.loop, "SEA103", "no dense index: " + why);
    return false;
  }
  remark(growth.loop, "SEA003",
         "layers are sets of " + Twine(index->words() * 64) +
             " bits: " + index->description());
  rewriteWithBits(growth, *index);
  return true;
}

/// Words of a key: every generator is a formula per word, so that wide keys
/// take longer to compile than they save.
static constexpr unsigned mostWords = 8;

void ChooseStateKeysPass::packKeys(const GrowthLoop &growth) {
  WhileOp loop = growth.loop;
  auto permutations = growth.permutations();
  std::vector<size_t> inverses = inversesOf(permutations);
  StateKeys keys(growth, !inverses.empty());
  if (keys.words() > mostWords) {
    remark(loop, "SEA101",
           "the loop goes on with rows: keys would have " +
               Twine(keys.words()) + " words, more than " + Twine(mostWords));
    return;
  }
  remark(loop, "SEA001",
         Twine(keys.positions().size()) + " of " + Twine(growth.positions) +
             " positions in " + Twine(keys.bits()) +
             " bits each make keys of " + Twine(keys.words()) + " words");
  bool needsNoLayer =
      keys.hasBackBits() && alternates(growth, keys, permutations);
  if (keys.hasBackBits())
    remark(loop, "SEA002",
           Twine(growth.generators) +
               " bits tell which generators lead back: the layer before the "
               "last is not kept" +
               (needsNoLayer ? ", and all generators are odd: nor is the last"
                             : ""));
  else
    remark(loop, "SEA102",
           inverses.empty()
               ? "no bits that lead back: a generator has no inverse of its own"
               : "no bits that lead back: a word has no room for them");
  rewriteWithKeys(growth, keys,
                  keys.hasBackBits() ? inverses : std::vector<size_t>(),
                  needsNoLayer);
}

} // namespace zenith::search
