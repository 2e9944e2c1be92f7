// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op that an import rule works on: its operands as GraphIR values, its
// attributes, its results and errors.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_OPREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_OPREADING_H

#include "frontends/stablehlo/builder/HLOBuilder.h"
#include "frontends/stablehlo/import/ProgramReading.h"

namespace zenith::stablehlo {

class OpReading : public HLOBuilder {
public:
  OpReading(ProgramReading &program, mlir::Operation *op)
      : HLOBuilder(program.builder, op->getLoc()), program(program), op(op) {}
  ProgramReading &program;
  mlir::Operation *op;

  //===-- operands and results --------------------------------------------===//
  unsigned inputs() const { return op->getNumOperands(); }
  Value in(unsigned index = 0);
  Values ins(unsigned first, unsigned count);
  /// All operands, with tuples flattened.
  Values flatInputs();
  /// GraphIR type of a tensor result.
  RankedTensorType type(unsigned result = 0);
  /// Dynamic dimensions of a result, read from a value of its shape.
  void out(Value value) { out(Values{value}); }
  void out(ValueRange list);
  /// Results of any type from their flattened parts.
  void outFlat(ValueRange parts);

  //===-- attributes ------------------------------------------------------===//
  /// A list of integers, also in the older dense form; `fallback` repeated
  /// `count` times if it is absent.
  llvm::SmallVector<int64_t> list(llvm::StringRef name, size_t count = 0,
                                  int64_t fallback = 0);
  int64_t intAttribute(llvm::StringRef name, int64_t fallback = 0);
  bool flag(llvm::StringRef name, bool fallback = false);
  template <typename Attr> Attr attr(llvm::StringRef name) {
    auto value = op->getAttrOfType<Attr>(name);
    if (!value)
      invalid("lacks attribute '" + name + "'");
    return value;
  }

  //===-- errors ----------------------------------------------------------===//
  void unsupported(const llvm::Twine &what);
  void invalid(const llvm::Twine &what);
  bool failed() const { return program.failed(); }
};

/// GSPMD's calls, by name.
void importShardingCall(OpReading &x);
void importShardShapeCall(OpReading &x);
/// Gives the results of an op that has been imported the shardings and names
/// that the source states; `before` is the last op of the block before it.
void annotateResults(OpReading &x, mlir::Operation *before);

/// The op of a region that joins its two scalars, if the region has no other
/// op.
std::optional<llvm::StringRef> joiningOp(mlir::Region &region);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_OPREADING_H
