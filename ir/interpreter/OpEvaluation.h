// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of an evaluator: one op, the values of its operands and the
// limits; and how it reports errors and makes results.

#ifndef ZENITH_IR_INTERPRETER_OPEVALUATION_H
#define ZENITH_IR_INTERPRETER_OPEVALUATION_H

#include "ir/LLVMError.h"
#include "ir/tensor/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include <vector>

namespace zenith::interpreter {

using Shape = llvm::SmallVector<int64_t>;
using Results = std::vector<Tensor>;

/// The services that a run offers to an op with regions.
class RegionRunner {
public:
  virtual ~RegionRunner() = default;
  /// The values that the region yields.
  virtual llvm::Expected<Results> run(mlir::Region &region,
                                      Results arguments) = 0;
  /// A captured value of the op's regions; empty if the run has none.
  virtual Tensor captured(mlir::Value value) = 0;
  /// The function of this name, or null.
  virtual mlir::Operation *function(llvm::StringRef name) = 0;
  /// Steps that one loop may take.
  virtual int64_t maxLoopSteps() const = 0;
};

struct OpEvaluation {
  mlir::Operation *op;
  llvm::ArrayRef<Tensor> operands;
  int64_t maxTensorBytes;
  RegionRunner *regions = nullptr;
  /// The operands again, if the evaluator may move from them.
  llvm::MutableArrayRef<Tensor> owned = {};

  const Tensor &operand(unsigned index) const { return operands[index]; }
  /// The operand, which no one reads through `operand` afterwards: its bytes
  /// can be written in place if this was their last use.
  Tensor take(unsigned index) const {
    return owned.empty() ? operands[index] : std::move(owned[index]);
  }
  mlir::RankedTensorType resultType(unsigned index = 0) const {
    return llvm::cast<mlir::RankedTensorType>(op->getResult(index).getType());
  }
  mlir::Type resultElement() const { return resultType().getElementType(); }

  llvm::Error fail(const llvm::Twine &message,
                   ErrorCode code = ErrorCode::Run) const;
  /// A zero-filled value for result `index`; an error where the shape
  /// contradicts the result type or exceeds the limit.
  llvm::Expected<Tensor> allocate(llvm::ArrayRef<int64_t> shape,
                                  unsigned index = 0) const;
  /// A zero-filled intermediate value.
  llvm::Expected<Tensor> temporary(llvm::ArrayRef<int64_t> shape,
                                   mlir::Type element) const;
  /// The shape of result 0, whose dynamic dimensions are given by the operands
  /// from `first` on.
  llvm::Expected<Shape> shapeFromOperands(unsigned first) const;
  llvm::Error checkShape(llvm::ArrayRef<int64_t> shape,
                         unsigned index = 0) const;
};

/// Elements as integers; unsigned ones beyond int64_t become its largest value.
llvm::SmallVector<int64_t> integersOf(const Tensor &tensor);
/// The integer that a rank-0 tensor holds.
int64_t integerOf(const Tensor &scalar);

template <typename T> llvm::ArrayRef<T> elementsOf(const Tensor &tensor) {
  return llvm::ArrayRef<T>(reinterpret_cast<const T *>(tensor.bytes()),
                           static_cast<size_t>(tensor.size()));
}
template <typename T>
llvm::MutableArrayRef<T> writableElements(Tensor &tensor) {
  return llvm::MutableArrayRef<T>(reinterpret_cast<T *>(tensor.writable()),
                                  static_cast<size_t>(tensor.size()));
}

// One entry per family; each handles all ops of its file in ir/ops.
llvm::Expected<Tensor> evaluateElementwise(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateMovement(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateContraction(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateLinearAlgebra(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateReduction(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateIndexing(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateComposite(const OpEvaluation &e);
llvm::Expected<Results> evaluateOrdering(const OpEvaluation &e);
llvm::Expected<Results> evaluateSearch(const OpEvaluation &e);
llvm::Expected<Results> evaluateRandom(const OpEvaluation &e);
llvm::Expected<Results> evaluateControl(const OpEvaluation &e);
/// Parts of families whose ops have regions or several results.
llvm::Expected<Results> evaluateScatter(const OpEvaluation &e);
llvm::Expected<Results> evaluateReduceWithRegion(const OpEvaluation &e);

/// The same elements as f32, for types that compute in f32; other values
/// unchanged.
Tensor widened(const Tensor &tensor);
/// Rounds f32 elements to `element`, nearest and ties to even.
Tensor narrowed(const Tensor &tensor, mlir::Type element);
/// f16, bf16 and the f8 kinds.
bool isSmallFloat(mlir::Type element);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_OPEVALUATION_H
