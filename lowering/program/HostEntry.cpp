// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry from start to end, and the vocabulary of its parts.

#include "lowering/program/HostEntry.h"

#include "ir/GraphDialect.h"
#include "lowering/program/LowerHostProgram.h"
#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

HostEntry::HostEntry(host::ProgramOp program, Module &module,
                     const StringMap<int64_t> &kernels,
                     const std::vector<bool> &kept, bool deviceKernels)
    : program(program), module(module), kernels(kernels), kept(kept),
      deviceKernels(deviceKernels), context(module.getContext()),
      builder(context), pointerType(PointerType::getUnqual(context)),
      i64(Type::getInt64Ty(context)), i32(Type::getInt32Ty(context)) {
  FunctionType *type = FunctionType::get(
      i32, {pointerType, pointerType, i64, pointerType, i64, pointerType},
      /*isVarArg=*/false);
  function = Function::Create(type, GlobalValue::ExternalLinkage,
                              entrySymbol(program.getSymName()), module);
  entry = BasicBlock::Create(context, "entry", function);
  failed = BasicBlock::Create(context, "failed", function);
  failure = IRBuilder<>(failed).CreatePHI(i32, 8);
  IRBuilder<>(failed).CreateRet(failure);
  builder.SetInsertPoint(entry);
  sizes = std::make_unique<SizeCode>(builder);
}

Error HostEntry::build() {
  // Blocks are added behind `entry`, whose first instructions are the stack
  // arrays.
  BasicBlock *start = block("start");
  IRBuilder<>(entry).CreateBr(start);
  builder.SetInsertPoint(start);
  profiled = builder.CreateIsNotNull(field(
      function->getArg(0), offsetof(zenith_run_context, profile), pointerType));
  Value *flag = field(function->getArg(0), offsetof(zenith_run_context, cancel),
                      pointerType);
  auto *never =
      new GlobalVariable(module, i32, /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, builder.getInt32(0));
  cancelFlag = builder.CreateSelect(builder.CreateIsNull(flag), never, flag);
  Frame own;
  own.program = program;
  frame = &own;
  checkArguments();
  if (Error error = bindSymbols())
    return error;
  computeSizes(program);
  checkGuards();
  settleSizes();
  takeArguments();
  takeConstants();
  takeResults();
  takeArena();
  if (deviceKernels)
    uploadArguments();
  prepareFrame();
  if (program.getSymName() == graph::prepareFunctionName && !deviceKernels)
    for (mlir::Operation &op : program.getBody().front())
      op.getAttrDictionary().walk([&](host::BufferAttr place) {
        if (place.getKind() == host::BufferKind::param)
          lastReaders[place.getIndex()] = &op;
      });
  runSteps();
  if (deviceKernels)
    downloadResults();
  builder.CreateRet(builder.getInt32(ZENITH_OK));
  return Error::success();
}

/// Lets go of the parameters that nobody reads after `op`.
void HostEntry::releaseParameters(mlir::Operation *op) {
  for (auto [index, reader] : lastReaders)
    if (reader == op && !kept[index])
      call("zenith_param_done", Type::getVoidTy(context),
           {function->getArg(0), builder.getInt64(index)});
}

Value *HostEntry::call(StringRef name, Type *result,
                       ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee =
      module.getOrInsertFunction(name, FunctionType::get(result, types, false));
  return builder.CreateCall(callee, arguments);
}

void HostEntry::failUnlessOK(Value *code) {
  BasicBlock *next = block();
  failure->addIncoming(code, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpEQ(code, builder.getInt32(ZENITH_OK)),
                       next, failed);
  builder.SetInsertPoint(next);
}

/// Goes on where `condition` does not hold. Equal failures share a block.
void HostEntry::failWhere(Value *condition, const std::string &what,
                          function_ref<Value *()> status) {
  BasicBlock *&bad = failures[what];
  BasicBlock *next = block();
  bool isNew = !bad;
  if (isNew)
    bad = block();
  builder.CreateCondBr(condition, bad, next);
  if (isNew) {
    builder.SetInsertPoint(bad);
    failure->addIncoming(status(), bad);
    builder.CreateBr(failed);
  }
  builder.SetInsertPoint(next);
}

void HostEntry::failWithStatus(Value *condition) {
  failWhere(condition, "",
            [&] { return call("zenith_status", i32, {function->getArg(0)}); });
}

void HostEntry::failIfNull(Value *data) {
  failWithStatus(builder.CreateIsNull(data));
}

void HostEntry::failIf(Value *condition, int32_t code,
                       const std::string &message) {
  std::string place = frame->program.getSymName().str();
  failWhere(condition, std::to_string(code) + place + ": " + message, [&] {
    return call("zenith_fail", i32,
                {function->getArg(0), builder.getInt32(code), text(message),
                 text(place)});
  });
}

Value *HostEntry::field(Value *base, int64_t offset, Type *type) {
  return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(
                                      builder.getInt8Ty(), base, offset));
}

Value *HostEntry::text(StringRef string) {
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

AllocaInst *HostEntry::room(Type *type, uint64_t count, const char *name) {
  IRBuilder<> first(entry, entry->begin());
  return first.CreateAlloca(ArrayType::get(type, std::max<uint64_t>(count, 1)),
                            nullptr, name);
}

BasicBlock *HostEntry::block(const char *name) {
  return BasicBlock::Create(context, name, function, failed);
}

} // namespace zenith::pipeline
