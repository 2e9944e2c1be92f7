// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of an entry whose kernels run on a device: every place is a buffer
// handle and an offset there; arguments go up, results come down.

#include "lowering/pipeline/HostEntry.h"

#include "ir/interpreter/Tensor.h"
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

void HostEntry::upload(int64_t index, DeviceBytes to, Value *from,
                       Value *bytes) {
  failUnlessOK(call("zenith_device_upload", i32,
                    {function->getArg(0), builder.getInt64(index), to.handle,
                     to.offset, from, bytes}));
}

void HostEntry::takeDeviceBuffers() {
  Value *start = builder.getInt64(0);
  argumentHandles.resize(argumentData.size());
  for (unsigned index = 0; index < argumentData.size(); ++index) {
    if (!argumentData[index])
      continue;
    Value *bytes =
        sizes->evaluate(bytesOf(describe(program.getArguments(), index)));
    argumentHandles[index] = deviceBuffer(ZENITH_DEVICE_ARGUMENT, index, bytes);
    upload(index, {argumentHandles[index], start}, argumentData[index], bytes);
  }
  for (unsigned index = 0; index < resultData.size(); ++index)
    resultHandles.push_back(deviceBuffer(
        ZENITH_DEVICE_RESULT, index,
        sizes->evaluate(bytesOf(describe(program.getResults(), index)))));
  for (auto [index, global] : enumerate(constants)) {
    Value *bytes =
        builder.getInt64(global->getValueType()->getArrayNumElements());
    constantHandles.push_back(deviceBuffer(ZENITH_DEVICE_POOL, index, bytes));
    upload(-1, {constantHandles.back(), start}, global, bytes);
  }
}

HostEntry::DeviceBytes HostEntry::onDevice(host::PlaceAttr place) {
  int64_t index = place.getIndex();
  Value *start = builder.getInt64(0);
  auto parameter = [&](int64_t number) {
    return field(function->getArg(5), number * sizeof(void *), pointerType);
  };
  switch (place.getKind()) {
  case host::PlaceKind::argument:
    return {argumentHandles[index], start};
  case host::PlaceKind::result:
    return {resultHandles[index], start};
  case host::PlaceKind::constant:
    return {constantHandles[index], start};
  case host::PlaceKind::param:
    return {parameter(index), start};
  case host::PlaceKind::derived:
    return {parameter(kept.size()), sizes->evaluate(place.getOffset())};
  case host::PlaceKind::arena:
    return {arena, sizes->evaluate(place.getOffset())};
  }
  return {};
}

void HostEntry::launchOnDevice(host::LaunchOp op) {
  for (auto [index, place] :
       enumerate(op.getPointers().getAsRange<host::PlaceAttr>())) {
    DeviceBytes bytes = onDevice(place);
    Value *reference = builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(), pointers, index * sizeof(zenith_buffer_ref));
    builder.CreateStore(bytes.handle, reference);
    builder.CreateStore(bytes.offset, builder.CreateConstInBoundsGEP1_64(
                                          builder.getInt8Ty(), reference,
                                          offsetof(zenith_buffer_ref, offset)));
  }
  for (auto [index, size] :
       enumerate(op.getSizes().getAsRange<mlir::StringAttr>()))
    builder.CreateStore(
        sizes->evaluate(size.getValue()),
        builder.CreateConstInBoundsGEP1_64(i64, sizeArray, index));
  StringRef kernel = op.getKernel().getLeafReference().getValue();
  failUnlessOK(
      call("zenith_device_launch", i32,
           {function->getArg(0), builder.getInt64(kernels.lookup(kernel)),
            pointers, builder.getInt64(op.getPointers().size()), sizeArray,
            builder.getInt64(op.getSizes().size()),
            sizes->evaluate(op.getTasks())}));
}

void HostEntry::copyOnDevice(host::CopyOp op) {
  DeviceBytes to = onDevice(op.getTarget()), from = onDevice(op.getSource());
  failUnlessOK(call("zenith_device_copy", i32,
                    {function->getArg(0), to.handle, to.offset, from.handle,
                     from.offset, sizes->evaluate(op.getBytes())}));
}

void HostEntry::writeScalarOnDevice(host::ScalarOp op) {
  AllocaInst *number = room(i64, 1, "scalar");
  builder.CreateStore(sizes->evaluate(op.getValue()), number);
  upload(-1, onDevice(op.getTarget()), number,
         builder.getInt64(sizeof(int64_t)));
}

void HostEntry::downloadResults() {
  for (unsigned index = 0; index < resultData.size(); ++index)
    failUnlessOK(call(
        "zenith_device_download", i32,
        {function->getArg(0), builder.getInt64(index), resultData[index],
         resultHandles[index], builder.getInt64(0),
         sizes->evaluate(bytesOf(describe(program.getResults(), index)))}));
  // Also without results the launches' errors belong to this run.
  failUnlessOK(call("zenith_device_finish", i32, {function->getArg(0)}));
}

} // namespace zenith::pipeline
