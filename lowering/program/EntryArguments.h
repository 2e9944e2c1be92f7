// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for the arguments of an entry: checks their types, solves for the named
// dimensions, finds their bytes.

#ifndef ZENITH_LOWERING_PROGRAM_ENTRYARGUMENTS_H
#define ZENITH_LOWERING_PROGRAM_ENTRYARGUMENTS_H

#include "lowering/program/BufferCode.h"
#include "llvm/Support/Error.h"

namespace zenith::pipeline {

class EntryArguments : HostCode {
public:
  EntryArguments(HostFunction &code, BufferCode &buffers)
      : HostCode(code), buffers(buffers) {}

  void check();
  /// Binds the symbols of dimensions and scalars. Fails where the arguments do
  /// not determine a dimension.
  llvm::Error bindSymbols();
  void load();
  void upload();

private:
  llvm::Value *dimension(unsigned argument, unsigned axis);
  void bindScalars();
  bool solveDimension(const graph::DimExpr &expr, llvm::Value *actual);
  void checkDimension(unsigned argument, unsigned axis,
                      const graph::DimExpr &expr);

  BufferCode &buffers;
};

/// Bytes of an argument or result.
graph::DimExpr bytesOf(host::ValueAttr value);

/// A scalar as host code keeps it: 64 bits, extended by its type.
llvm::Value *extended(llvm::IRBuilder<> &builder, llvm::Value *scalar,
                      mlir::Type type);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_ENTRYARGUMENTS_H
