// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses GraphIR, runs the passes named on the command line, prints the result.

#include "ir/GraphDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"

int main(int argc, char **argv) {
  // Without this, options such as --mlir-print-ir-after-all end the program
  // without a word.
  mlir::registerPassManagerCLOptions();
  mlir::registerTransformsPasses();
  zenith::registerZenithPasses();
  mlir::DialectRegistry registry;
  registry.insert<zenith::graph::GraphDialect, mlir::func::FuncDialect,
                  mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::memref::MemRefDialect,
                  mlir::vector::VectorDialect, mlir::cf::ControlFlowDialect,
                  mlir::LLVM::LLVMDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Zenith's pass driver\n", registry));
}
