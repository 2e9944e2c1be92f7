// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code calls for values that wait in a file.

#include "runtime/ABI.h"

/// Hosts built before the field existed say so by the size.
static const zenith_file *fileOf(const zenith_run_context *context) {
  return context->struct_size >= sizeof(zenith_run_context) ? context->file
                                                            : nullptr;
}

int32_t zenith_file_begin(zenith_run_context *context, int64_t bytes,
                          int64_t transfers) {
  const zenith_file *file = fileOf(context);
  if (!file)
    return zenith_fail(context, ZENITH_USAGE,
                       "the program keeps values in a file, and the run has no "
                       "folder for one",
                       nullptr);
  return file->begin(file->user, bytes, transfers, &context->error);
}

void zenith_file_write(zenith_run_context *context, const void *from,
                       int64_t offset, int64_t bytes) {
  context->file->write(context->file->user, from, offset, bytes);
}

void zenith_file_read(zenith_run_context *context, void *to, int64_t offset,
                      int64_t bytes) {
  context->file->read(context->file->user, to, offset, bytes);
}

int32_t zenith_file_await(zenith_run_context *context, int64_t transfers) {
  return context->file->await(context->file->user, transfers, &context->error);
}

void zenith_file_end(zenith_run_context *context) {
  if (const zenith_file *file = fileOf(context))
    file->end(file->user);
}
