// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of an entry whose kernels run on a device: every place is a buffer
// handle and an offset there; arguments go up, results come down.

#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/program/HostEntry.h"

#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

Value *HostEntry::deviceBuffer(int32_t deviceClass, int64_t index,
                               Value *bytes) {
  Value *handle = call("zenith_device_buffer", pointerType,
                       {function->getArg(0), builder.getInt32(deviceClass),
                        builder.getInt64(index), bytes});
  failIfNull(handle);
  return handle;
}

void HostEntry::upload(int64_t index, Bytes to, Value *from, Value *bytes) {
  failUnlessOK(call("zenith_device_upload", i32,
                    {function->getArg(0), builder.getInt64(index), to.base,
                     to.offset, from, bytes}));
}

void HostEntry::download(int64_t index, Value *to, Bytes from, Value *bytes) {
  failUnlessOK(call("zenith_device_download", i32,
                    {function->getArg(0), builder.getInt64(index), to,
                     from.base, from.offset, bytes}));
}

void HostEntry::uploadArguments() {
  for (unsigned index = 0; index < frame->arguments.size(); ++index) {
    Value *data = frame->arguments[index].base;
    if (!data)
      continue;
    Value *bytes =
        sizes->evaluate(bytesOf(describe(program.getArguments(), index)));
    frame->arguments[index] = {
        deviceBuffer(ZENITH_DEVICE_ARGUMENT, index, bytes),
        builder.getInt64(0)};
    upload(index, frame->arguments[index], data, bytes);
  }
}

void HostEntry::launchOnDevice(host::LaunchOp op) {
  for (auto [index, place] :
       enumerate(op.getPointers().getAsRange<host::BufferAttr>())) {
    Bytes bytes = at(place);
    Value *reference =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame->pointers,
                                           index * sizeof(zenith_buffer_ref));
    builder.CreateStore(bytes.base, reference);
    builder.CreateStore(bytes.offset, builder.CreateConstInBoundsGEP1_64(
                                          builder.getInt8Ty(), reference,
                                          offsetof(zenith_buffer_ref, offset)));
  }
  StringRef kernel = op.getKernel().getLeafReference().getValue();
  failUnlessOK(
      call("zenith_device_launch", i32,
           {function->getArg(0), builder.getInt64(kernels.lookup(kernel)),
            frame->pointers, builder.getInt64(op.getPointers().size()),
            frame->sizeArray, builder.getInt64(op.getSizes().size()),
            sizes->evaluate(op.getTasksAttr())}));
}

/// A kernel that only the host can run: its operands come down, and what it
/// wrote goes up.
void HostEntry::launchWithCopies(host::LaunchOp op) {
  ArrayRef<int64_t> written = op.getWritten().value_or(ArrayRef<int64_t>());
  std::vector<std::pair<host::BufferAttr, Value *>> copies;
  std::vector<Value *> byteCounts;
  for (auto [index, attr] : enumerate(op.getPointers())) {
    auto place = mlir::cast<host::BufferAttr>(attr);
    Value *bytes = sizes->evaluate((*op.getPointerBytes())[index]);
    Value *data;
    if (place.getKind() == host::BufferKind::cell) {
      data = frame->cells[place.getIndex()];
    } else {
      data = call("zenith_alloc", pointerType, {function->getArg(0), bytes});
      failIfNull(data);
      // Also what is written: a kernel may leave a part as it was.
      download(-1, data, at(place), bytes);
    }
    copies.push_back({place, data});
    byteCounts.push_back(bytes);
    builder.CreateStore(data, builder.CreateConstInBoundsGEP1_64(
                                  pointerType, frame->pointers, index));
  }
  launchOnHost(op);
  for (auto [index, copy] : enumerate(copies)) {
    if (copy.first.getKind() == host::BufferKind::cell)
      continue;
    if (is_contained(written, int64_t(index)))
      upload(-1, at(copy.first), copy.second, byteCounts[index]);
    call("zenith_free", Type::getVoidTy(context),
         {function->getArg(0), copy.second});
  }
}

void HostEntry::downloadResults() {
  for (unsigned index = 0; index < frame->results.size(); ++index)
    download(index, frame->resultData[index], frame->results[index],
             sizes->evaluate(bytesOf(describe(program.getResults(), index))));
  // Also without results the launches' errors belong to this run.
  failUnlessOK(call("zenith_device_finish", i32, {function->getArg(0)}));
}

} // namespace zenith::pipeline
