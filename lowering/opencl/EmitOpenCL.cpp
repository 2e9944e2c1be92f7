// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module of kernels to one text of OpenCL C: private functions before their
// callers, and per kernel an entry that gives each work-item its task.

#include "lowering/opencl/EmitOpenCL.h"

#include "ir/LLVMError.h"
#include "lowering/opencl/FunctionPrinter.h"
#include "lowering/opencl/PrintedFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace zenith::opencl {

namespace {
class ProgramPrinter {
public:
  ProgramPrinter(ModuleOp module, const PrintOptions &options)
      : module(module), options(options) {}

  llvm::Expected<OpenCLProgram> print();

private:
  LogicalResult printFunction(func::FuncOp function, const std::string &name,
                              llvm::ArrayRef<Space> spaces);
  std::string callee(func::CallOp call, llvm::ArrayRef<Space> spaces);
  LogicalResult printKernel(func::FuncOp kernel);
  std::string prologue() const;

  ModuleOp module;
  const PrintOptions &options;
  PrintedFunctions shared;
  std::string functions;
  llvm::StringSet<> printed; ///< variants of private functions
  llvm::StringSet<> open;    ///< those being printed
  bool usesDouble = false;
  std::string message;
};
} // namespace

LogicalResult ProgramPrinter::printFunction(func::FuncOp function,
                                            const std::string &name,
                                            llvm::ArrayRef<Space> spaces) {
  FunctionPrinter printer(
      shared, options,
      [&](func::CallOp call, llvm::ArrayRef<Space> pointerSpaces) {
        return callee(call, pointerSpaces);
      });
  if (failed(printer.print(function, name, spaces))) {
    if (message.empty())
      message = printer.error() + " (kernel " + function.getName().str() + ")";
    return failure();
  }
  functions += printer.takeText() + "\n";
  return success();
}

/// Functions of the C library that kernels may call on f64, and that OpenCL C
/// has under the same name.
static bool isDoubleBuiltin(func::FuncOp function) {
  auto isDouble = [](Type type) { return type.isF64(); };
  return function.isExternal() &&
         llvm::all_of(function.getArgumentTypes(), isDouble) &&
         llvm::all_of(function.getResultTypes(), isDouble) &&
         llvm::is_contained(
             {
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY) #NAME,
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY) #NAME,
#define ZENITH_FUNCTION_WITHOUT_OP(NAME) #NAME,
#include "ir/ElementaryFunctions.def"
             },
             function.getName());
}

std::string ProgramPrinter::callee(func::CallOp call,
                                   llvm::ArrayRef<Space> spaces) {
  auto function = module.lookupSymbol<func::FuncOp>(call.getCallee());
  if (function && isDoubleBuiltin(function))
    return function.getName().str();
  if (!function || function.isExternal())
    return {};
  std::string name = function.getName().str();
  if (!spaces.empty())
    name += "_";
  for (Space space : spaces)
    name += space == Space::Global ? 'g' : 'p';
  if (printed.contains(name))
    return name;
  // OpenCL C has no recursion.
  if (!open.insert(name).second)
    return {};
  LogicalResult done = printFunction(function, name, spaces);
  open.erase(name);
  if (failed(done))
    return {};
  printed.insert(name);
  return name;
}

LogicalResult ProgramPrinter::printKernel(func::FuncOp kernel) {
  auto types = kernel.getArgumentTypes();
  bool wellFormed = types.size() >= 2 && types.back().isIndex() &&
                    types[types.size() - 2].isIndex();
  std::string head, arguments;
  unsigned pointers = 0, sizes = 0;
  for (Type type : wellFormed ? types.drop_back(2) : types) {
    if (auto memory = dyn_cast<MemRefType>(type)) {
      std::string n = std::to_string(pointers++);
      head += "__global uchar *buffer" + n + ", long offset" + n + ", ";
      arguments += "(__global " + memoryName(memory.getElementType()) +
                   " *)(buffer" + n + " + offset" + n + "), ";
      wellFormed &= sizes == 0;
      continue;
    }
    wellFormed &= type.isIndex();
    std::string size = "size" + std::to_string(sizes++);
    head += "long " + size + ", ";
    arguments += size + ", ";
  }
  std::string name = kernel.getName().str();
  if (!wellFormed) {
    message = "kernel " + name +
              " does not take pointers, sizes, begin and end, in this order";
    return failure();
  }
  int64_t bytes = 8 * (2 * pointers + sizes + 2);
  if (bytes > options.maxParameterBytes) {
    message = "kernel " + name + " takes " + std::to_string(bytes) +
              " bytes of arguments, the device allows " +
              std::to_string(options.maxParameterBytes);
    return failure();
  }
  llvm::SmallVector<Space> spaces(pointers, Space::Global);
  if (failed(printFunction(kernel, name + "_tasks", spaces)))
    return failure();
  functions += "__attribute__((reqd_work_group_size(" +
               std::to_string(options.localSize) + ", 1, 1)))\n__kernel void " +
               name + "(" + head +
               "long begin, long tasks) {\n"
               "  const long item = get_global_id(0);\n"
               "  if (item >= tasks)\n    return;\n  " +
               name + "_tasks(" + arguments +
               "begin + item, begin + item + 1);\n}\n\n";
  return success();
}

std::string ProgramPrinter::prologue() const {
  std::string text = "#pragma OPENCL FP_CONTRACT OFF\n";
  if (usesDouble)
    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  return text + "\n";
}

static bool hasDouble(TypeRange types) {
  return llvm::any_of(
      types, [](Type type) { return getElementTypeOrSelf(type).isF64(); });
}

llvm::Expected<OpenCLProgram> ProgramPrinter::print() {
  OpenCLProgram program;
  program.localSize = options.localSize;
  module.walk([&](Operation *op) {
    usesDouble |=
        hasDouble(op->getOperandTypes()) || hasDouble(op->getResultTypes());
  });
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel.isPublic() || kernel.isExternal())
      continue;
    if (failed(printKernel(kernel)))
      return makeError(ErrorCode::Unsupported, message);
    program.kernels.push_back(kernel.getName().str());
  }
  program.source = prologue() + shared.text() + functions;
  return program;
}

llvm::Expected<OpenCLProgram> emitOpenCL(ModuleOp kernels,
                                         const PrintOptions &options) {
  return ProgramPrinter(kernels, options).print();
}

} // namespace zenith::opencl
