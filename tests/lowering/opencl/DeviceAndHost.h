// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels, given as text, on the first OpenCL device and through the host
// processor's code generator, on the same bytes.

#ifndef ZENITH_TESTS_LOWERING_OPENCL_DEVICEANDHOST_H
#define ZENITH_TESTS_LOWERING_OPENCL_DEVICEANDHOST_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/OpenCLDevice.h"
#include <cstring>
#include <gtest/gtest.h>

namespace zenith::opencl {

using Bytes = std::vector<uint8_t>;

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Skips where no device is installed; otherwise a device, and for all tests
/// together a compiler cache of their own.
class DeviceAndHost : public ::testing::Test {
protected:
  DeviceAndHost();
  void SetUp() override;

  /// Parses a module of kernels; null after a failure.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);
  /// Runs the only kernel of `kernels`; buffers come back as it left them.
  void runOnDevice(mlir::ModuleOp kernels, std::vector<Bytes> &buffers,
                   const std::vector<int64_t> &sizes, int64_t tasks);
  void runOnHost(mlir::ModuleOp kernels, std::vector<Bytes> &buffers,
                 const std::vector<int64_t> &sizes, int64_t tasks);
  /// Both, on copies of `buffers`: expects equal bytes, and gives them.
  std::vector<Bytes> expectSame(const std::string &text,
                                std::vector<Bytes> buffers,
                                const std::vector<int64_t> &sizes,
                                int64_t tasks);

  mlir::MLIRContext context;
  std::unique_ptr<runtime::OpenCLDevice> device;
};

} // namespace zenith::opencl

#endif // ZENITH_TESTS_LOWERING_OPENCL_DEVICEANDHOST_H
