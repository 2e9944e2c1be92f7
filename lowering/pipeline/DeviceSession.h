// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on its OpenCL device: loaded kernels, parameters as buffers.

#ifndef ZENITH_LOWERING_PIPELINE_DEVICESESSION_H
#define ZENITH_LOWERING_PIPELINE_DEVICESESSION_H

#include "lowering/pipeline/Executable.h"
#include "runtime/OpenCLDevice.h"

namespace zenith::runtime {
class RunContext;
}

namespace zenith::pipeline {

/// Errors are LLVMErrors with the codes of the runtime.
class DeviceSession {
public:
  /// Opens the device and builds the program's text there. maxMemoryBytes
  /// bounds its buffers; 0 = none.
  static llvm::Expected<std::unique_ptr<DeviceSession>>
  open(const DeviceProgram &program, int64_t maxMemoryBytes);
  ~DeviceSession();
  DeviceSession(const DeviceSession &) = delete;
  DeviceSession &operator=(const DeviceSession &) = delete;

  /// Uploads parameters and runs @prepare on them; again after a rebinding.
  llvm::Error bind(const Executable &executable,
                   runtime::Parameters &parameters,
                   runtime::RunContext &context);

  /// What entries take as params: a handle per parameter (null for those that
  /// only @prepare reads), then that of the derived ones.
  void *const *handles() const { return table.data(); }

  runtime::OpenCLDevice &device() { return *opened; }

private:
  explicit DeviceSession(std::unique_ptr<runtime::OpenCLDevice> device);
  void freeHandles();

  std::unique_ptr<runtime::OpenCLDevice> opened;
  std::vector<void *> table;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_DEVICESESSION_H
