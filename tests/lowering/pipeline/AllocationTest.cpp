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

class Allocation : public CompiledProgram {
protected:
  /// Runs `text` often, after a first run that provides arena and results, and
  /// counts what the other runs allocate.
  void expectNone(const char *text, const std::vector<Tensor> &tensors,
                  size_t resultCount) {
    auto session = start(compile(text), 2);
    ASSERT_TRUE(session);
    const pipeline::EntryInfo &entry = *session->executable().defaultEntry();
    std::vector<zenith_tensor> arguments, results(resultCount);
    for (const Tensor &tensor : tensors)
      arguments.push_back(pipeline::viewTensor(tensor));
    for (zenith_tensor &result : results)
      result.struct_size = sizeof(zenith_tensor);
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
};

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
  expectNone(text, {floats({128, 64}, 1)}, 2);
}

TEST_F(Allocation, LoopsAllocateNothing) {
  const char *text = R"(
func.func @main(%x: tensor<50x16xf32>, %w: tensor<16x16xf32>, %h0: tensor<16xf32>) -> (tensor<50x16xf32>, tensor<16xf32>) {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %n = graph.constant dense<50> : tensor<i32>
  %y0 = graph.constant dense<0.0> : tensor<50x16xf32>
  %r:3 = graph.while %zero, %h0, %y0 cond {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %y: tensor<50x16xf32>):
    %c = graph.compare lt, %i, %n : tensor<i32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %y: tensor<50x16xf32>):
    %j = graph.add %i, %one : tensor<i32>
    %row = graph.dynamic_slice %x, %i, %zero : (tensor<50x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %v = graph.reshape %row : tensor<1x16xf32> -> tensor<16xf32>
    %m = graph.dot_general %w, %h <batching = [] x [], contracting = [1] x [0]> : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %s = graph.add %m, %v : tensor<16xf32>
    %t = graph.tanh %s : tensor<16xf32>
    %u = graph.reshape %t : tensor<16xf32> -> tensor<1x16xf32>
    %z = graph.dynamic_update_slice %y, %u, %i, %zero : (tensor<50x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<50x16xf32>
    graph.yield %j, %t, %z : tensor<i32>, tensor<16xf32>, tensor<50x16xf32>
  } : (tensor<i32>, tensor<16xf32>, tensor<50x16xf32>) -> (tensor<i32>, tensor<16xf32>, tensor<50x16xf32>)
  return %r#2, %r#1 : tensor<50x16xf32>, tensor<16xf32>
})";
  expectNone(text, {floats({50, 16}, 1), floats({16, 16}, 2), floats({16}, 3)},
             2);
}

} // namespace
} // namespace zenith::test
