// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C function through which the runtime, the interpreter and the compiler
// reach LAPACK: a library of its own, since the interpreter links nothing else
// of the runtime.

#ifndef ZENITH_RUNTIME_ROUTINES_LAPACK_H
#define ZENITH_RUNTIME_ROUTINES_LAPACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zenith_lapack_status {
  ZENITH_LAPACK_DONE = 0,
  ZENITH_LAPACK_UNKNOWN_ROUTINE = 1,
  ZENITH_LAPACK_NO_LIBRARY = 2, ///< this machine has no liblapack.so.3
  ZENITH_LAPACK_NO_MEMORY = 3
} zenith_lapack_status;

/// Runs `routine`, named without the letter of the element type, which is
/// `type`: s, d, c or z. `sizes` holds the batches, the rows and the columns of
/// its matrices, then the options of the routine. The bytes of the results must
/// be zero. Matrices without elements only tell whether there is the routine.
__attribute__((visibility("default"))) zenith_lapack_status
zenith_routine_lapack(const char *routine, char type, const int64_t *sizes,
                      void *const *inputs, void *const *results);

#ifdef __cplusplus
}
#endif

#endif // ZENITH_RUNTIME_ROUTINES_LAPACK_H
