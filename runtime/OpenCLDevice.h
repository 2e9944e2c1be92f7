// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One OpenCL device with a program loaded: buffers, copies and launches as the
// ABI asks for them.

#ifndef ZENITH_RUNTIME_OPENCLDEVICE_H
#define ZENITH_RUNTIME_OPENCLDEVICE_H

#include "runtime/ABI.h"
#include "runtime/OpenCLDeviceInfo.h"
#include "runtime/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace zenith::runtime {

/// A kernel of a program's source text. Its arguments: per pointer `__global
/// uchar *base, long offset` (bytes), per size `long size`, then `long begin,
/// long tasks`. It does the tasks begin..begin+tasks-1; work-items beyond them
/// must return at once.
struct OpenCLKernel {
  std::string name;
  /// Work-items in a group: always the same for a kernel, since PoCL compiles
  /// it once per size.
  int64_t localSize = 64;
  /// Work-items that share a task: 1, or localSize where a whole group does one
  /// task.
  int64_t itemsPerTask = 1;
};

/// Bytes of the buffers that a device holds for us.
struct OpenCLMemoryUse {
  int64_t bytes = 0;
  int64_t peakBytes = 0;
};

/// A device with an in-order queue. Serves one run at a time and is not safe
/// for use from several threads at once; any number may exist, also of the same
/// hardware.
class OpenCLDevice {
public:
  /// Opens device number index of listOpenCLDevices. maxMemoryBytes bounds all
  /// buffers together; 0 = none. ZENITH_USAGE, with the devices there are,
  /// where there is no such device.
  static StatusOr<std::unique_ptr<OpenCLDevice>>
  open(int index = 0, int64_t maxMemoryBytes = 0);
  ~OpenCLDevice();
  OpenCLDevice(const OpenCLDevice &) = delete;
  OpenCLDevice &operator=(const OpenCLDevice &) = delete;

  const OpenCLDeviceInfo &info() const;

  /// Builds OpenCL C text and takes its kernels in the order of the program's
  /// kernel table, instead of what was loaded before. ZENITH_INTERNAL with the
  /// build log, or the name of the missing kernel; ZENITH_UNSUPPORTED where a
  /// group is larger than the device's.
  Status load(const std::string &source,
              const std::vector<OpenCLKernel> &kernels,
              const std::string &options = {});

  /// A buffer of its own (a cl_mem), freed by freeBuffer or with the device.
  /// bytes == 0 gives one of 1 byte. ZENITH_OUT_OF_MEMORY for budget, device
  /// limit and device memory.
  StatusOr<void *> createBuffer(int64_t bytes);

  /// A read-only buffer with the given contents. On devices that share the
  /// host's memory it uses host's bytes in place where their alignment allows
  /// it, so these must outlive it.
  StatusOr<void *> createParameter(const void *host, int64_t bytes);

  /// Frees what createBuffer or createParameter gave; null is allowed.
  void freeBuffer(void *handle);

  /// Frees the buffers kept between runs (arena, arguments, results, pool).
  void trimMemory();

  /// The ABI's view of this device, for zenith_run_context::device; valid as
  /// long as this object.
  const zenith_device *abi() const;

  OpenCLMemoryUse memoryUse() const;

  /// Starts the peak anew from what is held.
  void resetPeak();

private:
  struct State;
  explicit OpenCLDevice(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_OPENCLDEVICE_H
