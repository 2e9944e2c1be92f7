// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives PoCL a folder of the test program's own for what it compiles. Included
// by one file of each program.

#ifndef ZENITH_TESTS_LOWERING_OPENCL_COMPILERCACHE_H
#define ZENITH_TESTS_LOWERING_OPENCL_COMPILERCACHE_H

#include "tests/runtime/TemporaryFolder.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>

namespace zenith::test {

/// PoCL reads the folder's name once per process, so all tests share it.
class CompilerCache : public ::testing::Environment {
  void SetUp() override {
    folder = std::make_unique<runtime::TemporaryFolder>();
    setenv("POCL_CACHE_DIR", folder->path().c_str(), 1);
  }
  void TearDown() override { folder.reset(); }
  std::unique_ptr<runtime::TemporaryFolder> folder;
};

[[maybe_unused]] static auto *const compilerCache =
    ::testing::AddGlobalTestEnvironment(new CompilerCache);

} // namespace zenith::test

#endif // ZENITH_TESTS_LOWERING_OPENCL_COMPILERCACHE_H
