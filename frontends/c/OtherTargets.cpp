// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs by the interpreter and on devices, through the tensors that compiled
// code takes on the host.

#include "frontends/c/RunState.h"

#include "ir/LLVMError.h"
#include "ir/interpreter/Interpreter.h"
#include "lowering/elements/ElementCodes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/SystemResources.h"

using namespace zenith;
using namespace zenith::c;

static int32_t record(zenith_run_context &abi, llvm::Error error) {
  Error why = errorOf(std::move(error));
  return zenith_fail_because(
      &abi, int32_t(why.code),
      why.code == ErrorCode::Memory ? ZENITH_REASON_BUDGET : ZENITH_REASON_NONE,
      why.text.c_str(), why.location.c_str());
}

/// Row-major elements as a value of the interpreter; they are not copied.
static Tensor tensorOf(const zenith_tensor &view, mlir::MLIRContext *types) {
  auto type =
      mlir::RankedTensorType::get(llvm::ArrayRef(view.dims, size_t(view.rank)),
                                  kernels::elementType(types, view.dtype));
  return Tensor(type, static_cast<const char *>(view.data),
                std::shared_ptr<const void>());
}

/// Copies a value to where the caller wants a result.
static int32_t deliver(zenith_run_context &abi, int64_t index, int32_t dtype,
                       llvm::ArrayRef<int64_t> dims, const void *data,
                       int64_t bytes, zenith_tensor &to) {
  void *place = zenith_result(&abi, index, &to, dtype, int64_t(dims.size()),
                              dims.data(), bytes);
  if (!place)
    return abi.error.code;
  if (bytes > 0)
    std::memcpy(place, data, size_t(bytes));
  return ZENITH_OK;
}

int32_t RunState::interpret(const Entry &entry,
                            llvm::ArrayRef<zenith_tensor> arguments,
                            llvm::MutableArrayRef<zenith_tensor> given) {
  Program &program = *executable.interpreted;
  std::lock_guard<std::mutex> lock(program.mutex);
  auto function =
      program.module->lookupSymbol<mlir::func::FuncOp>(entry.info->name);
  std::vector<Tensor> inputs;
  for (const zenith_tensor &argument : arguments)
    inputs.push_back(tensorOf(argument, program.mlir.get()));
  interpreter::Options settings;
  settings.availableBytes = runtime::availableMemory;
  settings.loadParam = [&](llvm::StringRef name, mlir::RankedTensorType type,
                           mlir::Attribute) -> llvm::Expected<Tensor> {
    for (size_t i = 0; i < executable.parameters.size(); ++i)
      if (executable.parameters[i].name == name)
        return Tensor(type, static_cast<const char *>(values->value(i).data),
                      std::shared_ptr<const void>());
    return Tensor();
  };
  auto results = interpreter::run(function, inputs, settings);
  if (!results)
    return record(abi, results.takeError());
  for (size_t i = 0; i < results->size(); ++i) {
    const Tensor &result = (*results)[i];
    if (int32_t code = deliver(
            abi, int64_t(i), kernels::elementCode(result.elementType()),
            result.shape(), result.bytes(), result.byteSize(), given[i]))
      return code;
  }
  return zenith_run_status(&abi);
}

zenith_status *
RunState::runOnDevice(const Entry &entry,
                      llvm::ArrayRef<zenith_tensor> arguments,
                      llvm::MutableArrayRef<zenith_tensor> given) {
  std::lock_guard<std::mutex> lock(values->deviceMutex);
  pipeline::Session &session = *values->device();
  zenith_run_context &device = *session.runContext().abi();
  device.deadline = abi.deadline;
  if (abi.cancel)
    device.cancel = abi.cancel;
  zenith_tensor empty = {};
  empty.struct_size = sizeof(empty);
  std::vector<zenith_tensor> results(given.size(), empty);
  llvm::Error error = session.run(*entry.info, arguments.vec(), results);
  if (abi.cancel)
    device.cancel = nullptr;
  if (!error)
    for (size_t i = 0; i < results.size(); ++i)
      if (deliver(abi, int64_t(i), results[i].dtype,
                  llvm::ArrayRef(results[i].dims, size_t(results[i].rank)),
                  results[i].data,
                  bytesOf(results[i].dtype, results[i].rank, results[i].dims),
                  given[i]))
        break;
  for (zenith_tensor &result : results)
    session.runContext().release(result);
  if (error)
    return failureOf(std::move(error), options.cancel, options.deadline,
                     ZENITH_REASON_NONE);
  return abi.error.code == ZENITH_OK ? nullptr : this->error();
}
