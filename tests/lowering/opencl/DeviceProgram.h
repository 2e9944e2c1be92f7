// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program on the first OpenCL device beside the interpreter; skips where
// no device is installed.

#pragma once

#include "lowering/pipeline/DeviceSession.h"
#include "runtime/OpenCLDeviceList.h"
#include "tests/lowering/pipeline/CompiledProgram.h"

namespace zenith::test {

class DeviceProgram : public CompiledProgram {
protected:
  void SetUp() override {
    if (runtime::listOpenCLDevices().empty())
      GTEST_SKIP() << "no OpenCL device is installed";
  }

  std::unique_ptr<pipeline::Session> startOnDevice(const std::string &text) {
    pipeline::CompileOptions options;
    options.target = "opencl";
    auto executable = compile(text, options);
    return executable ? start(executable) : nullptr;
  }

  /// Runs twice, since buffers are kept from run to run.
  void expectOnDevice(const std::string &text,
                      const std::vector<Tensor> &arguments) {
    auto session = startOnDevice(text);
    ASSERT_TRUE(session);
    std::vector<Tensor> expected = interpret(text, arguments);
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::vector<Tensor> got = run(*session, arguments);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        SCOPED_TRACE("result " + std::to_string(i));
        expectClose(got[i], expected[i]);
      }
    }
  }
};

} // namespace zenith::test
