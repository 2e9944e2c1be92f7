// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of a static program allocates nothing: malloc and operator new are
// counted while it runs.

#include "tests/lowering/pipeline/CompiledProgram.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<bool> counting{false};
static std::atomic<int64_t> allocations{0};

static void note() {
  if (counting.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
}

// All forms of new end here; the libraries below call malloc themselves.
void *operator new(std::size_t bytes) {
  note();
  if (void *data = std::malloc(bytes ? bytes : 1))
    return data;
  std::abort();
}
void operator delete(void *data) noexcept { std::free(data); }
void operator delete(void *data, std::size_t) noexcept { std::free(data); }

extern "C" void *__libc_malloc(std::size_t);
extern "C" void *malloc(std::size_t bytes) {
  note();
  return __libc_malloc(bytes);
}

namespace zenith::test {
namespace {

class Allocation : public CompiledProgram {};

TEST_F(Allocation, StaticRunsAllocateNothing) {
  const char *text = R"(
graph.param @w : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
func.func @main(%x: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<128xf32>) {
  %w = graph.get_param @w : tensor<64x64xf32>
  %h = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %s = graph.softmax %h [1] : tensor<128x64xf32>
  %t = graph.transpose %s [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  %u = graph.reduce sum, %t [0] : tensor<64x128xf32> -> tensor<128xf32>
  return %s, %u : tensor<128x64xf32>, tensor<128xf32>
})";
  auto session = start(compile(text), 2);
  ASSERT_TRUE(session);
  const pipeline::EntryInfo &entry = *session->executable().defaultEntry();
  Tensor x = floats({128, 64}, 1);
  std::vector<zenith_tensor> arguments{pipeline::viewTensor(x)}, results(2);
  for (zenith_tensor &result : results)
    result.struct_size = sizeof(zenith_tensor);
  // The first run provides arena and results; later ones reuse them.
  ASSERT_FALSE(bool(session->run(entry, arguments, results)));
  allocations = 0;
  counting = true;
  bool failed = false;
  for (int round = 0; round < 20; ++round)
    failed |= bool(session->run(entry, arguments, results));
  counting = false;
  EXPECT_FALSE(failed);
  EXPECT_EQ(allocations.load(), 0);
  for (zenith_tensor &result : results)
    session->runContext().release(result);
}

} // namespace
} // namespace zenith::test
