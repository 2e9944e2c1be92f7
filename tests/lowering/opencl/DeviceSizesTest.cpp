// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs whose sizes agree, broadcast or contradict at run time, on
// the first OpenCL device: the interpreter's values, or its refusal.
// ZENITH_RANDOM_PROGRAMS sets how many, ZENITH_RANDOM_FIRST the first.

#include "runtime/OpenCLDeviceList.h"
#include "tests/lowering/pipeline/RandomSizePrograms.h"

namespace zenith::test {
namespace {

class DeviceSizes : public RandomSizes {
  void SetUp() override {
    if (runtime::listOpenCLDevices().empty())
      GTEST_SKIP() << "no OpenCL device is installed";
  }
};

TEST_F(DeviceSizes, SameValuesOrSameRefusal) {
  compare("opencl", asked("ZENITH_RANDOM_FIRST", 0),
          asked("ZENITH_RANDOM_PROGRAMS", 6));
}

} // namespace
} // namespace zenith::test
