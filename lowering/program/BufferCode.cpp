// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers as pointers, or on a device as handles and offsets.

#include "lowering/program/BufferCode.h"

#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

Bytes BufferCode::shifted(Bytes bytes, Value *offset) {
  if (code.deviceKernels)
    return {bytes.base, builder.CreateAdd(bytes.offset, offset)};
  return {builder.CreateGEP(builder.getInt8Ty(), bytes.base, offset), nullptr};
}

Bytes BufferCode::at(host::BufferAttr buffer) {
  int64_t index = buffer.getIndex();
  Value *none = code.deviceKernels ? builder.getInt64(0) : nullptr;
  switch (buffer.getKind()) {
  case host::BufferKind::argument:
    return code.frame->arguments[index];
  case host::BufferKind::result:
    return code.frame->results[index];
  case host::BufferKind::constant:
    return code.frame->constants[index];
  case host::BufferKind::param:
    return {code.parameter(index), none};
  case host::BufferKind::derived:
    return shifted({code.parameter(parameterCount), none},
                   sizes.evaluate(buffer.getOffset()));
  case host::BufferKind::arena:
    return shifted(code.frame->arena, sizes.evaluate(buffer.getOffset()));
  case host::BufferKind::slot:
    return code.frame->slots[index];
  case host::BufferKind::cell:
    return code.deviceKernels ? code.frame->deviceCells[index]
                              : Bytes{code.frame->cells[index], nullptr};
  case host::BufferKind::shared:
    return code.shared[index].bytes;
  case host::BufferKind::file:
    break; // no memory
  }
  return {};
}

Bytes BufferCode::allocate(Value *bytes) {
  Value *data =
      code.call(code.deviceKernels ? "zenith_device_take" : "zenith_alloc",
                pointerType, {code.run(), bytes});
  code.failIfNull(data);
  return {data, code.deviceKernels ? builder.getInt64(0) : nullptr};
}

Bytes BufferCode::extend(Bytes buffer, Value *bytes) {
  Value *data =
      code.call("zenith_extend", pointerType, {code.run(), buffer.base, bytes});
  code.failIfNull(data);
  return {data, nullptr};
}

void BufferCode::deallocate(Value *owner) {
  code.call(code.deviceKernels ? "zenith_device_drop" : "zenith_free",
            Type::getVoidTy(context), {code.run(), owner});
}

void BufferCode::copy(Bytes to, Bytes from, Value *bytes) {
  if (code.deviceKernels)
    return code.failUnlessOK(code.call(
        "zenith_device_copy", i32,
        {code.run(), to.base, to.offset, from.base, from.offset, bytes}));
  // A donated argument may be where its result goes.
  builder.CreateMemMove(to.base, Align(1), from.base, Align(1), bytes);
}

Bytes BufferCode::deviceBuffer(int32_t deviceClass, int64_t index,
                               Value *bytes) {
  Value *handle = code.call("zenith_device_buffer", pointerType,
                            {code.run(), builder.getInt32(deviceClass),
                             builder.getInt64(index), bytes});
  code.failIfNull(handle);
  return {handle, builder.getInt64(0)};
}

void BufferCode::upload(int64_t index, Bytes to, Value *from, Value *bytes) {
  code.failUnlessOK(code.call(
      "zenith_device_upload", i32,
      {code.run(), builder.getInt64(index), to.base, to.offset, from, bytes}));
}

void BufferCode::download(int64_t index, Value *to, Bytes from, Value *bytes) {
  code.failUnlessOK(code.call("zenith_device_download", i32,
                              {code.run(), builder.getInt64(index), to,
                               from.base, from.offset, bytes}));
}

} // namespace zenith::pipeline
