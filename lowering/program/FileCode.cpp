// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the runtime's file.

#include "lowering/program/FileCode.h"

using namespace llvm;

namespace zenith::pipeline {

static mlir::IntegerAttr fileBytesOf(host::ProgramOp program) {
  return program->getAttrOfType<mlir::IntegerAttr>(host::fileBytesAttrName);
}

/// Transfers of a program and of those that its steps run, each once: a program
/// waits for its own before it runs again.
int64_t FileCode::transfersOf(host::ProgramOp program) {
  int64_t count = 0;
  for (mlir::Operation &step : program.getBody().front()) {
    if (auto copy = mlir::dyn_cast<host::CopyOp>(step))
      count += bool(host::bytesOfTransfer(copy));
    if (mlir::isa<host::IfOp, host::WhileOp>(step))
      step.getAttrDictionary().walk([&](mlir::FlatSymbolRefAttr name) {
        count += transfersOf(code.programOf(name));
      });
  }
  return count;
}

void FileCode::begin() {
  mlir::IntegerAttr bytes = fileBytesOf(code.program);
  if (!bytes)
    return;
  started = code.stackArray(i64, 1, "transfers");
  builder.CreateStore(builder.getInt64(0), started);
  code.failUnlessOK(code.call("zenith_file_begin", i32,
                              {code.run(), builder.getInt64(bytes.getInt()),
                               builder.getInt64(transfersOf(code.program))}));
  code.callWhereFailed("zenith_file_end");
}

void FileCode::start(host::CopyOp copy) {
  bool isRead = copy.getSource().getKind() == host::BufferKind::file;
  host::BufferAttr file = isRead ? copy.getSource() : copy.getTarget();
  code.call(isRead ? "zenith_file_read" : "zenith_file_write",
            Type::getVoidTy(context),
            {code.run(), buffers.at(host::bytesOfTransfer(copy)).base,
             sizes.evaluate(file.getOffset()),
             sizes.evaluate(copy.getBytesAttr())});
  Value *count =
      builder.CreateAdd(builder.CreateLoad(i64, started), builder.getInt64(1));
  builder.CreateStore(count, started);
  code.frame->transfers.push_back(count);
}

void FileCode::await(host::AwaitOp op) {
  code.failUnlessOK(
      code.call("zenith_file_await", i32,
                {code.run(), code.frame->transfers[op.getCopies() - 1]}));
}

void FileCode::end() {
  if (fileBytesOf(code.program))
    code.call("zenith_file_end", Type::getVoidTy(context), {code.run()});
}

} // namespace zenith::pipeline
