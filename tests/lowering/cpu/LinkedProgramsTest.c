// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two programs that zenith-compile wrote as objects, linked into one C program:
// both have an entry main, and kernels and shared functions of equal names.

#include "runtime/ABI.h"
#include <stdio.h>
#include <stdlib.h>

int32_t sums_entry_main(zenith_run_context *, const zenith_tensor *, int64_t,
                        zenith_tensor *, int64_t, void *const *);
int32_t squares_entry_main(zenith_run_context *, const zenith_tensor *, int64_t,
                           zenith_tensor *, int64_t, void *const *);

static void *arena(void *user, int64_t bytes) {
  static _Alignas(ZENITH_ARENA_ALIGNMENT) char memory[1 << 16];
  (void)user;
  return bytes <= (int64_t)sizeof(memory) ? memory : NULL;
}

/// A row-major matrix of f32.
static zenith_tensor matrix(float *data, int64_t *dims) {
  zenith_tensor tensor = {0};
  tensor.struct_size = sizeof(tensor);
  tensor.dtype = ZENITH_F32;
  tensor.rank = 2;
  tensor.data = data;
  tensor.dims = dims;
  tensor.capacity = dims[0] * dims[1] * (int64_t)sizeof(float);
  return tensor;
}

/// Runs `entry`, five matmuls of 19 rows, on ones; nonzero where an element of
/// the result is not `expected`.
static int check(const char *name, zenith_entry_fn entry, float expected) {
  static float ones[37 * 53], result[19 * 5];
  for (size_t i = 0; i < sizeof(ones) / sizeof(*ones); ++i)
    ones[i] = 1;
  int64_t dims[][2] = {{19, 8},  {8, 37},  {37, 21}, {21, 53},
                       {53, 11}, {11, 5}, {19, 5}};
  zenith_tensor arguments[6], results[] = {matrix(result, dims[6])};
  for (int i = 0; i < 6; ++i)
    arguments[i] = matrix(ones, dims[i]);
  zenith_run_context context = {0};
  context.struct_size = sizeof(context);
  context.arena = arena;
  void *derived = NULL;
  int32_t code = entry(&context, arguments, 6, results, 1, &derived);
  if (code != ZENITH_OK) {
    printf("%s: %s\n", name, context.error.message);
    return 1;
  }
  for (size_t i = 0; i < sizeof(result) / sizeof(*result); ++i)
    if (result[i] != expected) {
      printf("%s: got %g, expected %g\n", name, result[i], expected);
      return 1;
    }
  return 0;
}

int main(void) {
  return check("sums", sums_entry_main, 16.f * 37 * 21 * 53 * 11) |
         check("squares", squares_entry_main, 64.f * 37 * 21 * 53 * 11);
}
