// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vocabulary of StableHLO's constraints: what makes types compatible, how
// attributes are read, and one wording per kind of mistake. Sizes that are not
// known agree with every size.

#ifndef ZENITH_FRONTENDS_STABLEHLO_VERIFY_VERIFYCHECKS_H
#define ZENITH_FRONTENDS_STABLEHLO_VERIFY_VERIFYCHECKS_H

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace zenith::stablehlo {

using Integers = llvm::SmallVector<int64_t>;

/// Null where the value is no ranked tensor.
mlir::RankedTensorType tensorOf(mlir::Value value);
mlir::RankedTensorType tensorOf(mlir::Type type);
llvm::SmallVector<mlir::RankedTensorType> tensorsOf(mlir::ValueRange values);

/// Equal but for quantization, where the expressed types decide, and storage
/// types where both are quantized.
bool elementsAgree(mlir::Type a, mlir::Type b);
/// Sizes agree and so do bounds.
bool shapesAgree(mlir::Type a, mlir::Type b);
bool dimsAgree(int64_t a, int64_t b);
/// Of sizes; not known where one is not or where the result does not fit.
int64_t sumOf(int64_t a, int64_t b);
int64_t productOf(int64_t a, int64_t b);
bool typesAgree(mlir::Type a, mlir::Type b);
bool typesAgree(mlir::TypeRange a, mlir::TypeRange b);
/// Bits of a float, narrow ones included; 0 for other types.
unsigned floatBits(mlir::Type element);
/// `from` may be widened to `to` (results of reductions may be).
bool isPromotable(mlir::Type from, mlir::Type to);

/// A list of integers: an array or a tensor of rank 1. Empty where absent.
Integers integersOf(mlir::Operation *op, llvm::StringRef name);
std::optional<Integers> maybeIntegers(mlir::Operation *op,
                                      llvm::StringRef name);
int64_t integerOf(mlir::Operation *op, llvm::StringRef name,
                  int64_t absent = 0);
/// Values of an operand that is a constant.
std::optional<Integers> constantOf(mlir::Value value);

/// "[1, ?, 3]"
std::string shapeText(llvm::ArrayRef<int64_t> dims);
/// "1, ?, 3"
std::string listText(llvm::ArrayRef<int64_t> list);
std::string typesText(mlir::TypeRange types);

// Checks that report.
mlir::LogicalResult checkResults(mlir::Operation *op,
                                 llvm::ArrayRef<mlir::Type> inferred);
/// 64-bit attribute that must be at least `least` (0 or 1).
mlir::LogicalResult checkAtLeast(mlir::Operation *op, llvm::StringRef name,
                                 int64_t least, unsigned width = 64);
mlir::LogicalResult checkSizes(mlir::Operation *op, llvm::StringRef name,
                               uint64_t size);
bool hasDuplicates(llvm::ArrayRef<int64_t> list);
/// A value that occurs twice in the lists together.
std::optional<int64_t> duplicateOf(llvm::ArrayRef<int64_t> a,
                                   llvm::ArrayRef<int64_t> b);
/// Not one size is dynamic, or one that has a bound.
mlir::LogicalResult checkStaticOrBounded(mlir::Operation *op, mlir::Type type);
mlir::LogicalResult checkReplicaGroups(mlir::Operation *op, bool sameSize,
                                       bool useGlobalIds,
                                       std::optional<int64_t> groupSize);

/// The results of a region's terminator; nothing where it has none.
std::optional<mlir::TypeRange> returnTypes(mlir::Region &region);
/// A region that reduces `inputs` from `inits`, as in reduce and similar ops;
/// `allowed`: dimensions that block arguments may have.
mlir::LogicalResult checkReducer(mlir::Operation *op, mlir::Region &region,
                                 llvm::ArrayRef<mlir::RankedTensorType> inputs,
                                 llvm::ArrayRef<mlir::RankedTensorType> inits,
                                 llvm::ArrayRef<int64_t> allowed);

/// One dimension of a window op.
struct WindowDim {
  int64_t size = 1, stride = 1, low = 0, high = 0, baseDilation = 1,
          windowDilation = 1;
};
/// Checks sizes and signs of the attributes of a window over `rank` dimensions.
mlir::FailureOr<llvm::SmallVector<WindowDim>>
checkWindow(mlir::Operation *op, llvm::ArrayRef<int64_t> window,
            llvm::ArrayRef<int64_t> strides, mlir::Attribute padding,
            llvm::ArrayRef<int64_t> baseDilations,
            llvm::ArrayRef<int64_t> windowDilations);
Integers windowedDims(llvm::ArrayRef<int64_t> base,
                      llvm::ArrayRef<WindowDim> window);

/// The constraints of an op by its name.
using OpCheck = mlir::LogicalResult (*)(mlir::Operation *);
OpCheck elementwiseCheck(llvm::StringRef name);
OpCheck movementCheck(llvm::StringRef name);
OpCheck indexingCheck(llvm::StringRef name);
OpCheck reductionCheck(llvm::StringRef name);
OpCheck controlCheck(llvm::StringRef name);
OpCheck contractionCheck(llvm::StringRef name);
OpCheck algebraCheck(llvm::StringRef name);
OpCheck distributionCheck(llvm::StringRef name);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_VERIFY_VERIFYCHECKS_H
