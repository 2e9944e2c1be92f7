// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs over matrices whose sizes agree, broadcast or contradict at
// run time: compiled code and the interpreter give the same values or the same
// refusal. ZENITH_RANDOM_PROGRAMS sets how many, ZENITH_RANDOM_FIRST the first.

#include "tests/lowering/pipeline/RandomSizePrograms.h"

namespace zenith::test {
namespace {

TEST_F(RandomSizes, SameValuesOrSameRefusal) {
  compare("cpu", asked("ZENITH_RANDOM_FIRST", 0),
          asked("ZENITH_RANDOM_PROGRAMS", 25));
}

} // namespace
} // namespace zenith::test
