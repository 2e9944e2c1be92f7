// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the C tests: each failure ends the program with its line.

#ifndef ZENITH_TESTS_FRONTENDS_C_CHECK_H
#define ZENITH_TESTS_FRONTENDS_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zenith/zenith.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define OK(call) check_status((call), ZENITH_OK, 0, __LINE__)
#define FAILS(call, code, reason) check_status((call), code, reason, __LINE__)

/// The call's code, and its reason unless that is 0.
static inline void check_status(zenith_status *status, zenith_code code,
                                zenith_reason reason, int line) {
  if (zenith_status_code(status) != code ||
      (reason && zenith_status_reason(status) != reason)) {
    printf("line %d: code %d reason %d, expected %d %d: %s: %s\n", line,
           (int)zenith_status_code(status), (int)zenith_status_reason(status),
           (int)code, (int)reason, zenith_status_place(status),
           zenith_status_message(status));
    exit(1);
  }
  zenith_status_free(status);
}

static inline zenith_array *wrap(zenith_context *context, zenith_dtype dtype,
                                 int32_t rank, const int64_t *dims, void *data,
                                 zenith_hold hold) {
  zenith_view view;
  ZENITH_INIT(&view);
  view.dtype = dtype;
  view.rank = rank;
  view.dims = dims;
  view.data = data;
  zenith_array *array = NULL;
  OK(zenith_array_wrap(context, &view, hold, NULL, NULL, &array));
  return array;
}

#endif // ZENITH_TESTS_FRONTENDS_C_CHECK_H
