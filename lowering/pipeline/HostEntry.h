// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the code of one entry: prologue with sizes and checks, then its steps.

#ifndef ZENITH_LOWERING_PIPELINE_HOSTENTRY_H
#define ZENITH_LOWERING_PIPELINE_HOSTENTRY_H

#include "lowering/pipeline/HostDialect.h"
#include "lowering/pipeline/SizeCode.h"
#include "llvm/IR/Module.h"
#include <map>

namespace zenith::pipeline {

class HostEntry {
public:
  /// Declares the entry in `module`; `kernels` numbers the kernel table,
  /// `kept` says for each graph.param whether an entry other than @prepare
  /// reads it.
  /// With `deviceKernels` the kernels run on the context's device.
  HostEntry(host::ProgramOp program, llvm::Module &module,
            const llvm::StringMap<int64_t> &kernels,
            const std::vector<bool> &kept, bool deviceKernels);
  llvm::Error build();

private:
  // Prologue (HostPrologue.cpp).
  void checkArguments();
  llvm::Error bindSymbols();
  void bindScalars();
  bool solveDimension(const graph::DimExpr &expr, llvm::Value *actual);
  void checkDimension(unsigned argument, unsigned axis,
                      const graph::DimExpr &expr);
  void computeSizes();
  void checkSizes();
  void takeArguments();
  void takeResults();
  void takeArena();

  // Steps (HostEntry.cpp).
  void launch(host::LaunchOp op);
  void copy(host::CopyOp op);
  void writeScalar(host::ScalarOp op);
  llvm::Value *pointer(host::PlaceAttr place);

  // Steps of device kernels (DeviceSteps.cpp).
  struct DeviceBytes {
    llvm::Value *handle, *offset;
  };
  llvm::Value *deviceBuffer(int32_t deviceClass, int64_t index,
                            llvm::Value *bytes);
  void upload(int64_t index, DeviceBytes to, llvm::Value *from,
              llvm::Value *bytes);
  void takeDeviceBuffers();
  DeviceBytes onDevice(host::PlaceAttr place);
  void launchOnDevice(host::LaunchOp op);
  void copyOnDevice(host::CopyOp op);
  void writeScalarOnDevice(host::ScalarOp op);
  void downloadResults();

  void releaseParameters(mlir::Operation *op);

  // Vocabulary.
  llvm::Value *call(llvm::StringRef name, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> arguments);
  void failUnlessOK(llvm::Value *code);
  void failIfNull(llvm::Value *data);
  void failIf(llvm::Value *condition, int32_t code, const std::string &message);
  llvm::Value *field(llvm::Value *base, int64_t offset, llvm::Type *type);
  llvm::Value *argument(unsigned index);
  llvm::Value *dimension(unsigned argument, unsigned axis);
  llvm::Value *text(llvm::StringRef string);
  llvm::AllocaInst *room(llvm::Type *type, uint64_t count, const char *name);
  host::ValueAttr describe(mlir::ArrayAttr values, unsigned index) const {
    return mlir::cast<host::ValueAttr>(values[index]);
  }

  host::ProgramOp program;
  llvm::Module &module;
  const llvm::StringMap<int64_t> &kernels;
  const std::vector<bool> &kept;
  bool deviceKernels;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  llvm::Type *pointerType, *i64, *i32;
  llvm::Function *function;
  llvm::BasicBlock *entry, *failed;
  llvm::PHINode *failure;
  std::unique_ptr<SizeCode> sizes;
  std::vector<llvm::Value *> argumentData, resultData;
  std::vector<llvm::GlobalVariable *> constants;
  std::vector<llvm::Value *> argumentHandles, resultHandles, constantHandles;
  llvm::Value *arena = nullptr;
  std::map<int64_t, mlir::Operation *>
      lastReaders; ///< of parameters, in @prepare
  llvm::AllocaInst *pointers = nullptr, *sizeArray = nullptr;
  std::map<std::string, llvm::Value *> strings;
};

/// Bytes of an argument or result.
graph::DimExpr bytesOf(host::ValueAttr value);

/// Largest amount of work (flops and bytes, as LaunchOp counts) that the
/// caller's thread does alone: waking others would take longer.
inline constexpr double serialWork = 150000;

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_HOSTENTRY_H
