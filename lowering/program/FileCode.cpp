// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the runtime's file.

#include "lowering/program/FileCode.h"

using namespace llvm;

namespace zenith::pipeline {

static mlir::IntegerAttr fileBytesOf(host::ProgramOp program) {
  return program->getAttrOfType<mlir::IntegerAttr>(host::fileBytesAttrName);
}

void FileCode::begin() {
  mlir::IntegerAttr bytes = fileBytesOf(code.program);
  if (!bytes)
    return;
  int64_t transfers =
      count_if(code.program.getOps<host::CopyOp>(), [](host::CopyOp copy) {
        return bool(host::bytesOfTransfer(copy));
      });
  code.failUnlessOK(code.call("zenith_file_begin", i32,
                              {code.run(), builder.getInt64(bytes.getInt()),
                               builder.getInt64(transfers)}));
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
}

void FileCode::await(host::AwaitOp op) {
  code.failUnlessOK(code.call("zenith_file_await", i32,
                              {code.run(), builder.getInt64(op.getCopies())}));
}

void FileCode::end() {
  if (fileBytesOf(code.program))
    code.call("zenith_file_end", Type::getVoidTy(context), {code.run()});
}

} // namespace zenith::pipeline
