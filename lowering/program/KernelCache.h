// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of a program: emitted once per structure, shared by all launches
// that need the same.

#ifndef ZENITH_LOWERING_PROGRAM_KERNELCACHE_H
#define ZENITH_LOWERING_PROGRAM_KERNELCACHE_H

#include "lowering/builder/KernelPlan.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"
#include <unordered_map>

namespace zenith::pipeline {

/// One launch of a fusion, with the name that the kernel has in the cache.
struct SharedLaunch {
  mlir::StringAttr kernel;
  llvm::SmallVector<kernels::PointerArg> pointers;
  llvm::SmallVector<graph::DimExpr> sizes;
  graph::DimExpr tasks;
  double costPerTask;
  graph::DimExpr guard;
};

/// A kernels::KernelPlan whose kernels are those of the cache.
struct SharedPlan {
  llvm::SmallVector<SharedLaunch> launches;
  llvm::SmallVector<graph::DimExpr> scratchBytes;
  llvm::SmallVector<kernels::DataCount> counts;
  llvm::SmallVector<graph::DimExpr> capacityBytes;
  bool hostOnly = false;
};

/// Which buffers of a fusion are the same bytes: equal indices, for operands,
/// results and scratch in order.
using AliasPattern = llvm::SmallVector<unsigned>;

class KernelCache {
public:
  KernelCache(mlir::ModuleOp kernels, const target::TargetModel &target)
      : kernels(kernels), target(target) {}

  /// Kernels of `fusion` and how they are launched. Kernels that were emitted
  /// for an equal fusion are reused, and so is one whose code turns out equal
  /// but for which of its sizes are one.
  /// Two fusions are equal if their regions, types, kinds of sharing and sizes
  /// are, and so are those of their results that the program never reads
  /// (`unread`) and that are worth keeping out of the caches.
  mlir::FailureOr<SharedPlan> planOf(graph::FusionOp fusion,
                                     graph::DimAnalysis &dims,
                                     const AliasPattern &sharing,
                                     const llvm::SmallBitVector &unread);

private:
  /// A kernel of the table.
  struct KnownKernel {
    mlir::func::FuncOp kernel;
    unsigned sizes; ///< how many it takes
  };
  /// The kernel that a launch takes, and for each of its sizes the number of
  /// the launch's; nothing for a size that it does not read.
  struct SharedKernel {
    mlir::StringAttr name;
    llvm::SmallVector<std::optional<unsigned>> sizes;
  };
  SharedKernel share(const kernels::Launch &launch);

  mlir::ModuleOp kernels;
  const target::TargetModel &target;
  llvm::StringMap<SharedPlan> planByFusion;
  std::unordered_map<size_t, llvm::SmallVector<KnownKernel>> kernelsByShape;
  unsigned emitted = 0;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_KERNELCACHE_H
