// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of compiled programs share: compile text, run it, compare with the
// interpreter.

#ifndef ZENITH_TESTS_LOWERING_PIPELINE_COMPILEDPROGRAM_H
#define ZENITH_TESTS_LOWERING_PIPELINE_COMPILEDPROGRAM_H

#include "ir/interpreter/Interpreter.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Session.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace zenith::test {

class CompiledProgram : public ::testing::Test {
protected:
  CompiledProgram()
      : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    pipeline::registerPhaseDialects(registry);
    return registry;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << text;
    return module;
  }

  std::shared_ptr<pipeline::Executable>
  compile(const std::string &text, pipeline::CompileOptions options = {}) {
    auto module = parse(text);
    if (!module)
      return nullptr;
    auto executable = pipeline::compile(std::move(module), options);
    if (!executable)
      ADD_FAILURE() << llvm::toString(executable.takeError());
    return executable ? *executable : nullptr;
  }

  std::unique_ptr<pipeline::Session>
  start(std::shared_ptr<pipeline::Executable> executable, int threads = 1,
        int64_t maxMemory = 0) {
    pipeline::SessionOptions options;
    options.threads = threads;
    options.maxMemoryBytes = maxMemory;
    auto session = pipeline::Session::create(std::move(executable), options);
    if (!session)
      ADD_FAILURE() << llvm::toString(session.takeError());
    return session ? std::move(*session) : nullptr;
  }

  std::vector<Tensor> run(pipeline::Session &session,
                          llvm::ArrayRef<Tensor> arguments) {
    auto results =
        session.run(*session.executable().defaultEntry(), arguments, &context);
    if (!results)
      ADD_FAILURE() << llvm::toString(results.takeError());
    return results ? *results : std::vector<Tensor>();
  }

  /// The error of a run, which must fail: "code: message".
  std::string failureOf(pipeline::Session &session,
                        llvm::ArrayRef<Tensor> arguments) {
    auto results =
        session.run(*session.executable().defaultEntry(), arguments, &context);
    if (results)
      return "no error";
    Error error = errorOf(results.takeError());
    return std::to_string(int(error.code)) + ": " + error.message();
  }

  Tensor floats(std::vector<int64_t> shape, unsigned seed) {
    Tensor tensor(
        mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context)));
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    float *data = reinterpret_cast<float *>(tensor.writable());
    for (int64_t i = 0; i < tensor.size(); ++i)
      data[i] = normal(random);
    return tensor;
  }

  /// Results of the interpreter for the function @main of `text`.
  std::vector<Tensor> interpret(const std::string &text,
                                llvm::ArrayRef<Tensor> arguments) {
    auto module = parse(text);
    auto results = interpreter::run(
        module->lookupSymbol<mlir::func::FuncOp>("main"), arguments);
    if (!results)
      ADD_FAILURE() << llvm::toString(results.takeError());
    return results ? *results : std::vector<Tensor>();
  }

  static bool sameBytes(const Tensor &x, const Tensor &y) {
    return x.shape() == y.shape() && x.byteSize() == y.byteSize() &&
           (x.byteSize() == 0 ||
            !std::memcmp(x.bytes(), y.bytes(), x.byteSize()));
  }

  /// Equal types; integers equal, floats within `tolerance` of the largest
  /// magnitude.
  static void expectClose(const Tensor &got, const Tensor &expected,
                          double tolerance = 1e-5) {
    ASSERT_TRUE(got.shape() == expected.shape());
    if (!got.elementType().isF32()) {
      EXPECT_TRUE(sameBytes(got, expected));
      return;
    }
    const float *x = reinterpret_cast<const float *>(got.bytes());
    const float *y = reinterpret_cast<const float *>(expected.bytes());
    double largest = 1e-30;
    for (int64_t i = 0; i < got.size(); ++i)
      if (std::isfinite(y[i]))
        largest = std::max(largest, std::fabs(double(y[i])));
    for (int64_t i = 0; i < got.size(); ++i) {
      if (std::isnan(y[i]) || std::isinf(y[i]))
        ASSERT_TRUE(std::isnan(y[i]) ? std::isnan(x[i]) : x[i] == y[i]) << i;
      else
        ASSERT_NEAR(x[i], y[i], tolerance * largest) << i;
    }
  }

  /// Compiles `text`, runs it on 1, 2, 3 and 8 threads, which must give the
  /// same bits, and compares with the interpreter.
  void expectMeaning(const std::string &text,
                     llvm::ArrayRef<Tensor> arguments) {
    auto executable = compile(text);
    if (!executable)
      return;
    std::vector<Tensor> expected = interpret(text, arguments), first;
    for (int threads : {1, 2, 3, 8}) {
      auto session = start(executable, threads);
      if (!session)
        return;
      std::vector<Tensor> got = run(*session, arguments);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        if (threads == 1)
          expectClose(got[i], expected[i]);
        else
          EXPECT_TRUE(sameBytes(got[i], first[i]))
              << "result " << i << " with " << threads << " threads";
      }
      if (threads == 1)
        first = got;
    }
  }

  mlir::MLIRContext context;
};

} // namespace zenith::test

#endif // ZENITH_TESTS_LOWERING_PIPELINE_COMPILEDPROGRAM_H
