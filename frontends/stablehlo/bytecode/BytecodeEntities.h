// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes and types of a portable artifact, read on demand: builtin ones
// unchanged, VHLO's as the builtin or StableHLO ones of the text form, Shardy's
// from their text.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODEENTITIES_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODEENTITIES_H

#include "frontends/stablehlo/bytecode/BytecodeContainer.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace zenith::stablehlo {

class BytecodeEntities {
public:
  BytecodeEntities(const BytecodeContainer &container,
                   mlir::MLIRContext *context, ArtifactStatus &status);

  /// Null after a failure.
  mlir::Attribute attribute(uint64_t index, const BytecodeCursor &from);
  mlir::Type type(uint64_t index, const BytecodeCursor &from);

  // The next reference, of a kind.
  mlir::Attribute readAttribute(BytecodeCursor &cursor);
  mlir::Type readType(BytecodeCursor &cursor);
  mlir::StringAttr readString(BytecodeCursor &cursor);
  mlir::LocationAttr readLocation(BytecodeCursor &cursor);
  llvm::StringRef readText(BytecodeCursor &cursor);
  llvm::SmallVector<mlir::Attribute> readAttributes(BytecodeCursor &cursor);
  llvm::SmallVector<mlir::Type> readTypes(BytecodeCursor &cursor);
  llvm::SmallVector<int64_t> readIntegers(BytecodeCursor &cursor);
  mlir::DictionaryAttr readDictionary(BytecodeCursor &cursor);
  /// An attribute of StableHLO or another dialect by its text.
  mlir::Attribute parse(const llvm::Twine &text);

  mlir::MLIRContext *context;

private:
  mlir::Attribute readBuiltinAttribute(BytecodeCursor &cursor);
  mlir::Attribute readBuiltinElements(uint64_t code, BytecodeCursor &cursor);
  mlir::Attribute readBuiltinLocation(uint64_t code, BytecodeCursor &cursor);
  mlir::Attribute readVHLOAttribute(BytecodeCursor &cursor);
  mlir::Attribute readVHLOStructure(uint64_t code, BytecodeCursor &cursor);
  mlir::Attribute readVHLOEnum(uint64_t code, BytecodeCursor &cursor);
  mlir::Attribute readMeshAxes(uint64_t code, BytecodeCursor &cursor);
  mlir::Attribute readResultAccuracy(BytecodeCursor &cursor);
  mlir::Attribute readShardyAttribute(BytecodeCursor &cursor);
  std::string shardyText(mlir::Attribute attribute);
  mlir::Type readBuiltinType(BytecodeCursor &cursor);
  mlir::Type readVHLOType(BytecodeCursor &cursor);
  mlir::Type readVHLOComposed(uint64_t code, BytecodeCursor &cursor);
  mlir::Type readQuantized(bool perAxis, BytecodeCursor &cursor);
  mlir::Type readTensor(bool encoded, BytecodeCursor &cursor);
  mlir::Type readComplex(BytecodeCursor &cursor);
  mlir::Attribute readNumber(bool isFloat, BytecodeCursor &cursor);
  mlir::Attribute readElements(BytecodeCursor &cursor);
  double readDouble(BytecodeCursor &cursor);

  /// A cell that is being read again means a cycle. The depth is bounded, and
  /// so is the count of parts if shared parts count each time: printing expands
  /// them.
  template <typename T> struct Cell {
    T value;
    uint64_t parts = 0;
    bool reading = false, done = false;
  };
  template <typename T, typename Read>
  T resolve(std::vector<Cell<T>> &cells,
            const std::vector<BytecodeEntry> &entries, uint64_t index,
            const BytecodeCursor &from, const char *what, Read read);

  const BytecodeContainer &container;
  ArtifactStatus &status;
  std::vector<Cell<mlir::Attribute>> attributes;
  std::vector<Cell<mlir::Type>> types;
  unsigned depth = 0;
  uint64_t parts = 0; ///< characters of the cell that is being read, so far
};

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_BYTECODEENTITIES_H
