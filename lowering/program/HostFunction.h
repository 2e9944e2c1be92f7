// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LLVM function of an entry while it is built: its blocks, its exits where
// a run fails, calls of the runtime, and the sizes computed so far.

#ifndef ZENITH_LOWERING_PROGRAM_HOSTFUNCTION_H
#define ZENITH_LOWERING_PROGRAM_HOSTFUNCTION_H

#include "lowering/program/Frame.h"
#include "lowering/program/SizeCode.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"
#include <map>

namespace zenith::pipeline {

class HostFunction {
public:
  /// Declares the entry in `module`. With `deviceKernels` the kernels run on
  /// the device of the run, except those that only the host can run.
  HostFunction(host::ProgramOp program, const mlir::SymbolTable &programs,
               llvm::Module &module, bool deviceKernels);

  llvm::Value *call(llvm::StringRef name, llvm::Type *result,
                    llvm::ArrayRef<llvm::Value *> arguments);
  /// Ends the run with the status `code` unless that is success.
  void failUnlessOK(llvm::Value *code);
  /// Ends the run with the status of its context.
  void failWithStatus(llvm::Value *condition);
  void failIfNull(llvm::Value *data);
  void failIf(llvm::Value *condition, int32_t code, const std::string &message);
  /// Ends the run with `code`, which the current block has computed.
  void fail(llvm::Value *code);
  /// Calls a function of the context wherever the run fails.
  void callWhereFailed(llvm::StringRef name);
  /// Ends the run where a size computed so far exceeds 64 bits.
  void checkSizes();

  /// The zenith_run_context of the run.
  llvm::Value *run() const { return function->getArg(0); }
  llvm::Value *field(llvm::Value *base, int64_t offset, llvm::Type *type);
  llvm::Value *argument(unsigned index);
  llvm::Value *argumentCount() const { return function->getArg(2); }
  llvm::Value *result(unsigned index);
  llvm::Value *resultCount() const { return function->getArg(4); }
  llvm::Value *parameter(int64_t index);
  llvm::Value *text(llvm::StringRef string);
  /// An array on the stack, allocated once per run.
  llvm::AllocaInst *stackArray(llvm::Type *type, uint64_t count,
                               const char *name);
  llvm::BasicBlock *block(const char *name = "");
  llvm::Value *nullPointer() const;
  /// The program of that name, which a control step runs.
  host::ProgramOp programOf(mlir::Attribute name);

  host::ProgramOp program; ///< the entry
  const mlir::SymbolTable &programs;
  llvm::Module &module;
  bool deviceKernels;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  llvm::Type *pointerType, *i64, *i32;
  SizeCode sizes;
  /// What control steps around the current program share, by number.
  llvm::DenseMap<int64_t, PassedValue> shared;
  Frame *frame = nullptr;          ///< of the program whose steps are emitted
  llvm::Value *profiled = nullptr; ///< i1: the run is measured
  llvm::Value *cancelFlag = nullptr;

private:
  llvm::Value *tensorAt(llvm::Value *array, unsigned index);
  void failWhere(llvm::Value *condition, const std::string &what,
                 llvm::function_ref<llvm::Value *()> status);
  void readContext();

  llvm::Function *function;
  llvm::BasicBlock *entry, *failed;
  llvm::PHINode *failure;
  std::map<std::string, llvm::Value *> strings;
  std::map<std::string, llvm::BasicBlock *> failures; ///< by key and message
};

/// Access of a class that emits a part of the function.
class HostCode {
protected:
  explicit HostCode(HostFunction &code)
      : code(code), builder(code.builder), sizes(code.sizes),
        context(code.context), pointerType(code.pointerType), i64(code.i64),
        i32(code.i32) {}

  HostFunction &code;
  llvm::IRBuilder<> &builder;
  SizeCode &sizes;
  llvm::LLVMContext &context;
  llvm::Type *pointerType, *i64, *i32;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_HOSTFUNCTION_H
