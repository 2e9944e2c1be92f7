// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM dialect to LLVM IR, target attributes, and the task functions through
// which the runtime calls kernels.

#include "lowering/builder/KernelAttributes.h"
#include "lowering/cpu/CPUMachine.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace zenith::cpu {

static void setTargetAttributes(Function &function,
                                const target::CPUTarget &target) {
  function.addFnAttr("target-cpu", target.cpu);
  // Set even where empty: otherwise the features of the code generator's own
  // processor apply.
  function.addFnAttr("target-features", target.features);
  function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
  function.addFnAttr(Attribute::NoUnwind);
  function.addFnAttr("frame-pointer", "none");
}

static void addTaskFunction(Function &kernel, Module &module) {
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context),
       *index = Type::getInt64Ty(context);
  FunctionType *type = FunctionType::get(
      Type::getVoidTy(context), {pointer, pointer, index, index}, false);
  std::string name = (kernel.getName() + kernels::taskSuffix).str();
  // Another kernel may take its address.
  Function *declared = module.getFunction(name);
  if (declared)
    declared->setName("");
  Function *task =
      Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  if (declared) {
    declared->replaceAllUsesWith(task);
    declared->eraseFromParent();
  }
  task->setVisibility(GlobalValue::HiddenVisibility);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", task));
  unsigned pointers = 0, sizes = 0, last = kernel.arg_size();
  SmallVector<Value *> arguments;
  for (Argument &argument : kernel.args()) {
    if (argument.getArgNo() + 2 >= last) {
      arguments.push_back(task->getArg(argument.getArgNo() + 4 - last));
      continue;
    }
    bool isPointer = argument.getType()->isPointerTy();
    Value *from = builder.CreateConstInBoundsGEP1_64(
        isPointer ? pointer : index, task->getArg(isPointer ? 0 : 1),
        isPointer ? pointers++ : sizes++);
    arguments.push_back(builder.CreateLoad(argument.getType(), from));
  }
  builder.CreateCall(&kernel, arguments)->setTailCallKind(CallInst::TCK_Tail);
  builder.CreateRetVoid();
}

Expected<std::unique_ptr<Module>>
translateKernels(mlir::ModuleOp kernels, const target::CPUTarget &target,
                 LLVMContext &context, StringRef name) {
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(
      kernels, context, name, /*disableVerification=*/true);
  if (!module)
    return createStringError(inconvertibleErrorCode(),
                             "translation of kernels to LLVM IR failed");
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  module->setTargetTriple(target.triple);
  module->setDataLayout((*machine)->createDataLayout());
  SmallVector<Function *> defined;
  for (Function &function : *module)
    if (!function.isDeclaration())
      defined.push_back(&function);
  for (Function *function : defined) {
    // A function whose last two arguments are begin and end is a kernel;
    // micro-kernels are internal or hidden.
    bool isKernel =
        !function->hasLocalLinkage() && !function->hasHiddenVisibility() &&
        function->getReturnType()->isVoidTy() && function->arg_size() >= 2;
    if (isKernel) {
      addTaskFunction(*function, *module);
      function->setLinkage(GlobalValue::InternalLinkage);
    }
  }
  for (Function &function : *module)
    if (!function.isDeclaration())
      setTargetAttributes(function, target);
  return module;
}

} // namespace zenith::cpu
