// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as text through conversion, code generation and the JIT: their
// numbers, and the objects' bytes.

#include "lowering/cpu/CompileKernels.h"

#include "ir/target/CPUTarget.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/cpu/JITLibrary.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "runtime/ABI.h"
#include "llvm/IR/Module.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith::cpu;
using zenith::target::CPUTarget;

namespace {

/// A kernel NAME(x, y, n, begin, end): y[i] = FACTOR * helper(x[i]) for i of
/// the tasks of 8 elements.
std::string scaleKernel(const std::string &name, int factor) {
  std::string text = R"(
  func.func @NAME(%x: memref<1099511627776xf32>, %y: memref<1099511627776xf32>, %n: index, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant dense<FACTOR.0> : vector<8xf32>
    %zero = arith.constant dense<0.0> : vector<8xf32>
    scf.for %task = %begin to %end step %c1 {
      %i = arith.muli %task, %c8 overflow<nsw> : index
      %left = arith.subi %n, %i : index
      %mask = vector.create_mask %left : vector<8xi1>
      %v = vector.maskedload %x[%i], %mask, %zero : memref<1099511627776xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %h = func.call @square(%v) : (vector<8xf32>) -> vector<8xf32>
      %r = arith.mulf %h, %f : vector<8xf32>
      vector.maskedstore %y[%i], %mask, %r : memref<1099511627776xf32>, vector<8xi1>, vector<8xf32>
    }
    return
  })";
  text.replace(text.find("NAME"), 4, name);
  text.replace(text.find("FACTOR"), 6, std::to_string(factor));
  return text;
}

std::string square = R"(
  func.func private @square(%v: vector<8xf32>) -> vector<8xf32> {
    %r = arith.mulf %v, %v : vector<8xf32>
    return %r : vector<8xf32>
  })";

class CompileKernels : public ::testing::Test {
protected:
  CompileKernels() : context(registry()) { context.loadAllAvailableDialects(); }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerKernelDialects(registry);
    return registry;
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module));
    return module;
  }
  std::vector<EmittedFile> compile(mlir::ModuleOp module, unsigned threads,
                                   const std::string &name = "cpu",
                                   EmitKind emit = EmitKind::Object) {
    KernelCompileOptions options;
    options.threads = threads;
    options.emit = emit;
    auto target = CPUTarget::parse(name);
    EXPECT_TRUE(bool(target));
    auto files = compileKernels(module, *target, options);
    if (!files)
      ADD_FAILURE() << llvm::toString(files.takeError());
    return files ? std::move(*files) : std::vector<EmittedFile>();
  }
  std::unique_ptr<JITLibrary> link(const std::vector<EmittedFile> &files) {
    auto library = JITLibrary::create(files, CPUTarget::host());
    if (!library)
      ADD_FAILURE() << llvm::toString(library.takeError());
    return library ? std::move(*library) : nullptr;
  }
  mlir::MLIRContext context;
};

TEST_F(CompileKernels, TaskFunctionUnpacksItsArrays) {
  auto module = parse(square + scaleKernel("k", 3));
  auto library = link(compile(*module, 1));
  auto task = library->lookupAs<zenith_task_fn>("k__task");
  ASSERT_TRUE(bool(task));
  std::vector<float> x(21), y(32, -1);
  for (unsigned i = 0; i < x.size(); ++i)
    x[i] = i;
  void *pointers[] = {x.data(), y.data()};
  int64_t sizes[] = {21};
  (*task)(pointers, sizes, 1, 3);
  for (unsigned i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], i < 8 || i >= 21 ? -1.0f : 3.0f * i * i) << i;
}

/// The first `count` of 64 bytes go from x to y, larger by 1 where they were
/// below 3; all bits of what is not 0 are joined in y[64].
std::string bytesKernel = R"(
  func.func @bytes(%x: memref<1099511627776xi8>, %y: memref<1099511627776xi8>, %count: index, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %none = arith.constant dense<false> : vector<64xi1>
    %zero = arith.constant dense<0> : vector<64xi8>
    %one = arith.constant dense<1> : vector<64xi8>
    %three = arith.constant dense<3> : vector<64xi8>
    %mask = vector.create_mask %count : vector<64xi1>
    %v = vector.maskedload %x[%c0], %mask, %zero : memref<1099511627776xi8>, vector<64xi1>, vector<64xi8> into vector<64xi8>
    %few = arith.cmpi ult, %v, %three : vector<64xi8>
    %more = arith.addi %v, %one : vector<64xi8>
    %r = arith.select %few, %more, %v : vector<64xi1>, vector<64xi8>
    vector.maskedstore %y[%c0], %mask, %r : memref<1099511627776xi8>, vector<64xi1>, vector<64xi8>
    %any = scf.for %i = %begin to %end step %c1 iter_args(%so = %none) -> (vector<64xi1>) {
      %at = arith.muli %i, %c64 : index
      %w = vector.load %x[%at] : memref<1099511627776xi8>, vector<64xi8>
      %is = arith.cmpi ne, %w, %zero : vector<64xi8>
      %next = arith.ori %so, %is : vector<64xi1>
      scf.yield %next : vector<64xi1>
    }
    %all = vector.reduction <or>, %any : vector<64xi1> into i1
    %byte = arith.extui %all : i1 to i8
    memref.store %byte, %y[%c64] : memref<1099511627776xi8>
    return
  })";

TEST_F(CompileKernels, MasksOfBytes) {
  auto module = parse(bytesKernel);
  auto library = link(compile(*module, 1));
  auto task = library->lookupAs<zenith_task_fn>("bytes__task");
  ASSERT_TRUE(bool(task));
  for (int64_t count : {-1, 0, 1, 17, 63, 64, 65, 300}) {
    std::vector<uint8_t> x(128), y(65, 200);
    for (unsigned i = 0; i < 64; ++i)
      x[i] = uint8_t(i % 7);
    void *pointers[] = {x.data(), y.data()};
    (*task)(pointers, &count, 0, 2);
    for (int64_t i = 0; i < 64; ++i)
      EXPECT_EQ(y[i], i >= count ? 200
                      : x[i] < 3 ? x[i] + 1
                                 : x[i])
          << i << " of " << count;
    EXPECT_EQ(y[64], 1);
    (*task)(pointers, &count, 1, 2);
    EXPECT_EQ(y[64], 0);
  }
}

TEST_F(CompileKernels, MasksSuitTheProcessor) {
  auto module = parse(bytesKernel);
  std::string without =
                  compile(*module, 1, "cpu:x86-64-v3", EmitKind::LLVM)[0].bytes,
              with =
                  compile(*module, 1, "cpu:x86-64-v4", EmitKind::LLVM)[0].bytes;
  EXPECT_EQ(without.find("call <64 x i8> @llvm.masked"), std::string::npos);
  EXPECT_NE(without.find("llvm.memcpy"), std::string::npos);
  EXPECT_EQ(without.find("phi <64 x i1>"), std::string::npos);
  EXPECT_NE(with.find("call <64 x i8> @llvm.masked.load"), std::string::npos);
  EXPECT_NE(with.find("phi <64 x i1>"), std::string::npos);
}

TEST_F(CompileKernels, ObjectsDontDependOnThreads) {
  std::string text = square;
  for (int i = 0; i < 40; ++i)
    text += scaleKernel("k" + std::to_string(i), i);
  auto module = parse(text);
  std::vector<EmittedFile> one = compile(*module, 1);
  // Three of kernels and the one that all call.
  ASSERT_EQ(one.size(), 4u);
  for (unsigned threads : {2u, 3u, 8u}) {
    std::vector<EmittedFile> many = compile(*module, threads);
    ASSERT_EQ(many.size(), one.size());
    for (unsigned i = 0; i < one.size(); ++i)
      EXPECT_TRUE(one[i].name == many[i].name && one[i].bytes == many[i].bytes)
          << one[i].name;
  }
  auto library = link(one);
  auto last = library->lookupAs<zenith_task_fn>("k39__task");
  ASSERT_TRUE(bool(last));
  std::vector<float> x(8, 2), y(8);
  void *pointers[] = {x.data(), y.data()};
  int64_t sizes[] = {8};
  (*last)(pointers, sizes, 0, 1);
  EXPECT_EQ(y, std::vector<float>(8, 156));
  auto missing = library->lookup("k40__task");
  EXPECT_FALSE(bool(missing));
  llvm::consumeError(missing.takeError());
}

TEST_F(CompileKernels, CalledFunctionsAreCompiledOnce) {
  std::string text = square;
  for (int i = 0; i < 17; ++i)
    text += scaleKernel("k" + std::to_string(i), i);
  std::string all;
  for (EmittedFile &file : compile(*parse(text), 1, "cpu", EmitKind::LLVM))
    all += file.bytes;
  size_t first = all.find("define hidden <8 x float> @square");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(all.find("<8 x float> @square(<8 x float> %0) #", first + 20),
            std::string::npos);
}

TEST_F(CompileKernels, TargetsOfEveryWidthCompile) {
  auto module = parse(square + scaleKernel("k", 2));
  for (const char *target :
       {"cpu:x86-64", "cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:znver4"})
    EXPECT_EQ(compile(*module, 1, target).size(), 1u) << target;
  std::string text =
      compile(*module, 1, "cpu:x86-64-v4", EmitKind::Assembly)[0].bytes;
  EXPECT_NE(text.find("k__task"), std::string::npos);
}

TEST_F(CompileKernels, PointersAreNoaliasUnlessSaid) {
  auto module = parse(R"(
  func.func @k(%x: memref<1099511627776xf32> {zenith.may_alias}, %y: memref<1099511627776xf32>,
               %z: memref<1099511627776xf32> {zenith.may_alias}, %begin: index, %end: index) {
    return
  })");
  std::string text = compile(*module, 1, "cpu", EmitKind::LLVM)[0].bytes;
  EXPECT_NE(text.find("@k(ptr %0, ptr noalias %1, ptr %2"), std::string::npos)
      << text;
  EXPECT_NE(text.find("target-features"), std::string::npos);
}

TEST_F(CompileKernels, LibmIsThere) {
  auto module = parse(R"(
  func.func @k(%x: memref<1099511627776xf64>, %begin: index, %end: index) {
    %0 = memref.load %x[%begin] : memref<1099511627776xf64>
    %1 = math.exp %0 : f64
    %2 = math.erf %1 : f64
    %3 = math.log1p %2 : f64
    %half = arith.truncf %3 : f64 to f16
    %4 = arith.extf %half : f16 to f64
    memref.store %4, %x[%begin] : memref<1099511627776xf64>
    return
  })");
  for (const char *target : {"cpu", "cpu:x86-64"}) {
    auto library = link(compile(*module, 1, target));
    auto task = library->lookupAs<zenith_task_fn>("k__task");
    ASSERT_TRUE(bool(task));
    double value = -0.5;
    void *pointers[] = {&value};
    (*task)(pointers, nullptr, 0, 1);
    EXPECT_NEAR(value, std::log1p(std::erf(std::exp(-0.5))), 1e-3);
  }
}

TEST_F(CompileKernels, WhatDoesNotConvertIsAnError) {
  auto module = parse(R"(
  func.func @k(%x: memref<?xf32, strided<[?], offset: ?>>, %begin: index, %end: index) {
    return
  })");
  auto files = compileKernels(*module, CPUTarget::host());
  EXPECT_FALSE(bool(files));
  llvm::consumeError(files.takeError());
}

} // namespace
