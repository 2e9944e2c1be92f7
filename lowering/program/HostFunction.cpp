// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, exits and runtime calls of an entry's function.

#include "lowering/program/HostFunction.h"

#include "lowering/program/EntrySymbol.h"
#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

HostFunction::HostFunction(host::ProgramOp program,
                           const mlir::SymbolTable &programs, Module &module,
                           bool deviceKernels)
    : program(program), programs(programs), module(module),
      deviceKernels(deviceKernels), context(module.getContext()),
      builder(context), pointerType(PointerType::getUnqual(context)),
      i64(Type::getInt64Ty(context)), i32(Type::getInt32Ty(context)),
      sizes(builder) {
  FunctionType *type = FunctionType::get(
      i32, {pointerType, pointerType, i64, pointerType, i64, pointerType},
      /*isVarArg=*/false);
  function = Function::Create(type, GlobalValue::ExternalLinkage,
                              entrySymbol(program.getSymName()), module);
  entry = BasicBlock::Create(context, "entry", function);
  failed = BasicBlock::Create(context, "failed", function);
  failure = IRBuilder<>(failed).CreatePHI(i32, 8);
  IRBuilder<>(failed).CreateRet(failure);
  // Blocks are added after `entry`, whose first instructions are the stack
  // arrays.
  BasicBlock *start = block("start");
  IRBuilder<>(entry).CreateBr(start);
  builder.SetInsertPoint(start);
  readContext();
}

void HostFunction::readContext() {
  profiled = builder.CreateIsNotNull(
      field(run(), offsetof(zenith_run_context, profile), pointerType));
  Value *flag = field(run(), offsetof(zenith_run_context, cancel), pointerType);
  auto *never =
      new GlobalVariable(module, i32, /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, builder.getInt32(0));
  cancelFlag = builder.CreateSelect(builder.CreateIsNull(flag), never, flag);
}

Value *HostFunction::call(StringRef name, Type *result,
                          ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee =
      module.getOrInsertFunction(name, FunctionType::get(result, types, false));
  return builder.CreateCall(callee, arguments);
}

void HostFunction::failUnlessOK(Value *code) {
  BasicBlock *next = block();
  failure->addIncoming(code, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpEQ(code, builder.getInt32(ZENITH_OK)),
                       next, failed);
  builder.SetInsertPoint(next);
}

void HostFunction::fail(Value *code) {
  failure->addIncoming(code, builder.GetInsertBlock());
  builder.CreateBr(failed);
}

void HostFunction::callWhereFailed(StringRef name) {
  FunctionCallee callee = module.getOrInsertFunction(
      name, FunctionType::get(Type::getVoidTy(context), {pointerType}, false));
  IRBuilder<>(failed->getTerminator()).CreateCall(callee, {run()});
}

/// Continues where `condition` does not hold. Equal failures share a block.
void HostFunction::failWhere(Value *condition, const std::string &what,
                             function_ref<Value *()> status) {
  BasicBlock *&bad = failures[what];
  BasicBlock *next = block();
  bool isNew = !bad;
  if (isNew)
    bad = block();
  builder.CreateCondBr(condition, bad, next);
  if (isNew) {
    builder.SetInsertPoint(bad);
    fail(status());
  }
  builder.SetInsertPoint(next);
}

void HostFunction::failWithStatus(Value *condition) {
  failWhere(condition, "",
            [&] { return call("zenith_run_status", i32, {run()}); });
}

void HostFunction::failIfNull(Value *data) {
  failWithStatus(builder.CreateIsNull(data));
}

void HostFunction::failIf(Value *condition, int32_t code,
                          const std::string &message) {
  std::string location = frame->program.getSymName().str();
  failWhere(condition, std::to_string(code) + location + ": " + message, [&] {
    return call("zenith_fail", i32,
                {run(), builder.getInt32(code), text(message), text(location)});
  });
}

void HostFunction::checkSizes() {
  Value *overflowed = sizes.overflowed();
  sizes.settle();
  if (!isa<ConstantInt>(overflowed) || cast<ConstantInt>(overflowed)->isOne())
    failIf(overflowed, ZENITH_OUT_OF_MEMORY, "the sizes exceed 64 bits");
}

Value *HostFunction::field(Value *base, int64_t offset, Type *type) {
  return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(
                                      builder.getInt8Ty(), base, offset));
}

Value *HostFunction::tensorAt(Value *array, unsigned index) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), array,
                                            index * sizeof(zenith_tensor));
}

Value *HostFunction::argument(unsigned index) {
  return tensorAt(function->getArg(1), index);
}

Value *HostFunction::result(unsigned index) {
  return tensorAt(function->getArg(3), index);
}

Value *HostFunction::parameter(int64_t index) {
  return field(function->getArg(5), index * sizeof(void *), pointerType);
}

Value *HostFunction::text(StringRef string) {
  Value *&known = strings[string.str()];
  if (!known) {
    Constant *bytes = ConstantDataArray::getString(context, string);
    auto *global =
        new GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                           GlobalValue::PrivateLinkage, bytes);
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    known = global;
  }
  return known;
}

AllocaInst *HostFunction::stackArray(Type *type, uint64_t count,
                                     const char *name) {
  IRBuilder<> first(entry, entry->begin());
  return first.CreateAlloca(ArrayType::get(type, std::max<uint64_t>(count, 1)),
                            nullptr, name);
}

BasicBlock *HostFunction::block(const char *name) {
  return BasicBlock::Create(context, name, function, failed);
}

Value *HostFunction::nullPointer() const {
  return ConstantPointerNull::get(cast<PointerType>(pointerType));
}

host::ProgramOp HostFunction::programOf(mlir::Attribute name) {
  auto symbol = mlir::cast<mlir::FlatSymbolRefAttr>(name);
  return programs.lookup<host::ProgramOp>(symbol.getValue());
}

} // namespace zenith::pipeline
