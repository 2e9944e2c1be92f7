// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints, loads and launches on the device; compiles and calls on the host.

#include "tests/lowering/opencl/DeviceAndHost.h"

#include "ir/target/CPUTarget.h"
#include "ir/target/OpenCLTarget.h"
#include "ir/target/TargetModel.h"
#include "lowering/cpu/CompileKernels.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/cpu/JITLibrary.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/opencl/EmitOpenCL.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "runtime/OpenCLDeviceList.h"
#include "tests/lowering/opencl/CompilerCache.h"

namespace zenith::opencl {

static mlir::DialectRegistry kernelDialects() {
  mlir::DialectRegistry registry;
  cpu::registerKernelDialects(registry);
  kernels::registerElementRules(registry);
  return registry;
}

DeviceAndHost::DeviceAndHost() : context(kernelDialects()) {
  context.loadAllAvailableDialects();
}

void DeviceAndHost::SetUp() {
  if (runtime::listOpenCLDevices().empty())
    GTEST_SKIP() << "no OpenCL device is installed";
  auto opened = runtime::OpenCLDevice::open(0);
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  device = std::move(*opened);
}

mlir::OwningOpRef<mlir::ModuleOp>
DeviceAndHost::parse(const std::string &text) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  return module;
}

static std::string onlyKernel(mlir::ModuleOp kernels) {
  for (auto function : kernels.getOps<mlir::func::FuncOp>())
    if (function.isPublic())
      return function.getName().str();
  return {};
}

void DeviceAndHost::runOnDevice(mlir::ModuleOp kernels,
                                std::vector<Bytes> &buffers,
                                const std::vector<int64_t> &sizes,
                                int64_t tasks) {
  target::OpenCLTarget target;
  target.fp64 = device->info().fp64;
  target.isCPU = device->info().isCPU;
  target.exactDivide = device->info().exactDivide;
  auto program = emitOpenCL(kernels, printOptionsFor(target.model()));
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
  std::vector<runtime::OpenCLKernel> table;
  for (const std::string &name : program->kernels)
    table.push_back({name, program->localSize});
  auto loaded =
      device->load(program->source, table, buildOptionsFor(target.model()));
  ASSERT_TRUE(loaded.ok()) << loaded.text() << "\n" << program->source;
  const zenith_device *abi = device->abi();
  zenith_error error = {};
  std::vector<zenith_buffer_ref> pointers;
  // Not at the start of its buffer, so that offsets count.
  const int64_t before = 64;
  for (const Bytes &bytes : buffers) {
    auto handle = device->createBuffer(before + bytes.size());
    ASSERT_TRUE(handle.ok());
    pointers.push_back({*handle, before});
    ASSERT_EQ(abi->upload(abi->user, pointers.back(), bytes.data(),
                          bytes.size(), &error),
              ZENITH_OK);
  }
  EXPECT_EQ(abi->launch(abi->user, 0, pointers.data(), pointers.size(),
                        sizes.data(), sizes.size(), tasks, &error),
            ZENITH_OK)
      << error.message;
  for (auto [bytes, pointer] : llvm::zip(buffers, pointers)) {
    EXPECT_EQ(
        abi->download(abi->user, bytes.data(), pointer, bytes.size(), &error),
        ZENITH_OK);
    device->freeBuffer(pointer.handle);
  }
}

void DeviceAndHost::runOnHost(mlir::ModuleOp kernels,
                              std::vector<Bytes> &buffers,
                              const std::vector<int64_t> &sizes,
                              int64_t tasks) {
  auto target = target::CPUTarget::host();
  auto files = cpu::compileKernels(kernels, target);
  ASSERT_TRUE(bool(files)) << llvm::toString(files.takeError());
  auto library = cpu::JITLibrary::create(*files, target);
  ASSERT_TRUE(bool(library)) << llvm::toString(library.takeError());
  auto task =
      (*library)->lookupAs<zenith_task_fn>(onlyKernel(kernels) + "__task");
  ASSERT_TRUE(bool(task)) << llvm::toString(task.takeError());
  std::vector<void *> pointers;
  for (Bytes &bytes : buffers)
    pointers.push_back(bytes.data());
  (*task)(pointers.data(), sizes.data(), 0, tasks);
}

std::vector<Bytes> DeviceAndHost::expectSame(const std::string &text,
                                             std::vector<Bytes> buffers,
                                             const std::vector<int64_t> &sizes,
                                             int64_t tasks) {
  auto kernels = parse(text);
  if (!kernels)
    return buffers;
  std::vector<Bytes> host = buffers;
  runOnDevice(*kernels, buffers, sizes, tasks);
  runOnHost(*kernels, host, sizes, tasks);
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(buffers[i], host[i]) << "buffer " << i;
  return buffers;
}

} // namespace zenith::opencl
