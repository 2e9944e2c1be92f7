// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates results as soon as their sizes are known.

#include "lowering/program/EntryResults.h"

#include "lowering/elements/ElementCodes.h"
#include "lowering/program/EntryArguments.h"
#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimExpr;
using kernels::elementCode;

/// What calls take that prepare a result, before its bytes.
SmallVector<Value *> EntryResults::describe(unsigned index) {
  host::ValueAttr value = valueAt(code.program.getResults(), index);
  AllocaInst *extents = code.stackArray(i64, value.getDims().size(), "extents");
  for (auto [axis, size] : enumerate(value.getDims())) {
    DimExpr expr = graph::exprOf(size);
    // Extents that are not known yet follow with yield.
    builder.CreateStore(sizes.canEvaluate(expr) ? sizes.evaluate(expr)
                                                : builder.getInt64(0),
                        builder.CreateConstInBoundsGEP1_64(i64, extents, axis));
  }
  return {code.run(),
          builder.getInt64(index),
          code.result(index),
          builder.getInt32(elementCode(value.getType().getElementType())),
          builder.getInt64(value.getDims().size()),
          extents};
}

/// `from`: an argument, or a buffer, that the result may lie in.
void EntryResults::prepare(StringRef call, unsigned index, Value *from,
                           Value *bytes) {
  SmallVector<Value *> arguments = describe(index);
  arguments.push_back(bytes);
  if (from)
    arguments.insert(arguments.begin() + 3, from);
  Value *data = code.call(call, pointerType, arguments);
  code.failIfNull(data);
  code.frame->resultData[index] = data;
  code.frame->results[index] = {data, nullptr};
}

void EntryResults::allocate(unsigned index, Value *bytes) {
  Value *donated = nullptr;
  if (std::optional<ArrayRef<int64_t>> pairs = code.program.getDonations())
    for (unsigned i = 0; i + 1 < pairs->size() && !donated; i += 2)
      if ((*pairs)[i] == index)
        donated = code.argument((*pairs)[i + 1]);
  prepare(donated ? "zenith_result_donated" : "zenith_result", index, donated,
          bytes);
  if (code.deviceKernels)
    code.frame->results[index] =
        buffers.deviceBuffer(ZENITH_DEVICE_RESULT, index, bytes);
}

void EntryResults::takePooled(unsigned index, Value *data, Value *bytes) {
  prepare("zenith_result_pooled", index, data, bytes);
}

void EntryResults::allocateKnown() {
  code.frame->results.resize(code.program.getResults().size());
  code.frame->resultData.resize(code.program.getResults().size());
  for (unsigned index = 0; index < code.program.getResults().size(); ++index)
    if (DimExpr bytes = bytesOf(valueAt(code.program.getResults(), index));
        sizes.canEvaluate(bytes))
      allocate(index, sizes.evaluate(bytes));
}

void EntryResults::setExtents(unsigned index) {
  const Extents &extents = code.frame->yielded[index].extents;
  AllocaInst *array = code.stackArray(i64, extents.size(), "extents");
  for (auto [axis, size] : enumerate(extents))
    builder.CreateStore(size,
                        builder.CreateConstInBoundsGEP1_64(i64, array, axis));
  code.call("zenith_result_dims", Type::getVoidTy(context),
            {code.result(index), array});
}

void EntryResults::download() {
  for (unsigned index = 0; index < code.frame->results.size(); ++index)
    buffers.download(
        index, code.frame->resultData[index], code.frame->results[index],
        sizes.evaluate(bytesOf(valueAt(code.program.getResults(), index))));
  // Errors of launches belong to this run, even if there are no results.
  code.failUnlessOK(code.call("zenith_device_finish", i32, {code.run()}));
}

} // namespace zenith::pipeline
