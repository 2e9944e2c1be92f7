// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions compiled once for every processor and once for those of today; the
// loader chooses.

#ifndef ZENITH_RUNTIME_PROCESSORCLONES_H
#define ZENITH_RUNTIME_PROCESSORCLONES_H

/// In front of a function that counts bits and shifts by variable amounts. What
/// it calls has to be ZENITH_INLINE, to be compiled along with it.
#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define ZENITH_PROCESSOR_CLONES                                                \
  __attribute__((target_clones("arch=x86-64-v3", "default")))
/// The same where 512 bits and masks are worth a clone of their own.
#define ZENITH_WIDE_CLONES                                                     \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ZENITH_PROCESSOR_CLONES
#define ZENITH_WIDE_CLONES
#endif

#if defined(__GNUC__)
#define ZENITH_INLINE static inline __attribute__((always_inline))
#else
#define ZENITH_INLINE static inline
#endif

/// The same for what belongs to a class, and behind a lambda's parameters.
#if defined(__GNUC__)
#define ZENITH_METHOD inline __attribute__((always_inline))
#define ZENITH_LAMBDA __attribute__((always_inline))
#else
#define ZENITH_METHOD inline
#define ZENITH_LAMBDA
#endif

#endif // ZENITH_RUNTIME_PROCESSORCLONES_H
