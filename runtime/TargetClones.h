// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function multiversioning: functions compiled for the baseline and for newer
// instruction sets; the loader chooses.

#ifndef ZENITH_RUNTIME_TARGETCLONES_H
#define ZENITH_RUNTIME_TARGETCLONES_H

/// The loader chooses before ThreadSanitizer's runtime is there, which the
/// function that it asks would need.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ZENITH_ONE_CLONE
#endif
#endif

/// Before a function that counts bits and shifts by variable amounts. Functions
/// that it calls must be ZENITH_INLINE, to be compiled for the same instruction
/// set.
#if defined(__x86_64__) && defined(__linux__) && defined(__clang__) &&         \
    !defined(ZENITH_ONE_CLONE)
#define ZENITH_TARGET_CLONES                                                   \
  __attribute__((target_clones("arch=x86-64-v3", "default")))
/// The same where 512-bit vectors and masks pay for a further clone.
#define ZENITH_WIDE_CLONES                                                     \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ZENITH_TARGET_CLONES
#define ZENITH_WIDE_CLONES
#endif

#if defined(__GNUC__)
#define ZENITH_INLINE static inline __attribute__((always_inline))
#else
#define ZENITH_INLINE static inline
#endif

/// The same for methods, and after a lambda's parameters.
#if defined(__GNUC__)
#define ZENITH_METHOD inline __attribute__((always_inline))
#define ZENITH_LAMBDA __attribute__((always_inline))
#else
#define ZENITH_METHOD inline
#define ZENITH_LAMBDA
#endif

#endif // ZENITH_RUNTIME_TARGETCLONES_H
