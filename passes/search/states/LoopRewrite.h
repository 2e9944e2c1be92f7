// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds a breadth-first loop with other loop-carried values for its states;
// all other loop-carried values stay.

#ifndef ZENITH_PASSES_SEARCH_STATES_LOOPREWRITE_H
#define ZENITH_PASSES_SEARCH_STATES_LOOPREWRITE_H

#include "mlir/IR/IRMapping.h"
#include "passes/search/states/BfsLoop.h"
#include "passes/search/states/GeneratorTable.h"
#include "passes/search/states/RowWords.h"
#include <map>

namespace zenith::search {

/// The loop-carried values for states: `count` of them from `first` on in the
/// new loop.
struct CarriedStates {
  unsigned first = 0, count = 0;
  mlir::ValueRange of(mlir::ValueRange arguments) const {
    return arguments.slice(first, count);
  }
};

/// What all representations share: the new loop with its other loop-carried
/// values.
class LoopRewrite {
public:
  explicit LoopRewrite(const BfsLoop &bfs)
      : bfs(bfs), old(bfs.loop), builder(bfs.loop), location(old.getLoc()) {}
  virtual ~LoopRewrite() = default;
  void run();

protected:
  /// Adds loop-carried values for states.
  CarriedStates carry(mlir::ValueRange values, mlir::TypeRange carriedTypes);
  /// How many states the search starts from.
  mlir::Value countOfStarts(mlir::OpBuilder &at, mlir::Location place);
  /// How many states a list of halved ones represents: states that are their
  /// own images, for which `own` is 1 (else 0), count once, others twice.
  mlir::Value countHalved(mlir::Value list, mlir::Value own);
  /// The sum of a list of words, as a size.
  mlir::Value sumOf(mlir::Value list);
  template <typename T>
  mlir::Value constant(llvm::ArrayRef<int64_t> shape,
                       const std::vector<T> &elements) {
    auto type = mlir::RankedTensorType::get(
        shape, builder.getIntegerType(8 * sizeof(T), false));
    return builder.create<graph::ConstantOp>(
        location,
        mlir::DenseElementsAttr::get(type, llvm::ArrayRef<T>(elements)));
  }
  /// Adds the states' initial values.
  virtual void carryStates() = 0;
  /// The number of states of the current layer.
  virtual mlir::Value sizeOfLayer(mlir::ValueRange arguments) = 0;
  /// Builds the next layer; fills in what the loop yields for states.
  virtual void buildNext(mlir::ValueRange arguments,
                         llvm::MutableArrayRef<mlir::Value> yielded) = 0;
  virtual mlir::Value sizeOfNext() = 0;
  /// What stands for rows that are looked up, computed before the loop. Only
  /// forms that choose loops with look-ups have it.
  virtual RowWords wordsOf(mlir::Value) { return {}; }
  /// Which of these rows are in the next layer, once that is built.
  virtual mlir::Value inNext(const RowWords &) { return {}; }
  /// How a loop carries a list of noted look-ups (BfsLoop::Note): with a place
  /// for each different row, and one more for rows that can be no states.
  struct NotedPlaces {
    mlir::Value ofRows; ///< where each row's is
    mlir::Value size;   ///< of the list
  };
  /// The places of such rows, computed before the loop; nothing where the form
  /// leaves the list as it is.
  virtual std::optional<NotedPlaces> placesOf(const RowWords &) {
    return std::nullopt;
  }
  /// The list with a number at the places of those rows that are in the next
  /// layer, and how many rows that are.
  virtual std::pair<mlir::Value, mlir::Value>
  note(const RowWords &, mlir::Value /*list*/, mlir::Value /*number*/) {
    return {};
  }
  /// Whether another iteration follows, as far as that does not depend on the
  /// next layer; null where nothing is known.
  virtual mlir::Value shouldContinue(const mlir::IRMapping &) { return {}; }
  /// All generators as bytes, as `of` (keys or an index) gives them.
  template <typename Representation>
  GeneratorTable table(const Representation &of, mlir::Value like) {
    llvm::SmallVector<llvm::SmallVector<uint64_t>> bytes;
    for (size_t g = 0; g < size_t(bfs.generators); ++g)
      bytes.push_back(of.bytes(g));
    return GeneratorTable(builder, location, like, bytes);
  }

  const BfsLoop &bfs;
  graph::WhileOp old;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::Value another; ///< result of shouldContinue()

private:
  void countStarts();
  void prepareLookups();
  void carryOthers();
  BfsLoop::Note *noteOf(mlir::Operation *op);
  void buildNote(BfsLoop::Note &part, mlir::Operation &op,
                 mlir::IRMapping &mapping);
  mlir::Value sizeIn(mlir::Block &block, mlir::Value list);
  void buildCondition(mlir::Block *block);
  void buildBody(mlir::Block *block);
  bool isState(unsigned carried) const {
    return carried == bfs.layer || carried == bfs.earlier;
  }
  void mapOthers(mlir::Block &from, mlir::Block &to, mlir::IRMapping &mapping);

  llvm::SmallVector<mlir::Value> inits;
  llvm::SmallVector<mlir::Type> types;
  std::vector<std::pair<unsigned, unsigned>> others; ///< old index, new index
  llvm::DenseMap<mlir::Value, RowWords> lookups;     ///< by rows
  struct TakenNote {
    BfsLoop::Note note;
    NotedPlaces places;
  };
  std::map<unsigned, TakenNote> notes; ///< by the list's old index
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_LOOPREWRITE_H
