// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's operators on quantized values, as calls of functions that compute what
// they mean and that exporters write as the operator.

#ifndef ZENITH_PASSES_QUANTIZE_QUANTIZEDOPERATORS_H
#define ZENITH_PASSES_QUANTIZE_QUANTIZEDOPERATORS_H

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include <map>

namespace zenith::quantize {

class QuantizedOperators {
public:
  QuantizedOperators(mlir::SymbolTable &symbols, mlir::OpBuilder &builder)
      : loc(builder.getUnknownLoc()), symbols(symbols), b(builder) {}

  mlir::Location loc; ///< of what is made

  /// Codes of an f32 value: its quotient by a scalar scale, rounded to the
  /// nearest integer, plus the scalar `zero`, whose type (ui8 or i8) the codes
  /// have and are clamped to.
  mlir::Value quantizeLinear(mlir::Value x, mlir::Value scale,
                             mlir::Value zero);
  /// (codes - zero) * scale in f32, with one scale or, along `axis`, one for
  /// each entry. Zero may be null.
  mlir::Value dequantizeLinear(mlir::Value codes, mlir::Value scale,
                               mlir::Value zero, int64_t axis = 0);
  /// The same for matrices whose scales and zero points stand for `block` rows.
  mlir::Value dequantizeBlocks(mlir::Value codes, mlir::Value scale,
                               mlir::Value zero, int64_t block);

  struct Dynamic {
    mlir::Value codes, scale, zero;
  };
  /// ui8 codes by the range of the value itself.
  Dynamic dynamicQuantizeLinear(mlir::Value x);
  /// The same with a scale and a zero point for each entry of the dimensions
  /// before `rows`, of ops that no ONNX operator is.
  Dynamic quantizeRows(mlir::Value x, int64_t rows);
  /// The sums, in i32, of codes of quantizeRows times i8 weights, in place of
  /// `product`.
  mlir::Value multiplyRows(mlir::Operation *product, const Dynamic &activation,
                           mlir::Value weights, int64_t rows);
  /// The sums, in i32, of ui8 codes less their zero point times i8 weights, in
  /// place of `product`: a dot_general with weights [K, N], or a convolution
  /// with channels first.
  mlir::Value multiplyIntegers(mlir::Operation *product, mlir::Value codes,
                               mlir::Value weights, mlir::Value zero);

  /// Sizes of weights in blocks; see MatMulNBits (com.microsoft).
  struct Blocks {
    int64_t k, n, bits, block;
    int64_t count() const { return (k + block - 1) / block; }
  };
  /// x [..., K] times weights of packed codes [N, blocks, bytes]; scales
  /// [N, blocks]; packed zero points [N, bytes] or null.
  mlir::Value matMulNBits(mlir::Value x, mlir::Value bytes, mlir::Value scales,
                          mlir::Value zeros, const Blocks &blocks);

private:
  struct Operator {
    llvm::StringRef op, domain;
    mlir::DictionaryAttr attributes;
  };
  using Body =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> call(const Operator &operation,
                                      mlir::ValueRange operands,
                                      mlir::TypeRange results, Body body);
  mlir::DictionaryAttr
  attributes(llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> integers);

  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    return b.create<Op>(loc, x.getType(), x, y);
  }
  mlir::Value spread(mlir::Value scalar, mlir::Value like,
                     llvm::ArrayRef<int64_t> mapping = {});
  Dynamic quantizeByRange(mlir::Value x, int64_t rows);
  mlir::Value integerProduct(mlir::Operation *product, mlir::Value codes,
                             mlir::Value weights);
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value rounded(mlir::Value scaled, mlir::Value zero,
                      mlir::IntegerType element,
                      llvm::ArrayRef<int64_t> mapping = {});
  mlir::Value minusZero(mlir::Value codes, mlir::Value zero);
  mlir::Value repeated(mlir::Value entries, int64_t dim, int64_t block,
                       int64_t size);
  mlir::Value unpacked(mlir::Value bytes, int64_t bits, int64_t columns);
  mlir::Value blockWeights(mlir::ValueRange operands, const Blocks &blocks);

  mlir::SymbolTable &symbols;
  mlir::OpBuilder &b;
  std::map<std::string, mlir::func::FuncOp> functions; ///< by what they are
};

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_QUANTIZEDOPERATORS_H
