// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimension expressions as integer code, with one flag that says whether any of
// it overflowed.

#ifndef ZENITH_LOWERING_PROGRAM_SIZECODE_H
#define ZENITH_LOWERING_PROGRAM_SIZECODE_H

#include "ir/dims/DimAttr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"

namespace zenith::pipeline {

/// Values by text, in programs inside of each other: those of data ("%0") are
/// the innermost program's own, and it sees all others. A program costs what it
/// adds, however much the programs around it know.
class ScopedValues {
public:
  llvm::Value *lookup(llvm::StringRef text) const {
    return tableOf(text).lookup(text);
  }
  bool contains(llvm::StringRef text) const {
    return tableOf(text).count(text);
  }
  void set(llvm::StringRef text, llvm::Value *value);
  void enter();
  /// Forgets what has been set since `enter`.
  void leave();

private:
  using Table = llvm::StringMap<llvm::Value *>;
  static bool isOwn(llvm::StringRef text) { return text.contains('%'); }
  const Table &tableOf(llvm::StringRef text) const {
    return isOwn(text) ? own : shared;
  }

  struct Scope {
    Table own;
    size_t changes; ///< of outer programs
  };
  Table shared, own;
  llvm::SmallVector<Scope, 0> outer;
  /// Texts that nested programs have set, with what they were before.
  std::vector<std::pair<std::string, llvm::Value *>> changes;
};

/// Computes each distinct expression once, at its first use. Symbols and values
/// of a nested program are dropped at its end, since it may not run.
class SizeCode {
public:
  explicit SizeCode(llvm::IRBuilder<> &builder);

  void bind(llvm::StringRef symbol, llvm::Value *value) {
    symbols.set(symbol, value);
  }
  bool isBound(llvm::StringRef symbol) const {
    return symbols.contains(symbol);
  }
  /// Starts a nested program. It shares the sizes that arguments name, and
  /// binds symbols of its own for data ("%0").
  void enter() {
    symbols.enter();
    memo.enter();
  }
  /// Ends it: restores the symbols and values of the outer program.
  void leave() {
    symbols.leave();
    memo.leave();
  }
  /// True where all symbols are bound.
  bool canEvaluate(const graph::DimExpr &expr) const;
  /// i64; constants stay constants.
  llvm::Value *evaluate(const graph::DimExpr &expr);
  llvm::Value *evaluate(mlir::Attribute dim) {
    return evaluate(graph::exprOf(dim));
  }
  /// Evaluates all expressions of an attribute whose symbols are bound, so that
  /// later code finds their values, whichever branch it lies in.
  void evaluateKnown(mlir::Attribute attr);
  /// i1: some product or sum since `settle` exceeds 64 bits. Values that depend
  /// on it are meaningless.
  llvm::Value *overflowed() const { return overflow; }
  /// Resets the flag, after the caller has checked it.
  void settle() { overflow = builder.getFalse(); }

private:
  llvm::Value *evaluateAtom(const graph::DimAtom &atom);
  llvm::Value *computeAtom(const graph::DimAtom &atom);
  llvm::Value *checked(llvm::Intrinsic::ID operation, llvm::Value *lhs,
                       llvm::Value *rhs);
  llvm::Value *floorDivision(llvm::Value *lhs, llvm::Value *rhs,
                             bool remainder);
  llvm::Value *floorDivisionBy(llvm::Value *lhs, int64_t divisor,
                               bool remainder);

  llvm::IRBuilder<> &builder;
  ScopedValues symbols, memo;
  llvm::Value *overflow;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_SIZECODE_H
