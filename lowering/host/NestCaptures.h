// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the regions of branches and loops need from outside, and how they get
// it: as copies, as arguments, or by a number.

#ifndef ZENITH_LOWERING_HOST_NESTCAPTURES_H
#define ZENITH_LOWERING_HOST_NESTCAPTURES_H

#include "ir/DimAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace zenith {

/// Values that the function of a region takes as arguments.
struct RegionCaptures {
  llvm::SetVector<mlir::Value> values;
  unsigned reach = 0; ///< how many regions deeper one of them is read, at most
};

/// The captures of all regions of control ops in a function. Each region gets
/// copies of what it reads itself and had better optimise: constants,
/// parameters, sizes. What regions far below its definition read they get by
/// host.shared, since arguments of all functions on the way would make programs
/// quadratic in the depth of nests; other values are arguments. Takes time
/// linear in the program and these arguments.
class NestCaptures {
public:
  /// Numbers of shared values start from `nextNumber`.
  NestCaptures(mlir::func::FuncOp function, int64_t &nextNumber);

  /// Values as they were when the captures were found; see current().
  const RegionCaptures &of(mlir::Region &region) { return captures[&region]; }
  /// Values of the function around `control` that it shares, likewise.
  llvm::ArrayRef<mlir::Value> sharedBy(mlir::Operation *control) const {
    auto found = shared.find(control);
    return found == shared.end() ? llvm::ArrayRef<mlir::Value>()
                                 : found->second.getArrayRef();
  }
  int64_t numberOf(mlir::Value value) const { return numbers.lookup(value); }
  /// Replaces an op. Captures name its results, which are found by current().
  void replace(mlir::Operation *op, mlir::ValueRange results);
  /// What has become of a value.
  mlir::Value current(mlir::Value value) const {
    mlir::Value later = replaced.lookup(value);
    return later ? later : value;
  }

private:
  /// A region on the way to the op that is visited; the first is the function.
  struct Level {
    mlir::Operation *control;
    mlir::Region *region;
    mlir::Operation *first; ///< copies come before it
    /// What outer values are in it.
    llvm::DenseMap<mlir::Value, mlir::Value> local{};
  };

  void visit(mlir::Operation *control, mlir::Region &region);
  void readOperands(mlir::Operation *op);
  mlir::Value valueHere(mlir::Value value, unsigned depth);
  mlir::Value copyHere(mlir::Value value);
  mlir::Value shareHere(mlir::Value value, unsigned depth);
  void capture(mlir::Value value, unsigned depth);
  bool isWorthCopying(mlir::Value value);
  bool hasNamedSizes(mlir::Value value);

  graph::DimAnalysis dims;
  int64_t &nextNumber;
  std::vector<Level> path;
  /// Of values that blocks of functions and of control ops' regions define: how
  /// many such regions are around them.
  llvm::DenseMap<mlir::Value, unsigned> depths;
  llvm::DenseMap<mlir::Value, bool> worthCopying;
  llvm::DenseMap<mlir::Region *, RegionCaptures> captures;
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Value>> shared;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
};

} // namespace zenith

#endif // ZENITH_LOWERING_HOST_NESTCAPTURES_H
