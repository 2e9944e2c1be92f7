// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads device programs and keeps their parameters.

#include "lowering/pipeline/DeviceSession.h"

#include "lowering/pipeline/RuntimeError.h"
#include "runtime/RunContext.h"

namespace zenith::pipeline {

DeviceSession::DeviceSession(std::unique_ptr<runtime::OpenCLDevice> device)
    : opened(std::move(device)) {}

DeviceSession::~DeviceSession() { freeHandles(); }

void DeviceSession::freeHandles() {
  for (void *handle : table)
    opened->freeBuffer(handle);
  table.clear();
}

llvm::Expected<std::unique_ptr<DeviceSession>>
DeviceSession::open(const DeviceProgram &program, int64_t maxMemoryBytes) {
  auto device = runtime::OpenCLDevice::open(program.device, maxMemoryBytes);
  if (!device)
    return toError(device.status());
  std::vector<runtime::OpenCLKernel> kernels;
  for (const std::string &name : program.program.kernels)
    kernels.push_back({name, program.program.localSize});
  if (llvm::Error error = toError((*device)->load(
          program.program.source, kernels, program.buildOptions)))
    return std::move(error);
  return std::unique_ptr<DeviceSession>(new DeviceSession(std::move(*device)));
}

llvm::Error DeviceSession::bind(const Executable &executable,
                                runtime::Parameters &parameters,
                                runtime::RunContext &context) {
  // Runs of the earlier values are over: entries wait for their results.
  freeHandles();
  for (size_t index = 0; index < parameters.size(); ++index) {
    auto bytes = parameters.data(index);
    if (!bytes)
      return toError(bytes.status());
    auto handle =
        opened->createParameter(*bytes, parameters.spec(index).bytes());
    if (!handle)
      return toError(handle.status());
    table.push_back(*handle);
  }
  auto derived = opened->createBuffer(executable.derivedBytes);
  if (!derived)
    return toError(derived.status());
  table.push_back(*derived);
  std::vector<zenith_tensor> none;
  if (executable.prepare)
    if (llvm::Error error =
            toError(context.run(executable.prepare, {}, none, table.data())))
      return error;
  for (size_t index : executable.onlyForPrepare) {
    opened->freeBuffer(table[index]);
    table[index] = nullptr;
    parameters.release(index);
  }
  // A device with memory of its own has copied the others too.
  if (!opened->info().unifiedMemory)
    for (size_t index = 0; index < parameters.size(); ++index)
      parameters.release(index);
  opened->trimMemory();
  return llvm::Error::success();
}

} // namespace zenith::pipeline
