// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel of a fusion will do, decided once.

#ifndef ZENITH_LOWERING_DECISIONS_DECIDE_H
#define ZENITH_LOWERING_DECISIONS_DECIDE_H

#include "ir/target/TargetModel.h"
#include "lowering/schedule/Schedule.h"
#include <optional>
#include <vector>

namespace zenith::decisions {

/// A form that the target cannot do.
struct Missing {
  std::string form, capability;
};

struct Decision {
  graph::Schedule schedule; ///< with all keys
  /// Tasks of the largest launch; nullopt where only emission knows.
  std::optional<graph::DimExpr> tasks;
  std::vector<Missing> missing;
};

/// The schedule of `fusion`: what it brings, and for what that leaves open, or
/// without one, what shapes and target decide. Fails, at the fusion, where
/// there is no kernel, and where emission cannot do what the fusion brings,
/// with the label of a constraint. Writes the encodings of the fusion's
/// operands, which loops are found by.
mlir::FailureOr<Decision> decide(graph::FusionOp fusion,
                                 graph::DimAnalysis &dims,
                                 const target::TargetModel &target);

/// What deciders of single kinds get.
struct Request {
  graph::FusionOp fusion;
  graph::DimAnalysis &dims;
  const target::TargetModel &target;
  graph::Schedule given; ///< null: nothing is
  mlir::ArrayAttr shares;

  mlir::MLIRContext *context() const {
    return graph::FusionOp(fusion).getContext();
  }
  template <typename Kind> Kind givenAs() const {
    return mlir::dyn_cast_or_null<Kind>(mlir::Attribute(given));
  }
  mlir::StringAttr tasks() const;
  /// Plain where nothing is given; with the results that streaming is for.
  sched::Stores store() const;
  /// Fails where a given number of tasks or given scratch differ from what the
  /// other keys demand. Scratch whose size depends on data is only counted.
  mlir::LogicalResult check(const std::optional<graph::DimExpr> &tasks,
                            llvm::ArrayRef<graph::DimExpr> scratch) const;
  mlir::ArrayAttr scratchAttr(llvm::ArrayRef<graph::DimExpr> bytes) const;
  mlir::DenseI64ArrayAttr integers(llvm::ArrayRef<int64_t> values) const;
};

mlir::FailureOr<Decision> decideElements(const Request &request);
mlir::FailureOr<Decision> decideReduction(const Request &request);
/// Poolings, and convolutions without a product.
mlir::FailureOr<Decision> decideWindow(const Request &request);
mlir::FailureOr<Decision> decideScan(const Request &request);
mlir::FailureOr<Decision> decideScatter(const Request &request);
mlir::FailureOr<Decision> decideRoutine(const Request &request);
mlir::FailureOr<Decision> decideProduct(const Request &request);
mlir::FailureOr<Decision> decideAttention(const Request &request);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_DECIDE_H
