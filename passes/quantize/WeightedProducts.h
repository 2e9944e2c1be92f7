// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions with weights, and the values of these.

#ifndef ZENITH_PASSES_QUANTIZE_WEIGHTEDPRODUCTS_H
#define ZENITH_PASSES_QUANTIZE_WEIGHTEDPRODUCTS_H

#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/quantize/ScaledIntegers.h"

namespace zenith::quantize {

using LoadParam = decltype(interpreter::Options::loadParam);

/// The values of parameters that passes compute with and write back.
class ParameterValues {
public:
  ParameterValues(mlir::ModuleOp module, mlir::SymbolTable &symbols,
                  LoadParam load)
      : module(module), symbols(symbols), load(std::move(load)) {}

  /// Values that depend on parameters and constants alone.
  llvm::Expected<std::vector<Tensor>>
  evaluate(llvm::ArrayRef<mlir::Value> values);
  /// A new parameter with these elements, called after `name`, read at the
  /// builder's place.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                     const Tensor &value, llvm::StringRef name);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable &symbols;
  LoadParam load;
};

/// A dot_general or convolution in f32 of a value that depends on arguments
/// with weights that do not.
struct WeightedProduct {
  mlir::Operation *op = nullptr;
  std::string name;        ///< that the source gave the op
  std::string weightsName; ///< of the parameter, else the op's
  WeightDims dims;
  Tensor weights; ///< f32, in the shape that the op reads
  /// The dimension of the left operand that is summed over, or has the input
  /// features, and its size.
  int64_t inputDim = 0, inputs = 0;
  int64_t outputs = 0;
  int64_t groups = 1;

  mlir::Value activation() const { return op->getOperand(0); }
  /// Calls fn(weight, output, input) for each element, in row-major order.
  void forEachWeight(
      llvm::function_ref<void(float &, int64_t output, int64_t input)> fn);
  /// weights[k][output] as the sum runs; only of a matmul.
  std::vector<float> asColumns();
  bool isMatmul() const { return mlir::isa<graph::DotGeneralOp>(op); }
};

/// The products of a function, in its order; regions are left out.
llvm::Expected<std::vector<WeightedProduct>>
weightedProductsOf(mlir::func::FuncOp function, ParameterValues &parameters);

/// The products by weights in loops and branches of `function`, in program
/// order, without the weights' values.
std::vector<WeightedProduct> nestedProductsOf(mlir::func::FuncOp function);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_WEIGHTEDPRODUCTS_H
