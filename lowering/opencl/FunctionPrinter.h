// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints one kernel function: names for values, a statement per op. Vectors
// are printed in chunks of at most 16 lanes, since OpenCL C has none wider.

#ifndef ZENITH_LOWERING_OPENCL_FUNCTIONPRINTER_H
#define ZENITH_LOWERING_OPENCL_FUNCTIONPRINTER_H

#include "lowering/opencl/PrintedTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace zenith::opencl {

class PrintedFunctions;
struct PrintOptions;

/// The C names of a value: one per chunk.
using Names = llvm::SmallVector<std::string, 1>;

/// A lane of a value.
struct LaneOf {
  mlir::Value value;
  unsigned lane;
};

class FunctionPrinter {
public:
  /// Gives the C name of a private function for arguments in these spaces, and
  /// prints it where that has not happened yet. Empty after an error.
  using Callee =
      std::function<std::string(mlir::func::CallOp, llvm::ArrayRef<Space>)>;

  FunctionPrinter(PrintedFunctions &shared, const PrintOptions &options,
                  Callee callee)
      : shared(shared), options(options), callee(std::move(callee)) {}

  /// `static inline ... name(...) {...}`; memref arguments in `spaces`.
  llvm::LogicalResult print(mlir::func::FuncOp function, llvm::StringRef name,
                            llvm::ArrayRef<Space> spaces);

  std::string takeText() { return std::move(text); }
  /// After a failure: what and why; unsupported() tells whether it is a
  /// limit of the printer or of the device.
  const std::string &error() const { return message; }

private:
  llvm::LogicalResult printBlock(mlir::Block &block);
  llvm::LogicalResult printOp(mlir::Operation *op);

  // One file each; false = not of this family.
  bool printControl(mlir::Operation *op);
  bool printArithmetic(mlir::Operation *op);
  bool printConversion(mlir::Operation *op);
  bool printMemory(mlir::Operation *op);
  bool printVector(mlir::Operation *op);

  void printFor(mlir::Operation *op);
  void printIf(mlir::Operation *op);
  void printWhile(mlir::Operation *op);
  void printCall(mlir::Operation *op);
  void printConstant(mlir::Operation *op);
  void printCompare(mlir::Operation *op);
  void printSelect(mlir::Operation *op);
  void printWideMultiply(mlir::Operation *op);
  void printBitcast(mlir::Operation *op);
  void printReduction(mlir::Operation *op);
  void printMaskedAccess(mlir::Operation *op);
  void printDynamicLane(mlir::Operation *op);

  // ---- Text ----
  void line(const llvm::Twine &statement);
  void open(const llvm::Twine &head);
  void close(const llvm::Twine &tail = "}");
  std::string freshName();

  // ---- Values ----
  /// Name (or literal) of a chunk.
  const std::string &use(mlir::Value value, unsigned chunk = 0);
  Names &define(mlir::Value value);
  /// Declares the chunks of `value` with `expression(chunk, lanes)`.
  using Expression = std::function<std::string(unsigned chunk, unsigned lanes)>;
  void defineEach(mlir::Value value, const Expression &expression);
  /// Declares variables of the value's type without contents.
  Names declare(mlir::Value value);
  /// Assigns several values at once: none is overwritten before it is read.
  void assign(llvm::ArrayRef<Names> to, mlir::ValueRange from);
  /// One lane as a scalar.
  std::string lane(mlir::Value value, unsigned index);
  /// Declares a value by its lanes.
  void defineLanes(mlir::Value value, llvm::ArrayRef<LaneOf> lanes);
  /// Lane condition `expression` on operands of `element` as a mask (int).
  std::string asMask(const std::string &expression, mlir::Type element,
                     unsigned lanes);
  /// `condition ? yes : no` per lane.
  std::string choose(const std::string &condition, const std::string &yes,
                     const std::string &no, mlir::Type element, unsigned lanes);
  std::string combine(llvm::StringRef kind, mlir::Type element,
                      const std::string &x, const std::string &y,
                      unsigned lanes);

  // ---- Memory ----
  Space spaceOf(mlir::Value memref);
  /// `pointer + index` of an access.
  std::string address(mlir::Value memref, mlir::ValueRange indices);

  void unsupported(mlir::Operation *op, const llvm::Twine &why);

  PrintedFunctions &shared;
  const PrintOptions &options;
  Callee callee;
  std::string text;
  std::string message;
  unsigned depth = 0;
  unsigned names = 0;
  llvm::DenseMap<mlir::Value, Names> named;
  llvm::DenseMap<mlir::Value, Space> spaces;
  llvm::DenseMap<mlir::Value, mlir::Value> maskCounts; ///< of create_mask
};

} // namespace zenith::opencl

#endif // ZENITH_LOWERING_OPENCL_FUNCTIONPRINTER_H
