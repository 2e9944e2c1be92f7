// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of an entry: launches, copies, sizes as results.

#include "lowering/pipeline/HostEntry.h"

#include "ir/GraphDialect.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/pipeline/LowerHostProgram.h"
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
  BasicBlock *start = BasicBlock::Create(context, "start", function, failed);
  builder.SetInsertPoint(entry);
  IRBuilder<>(entry).CreateBr(start);
  builder.SetInsertPoint(start);
  checkArguments();
  if (Error error = bindSymbols())
    return error;
  computeSizes();
  checkSizes();
  takeArguments();
  takeResults();
  takeArena();
  if (deviceKernels)
    takeDeviceBuffers();
  unsigned mostPointers = 1, mostSizes = 1;
  for (host::LaunchOp op : program.getBody().getOps<host::LaunchOp>()) {
    mostPointers = std::max<unsigned>(mostPointers, op.getPointers().size());
    mostSizes = std::max<unsigned>(mostSizes, op.getSizes().size());
  }
  // A device takes a handle and an offset for each.
  pointers =
      room(pointerType, (deviceKernels ? 2 : 1) * mostPointers, "pointers");
  sizeArray = room(i64, mostSizes, "sizes");
  if (program.getSymName() == graph::prepareFunctionName && !deviceKernels)
    for (mlir::Operation &op : program.getBody().front())
      op.getAttrDictionary().walk([&](host::PlaceAttr place) {
        if (place.getKind() == host::PlaceKind::param)
          lastReaders[place.getIndex()] = &op;
      });
  for (mlir::Operation &op : program.getBody().front()) {
    if (auto launchOp = dyn_cast<host::LaunchOp>(op))
      deviceKernels ? launchOnDevice(launchOp) : launch(launchOp);
    else if (auto copyOp = dyn_cast<host::CopyOp>(op))
      deviceKernels ? copyOnDevice(copyOp) : copy(copyOp);
    else if (auto scalarOp = dyn_cast<host::ScalarOp>(op))
      deviceKernels ? writeScalarOnDevice(scalarOp) : writeScalar(scalarOp);
    releaseParameters(&op);
  }
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
  BasicBlock *next = BasicBlock::Create(context, "", function, failed);
  failure->addIncoming(code, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpEQ(code, builder.getInt32(ZENITH_OK)),
                       next, failed);
  builder.SetInsertPoint(next);
}

void HostEntry::failIfNull(Value *data) {
  BasicBlock *bad = BasicBlock::Create(context, "", function, failed);
  BasicBlock *next = BasicBlock::Create(context, "", function, failed);
  builder.CreateCondBr(builder.CreateIsNull(data), bad, next);
  builder.SetInsertPoint(bad);
  failure->addIncoming(call("zenith_status", i32, {function->getArg(0)}), bad);
  builder.CreateBr(failed);
  builder.SetInsertPoint(next);
}

void HostEntry::failIf(Value *condition, int32_t code,
                       const std::string &message) {
  BasicBlock *bad = BasicBlock::Create(context, "", function, failed);
  BasicBlock *next = BasicBlock::Create(context, "", function, failed);
  builder.CreateCondBr(condition, bad, next);
  builder.SetInsertPoint(bad);
  Value *recorded = call("zenith_fail", i32,
                         {function->getArg(0), builder.getInt32(code),
                          text(message), text(program.getSymName())});
  failure->addIncoming(recorded, bad);
  builder.CreateBr(failed);
  builder.SetInsertPoint(next);
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

Value *HostEntry::pointer(host::PlaceAttr place) {
  int64_t index = place.getIndex();
  switch (place.getKind()) {
  case host::PlaceKind::argument:
    return argumentData[index];
  case host::PlaceKind::result:
    return resultData[index];
  case host::PlaceKind::constant:
    return constants[index];
  case host::PlaceKind::param:
    return field(function->getArg(5), index * sizeof(void *), pointerType);
  case host::PlaceKind::derived:
    return builder.CreateGEP(
        builder.getInt8Ty(),
        field(function->getArg(5), kept.size() * sizeof(void *), pointerType),
        sizes->evaluate(place.getOffset()));
  case host::PlaceKind::arena:
    return builder.CreateGEP(builder.getInt8Ty(), arena,
                             sizes->evaluate(place.getOffset()));
  }
  return nullptr;
}

void HostEntry::launch(host::LaunchOp op) {
  for (auto [index, place] :
       enumerate(op.getPointers().getAsRange<host::PlaceAttr>()))
    builder.CreateStore(pointer(place), builder.CreateConstInBoundsGEP1_64(
                                            pointerType, pointers, index));
  for (auto [index, size] :
       enumerate(op.getSizes().getAsRange<mlir::StringAttr>()))
    builder.CreateStore(
        sizes->evaluate(size.getValue()),
        builder.CreateConstInBoundsGEP1_64(i64, sizeArray, index));
  StringRef kernel = op.getKernel().getLeafReference().getValue();
  FunctionType *taskType = FunctionType::get(
      Type::getVoidTy(context), {pointerType, pointerType, i64, i64}, false);
  Value *task =
      module.getOrInsertFunction((kernel + cpu::taskSuffix).str(), taskType)
          .getCallee();
  Value *tasks = sizes->evaluate(op.getTasks());
  double cost = std::max(op.getCost().convertToDouble(), 1.0);
  SmallVector<Value *> arguments{
      function->getArg(0), task,  pointers,
      sizeArray,           tasks, builder.getInt64(kernels.lookup(kernel))};
  // Both functions have one type, so the choice needs no branch.
  Value *small = builder.CreateICmpSLE(
      tasks, builder.getInt64(int64_t(serialWork / cost)));
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionType *type = FunctionType::get(i32, types, false);
  Value *serial =
      module.getOrInsertFunction("zenith_serial_for", type).getCallee();
  Value *parallel =
      module.getOrInsertFunction("zenith_parallel_for", type).getCallee();
  failUnlessOK(builder.CreateCall(
      type, builder.CreateSelect(small, serial, parallel), arguments));
}

void HostEntry::copy(host::CopyOp op) {
  builder.CreateMemCpy(pointer(op.getTarget()), Align(1),
                       pointer(op.getSource()), Align(1),
                       sizes->evaluate(op.getBytes()));
}

void HostEntry::writeScalar(host::ScalarOp op) {
  builder.CreateAlignedStore(sizes->evaluate(op.getValue()),
                             pointer(op.getTarget()), Align(8));
}

} // namespace zenith::pipeline
