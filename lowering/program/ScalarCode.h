// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for scalars of the host: arithmetic as the interpreter defines it, loads
// and stores. A scalar is kept in 64 bits, extended by its type.

#ifndef ZENITH_LOWERING_PROGRAM_SCALARCODE_H
#define ZENITH_LOWERING_PROGRAM_SCALARCODE_H

#include "lowering/program/BufferCode.h"

namespace zenith::pipeline {

class ScalarCode : HostCode {
public:
  ScalarCode(HostFunction &code, BufferCode &buffers)
      : HostCode(code), buffers(buffers) {}

  void evaluate(host::EvalOp op);
  void write(host::ScalarOp op);
  void fetch(host::FetchOp op);

private:
  llvm::Value *arithmetic(llvm::StringRef opcode,
                          llvm::ArrayRef<llvm::Value *> x, mlir::Type from,
                          mlir::Type type);
  llvm::Value *quotient(llvm::StringRef opcode, llvm::Value *x, llvm::Value *y,
                        bool isUnsigned);
  llvm::Value *wrapped(llvm::Value *scalar, mlir::Type type);

  BufferCode &buffers;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_SCALARCODE_H
