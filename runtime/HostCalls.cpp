// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code calls for memory, kernels and errors on the host.

#include "runtime/ABI.h"

#include "runtime/ProfileClock.h"
#include "runtime/Status.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

using zenith::runtime::ProfileClock;

int32_t zenith_fail(zenith_run_context *context, int32_t code,
                    const char *message, const char *op_path) {
  zenith::runtime::recordError(context->error, code, message, op_path);
  return context->error.code;
}

int32_t zenith_fail_because(zenith_run_context *context, int32_t code,
                            int32_t reason, const char *message,
                            const char *op_path) {
  if (context->error.code == ZENITH_OK)
    context->error.reason = reason;
  return zenith_fail(context, code, message, op_path);
}

/// The number in "{12}" at the beginning of `text`, and the characters of it;
/// -1 where there is none.
static int64_t markAt(const char *text, size_t &length) {
  char *end = nullptr;
  if (text[0] != '{' || text[1] < '0' || text[1] > '9')
    return -1;
  unsigned long number = std::strtoul(text + 1, &end, 10);
  length = size_t(end - text) + 1;
  return *end == '}' && number < INT32_MAX ? int64_t(number) : -1;
}

int32_t zenith_fail_assert(zenith_run_context *context, int32_t code,
                           const char *message, const int64_t *details,
                           int64_t ndetails, const char *place) {
  char text[sizeof(context->error.message)];
  size_t size = 0, length = 0;
  while (*message && size + 24 < sizeof(text)) { // of any number
    int64_t index = markAt(message, length);
    if (index < 0 || index >= ndetails) {
      text[size++] = *message++;
      continue;
    }
    size += size_t(std::snprintf(text + size, sizeof(text) - size, "%lld",
                                 static_cast<long long>(details[index])));
    message += length;
  }
  text[size] = '\0';
  // Of the codes that an assertion may have, one says no more than this.
  int32_t reason =
      code == ZENITH_INVALID_INPUT ? ZENITH_REASON_ASSERT : ZENITH_REASON_NONE;
  return zenith_fail_because(context, code, reason, text, place);
}

/// Hosts built before a field existed say so by the size.
static bool hasField(const zenith_run_context *context, size_t end) {
  return context->struct_size >= end;
}

static bool isOverdue(const zenith_run_context *context) {
  return hasField(context, offsetof(zenith_run_context, file)) &&
         context->deadline && ProfileClock::now() >= context->deadline;
}

int32_t zenith_run_status(zenith_run_context *context) {
  if (context->cancel && __atomic_load_n(context->cancel, __ATOMIC_RELAXED))
    return zenith_fail_because(context, ZENITH_RUN_FAILED,
                               ZENITH_REASON_CANCELLED, "the run was cancelled",
                               nullptr);
  if (isOverdue(context))
    return zenith_fail_because(
        context, ZENITH_RUN_FAILED, ZENITH_REASON_DEADLINE,
        "the run did not end before its deadline", nullptr);
  return context->error.code;
}

/// Runs a kernel on the context's threads, or on this one where `run` is null.
static int32_t runKernel(zenith_run_context *context, zenith_task_fn fn,
                         void *const *pointers, const int64_t *sizes,
                         int64_t tasks, int64_t kernel_index,
                         decltype(zenith_run_context::parallel_for) run) {
  if (int32_t code = zenith_run_status(context))
    return code;
  if (tasks <= 0)
    return ZENITH_OK;
  ProfileClock clock(*context);
  if (run)
    run(context->user, fn, pointers, sizes, tasks);
  else
    fn(pointers, sizes, 0, tasks);
  clock.report(ZENITH_EVENT_KERNEL, kernel_index, tasks, 0, sizes);
  return ZENITH_OK;
}

int32_t zenith_parallel_for(zenith_run_context *context, zenith_task_fn fn,
                            void *const *pointers, const int64_t *sizes,
                            int64_t tasks, int64_t kernel_index) {
  return runKernel(context, fn, pointers, sizes, tasks, kernel_index,
                   context->parallel_for);
}

int32_t zenith_serial_for(zenith_run_context *context, zenith_task_fn fn,
                          void *const *pointers, const int64_t *sizes,
                          int64_t tasks, int64_t kernel_index) {
  return runKernel(context, fn, pointers, sizes, tasks, kernel_index, nullptr);
}

void zenith_report_work(zenith_run_context *context, int64_t kernel_index,
                        int64_t flops, int64_t bytes) {
  ProfileClock(*context).report(ZENITH_EVENT_WORK, kernel_index, flops, bytes,
                                nullptr);
}

static void *failNoMemory(zenith_run_context *context, const char *what,
                          int64_t bytes) {
  std::string text = std::string(what) + " of " + std::to_string(bytes) +
                     " bytes does not fit in memory";
  zenith_fail_because(context, ZENITH_OUT_OF_MEMORY, ZENITH_REASON_ALLOCATION,
                      text.c_str(), nullptr);
  return nullptr;
}

void *zenith_arena(zenith_run_context *context, int64_t bytes) {
  if (!context->arena) {
    if (bytes == 0)
      return context;
    zenith_fail(context, ZENITH_OUT_OF_MEMORY, "the context has no arena",
                nullptr);
    return nullptr;
  }
  void *data = context->arena(context->user, bytes > 0 ? bytes : 1);
  return data ? data : failNoMemory(context, "an arena", bytes);
}

/// bytes from the context's alloc or its default, for both kinds.
static void *allocate(zenith_run_context *context, int64_t bytes,
                      int32_t kind) {
  int64_t wanted = bytes > 0 ? bytes : 1;
  void *data = nullptr;
  if (context->alloc)
    data = context->alloc(context->user, wanted, kind);
  else if (wanted <= INT64_MAX - ZENITH_BUFFER_ALIGNMENT)
    data = std::aligned_alloc(ZENITH_BUFFER_ALIGNMENT,
                              (wanted + ZENITH_BUFFER_ALIGNMENT - 1) /
                                  ZENITH_BUFFER_ALIGNMENT *
                                  ZENITH_BUFFER_ALIGNMENT);
  return data ? data : failNoMemory(context, "a buffer", bytes);
}

void *zenith_alloc(zenith_run_context *context, int64_t bytes) {
  return allocate(context, bytes, ZENITH_ALLOC_POOL);
}

void zenith_free(zenith_run_context *context, void *data) {
  if (!data)
    return;
  if (context->free)
    context->free(context->user, data);
  else
    std::free(data);
}

void zenith_param_done(zenith_run_context *context, int64_t index) {
  if (hasField(context, offsetof(zenith_run_context, progress)) &&
      context->param_done)
    context->param_done(context->user, index);
}

void zenith_progress(zenith_run_context *context, int64_t loop,
                     const int64_t *numbers, int64_t count) {
  if (hasField(context, offsetof(zenith_run_context, deadline)) &&
      context->progress)
    context->progress(context->user, loop, numbers, count);
}

void *zenith_extend(zenith_run_context *context, void *data, int64_t bytes) {
  if (!hasField(context, offsetof(zenith_run_context, keep)) ||
      !context->extend)
    return zenith_alloc(context, bytes);
  void *extended = context->extend(context->user, data, bytes > 0 ? bytes : 1);
  return extended ? extended : failNoMemory(context, "a buffer", bytes);
}
