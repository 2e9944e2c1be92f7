// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled host code calls to drive the context's device.

#include "runtime/ABI.h"

#include "runtime/ProfileClock.h"

using zenith::runtime::ProfileClock;

/// The context's device; null after recording that there is none, or an earlier
/// error.
static const zenith_device *deviceOf(zenith_run_context *context) {
  if (zenith_run_status(context) != ZENITH_OK)
    return nullptr;
  if (!context->device)
    zenith_fail(context, ZENITH_RUN_FAILED,
                "the program needs a device and the context has none", nullptr);
  return context->device;
}

/// Records a failure for which the device gave no reason.
static int32_t checked(zenith_run_context *context, int32_t code) {
  return code == ZENITH_OK
             ? code
             : zenith_fail(context, code, "the device failed", nullptr);
}

void *zenith_device_buffer(zenith_run_context *context, int32_t device_class,
                           int64_t index, int64_t bytes) {
  const zenith_device *device = deviceOf(context);
  void *handle = nullptr;
  if (device)
    checked(context, device->buffer(device->user, device_class, index, bytes,
                                    &handle, &context->error));
  return context->error.code == ZENITH_OK ? handle : nullptr;
}

int32_t zenith_device_upload(zenith_run_context *context, int64_t index,
                             void *handle, int64_t offset, const void *host,
                             int64_t bytes) {
  const zenith_device *device = deviceOf(context);
  if (!device || bytes <= 0)
    return context->error.code;
  ProfileClock clock(*context);
  int32_t code = checked(context, device->upload(device->user, {handle, offset},
                                                 host, bytes, &context->error));
  clock.report(ZENITH_EVENT_UPLOAD, index, 0, bytes, nullptr);
  return code;
}

int32_t zenith_device_download(zenith_run_context *context, int64_t index,
                               void *host, void *handle, int64_t offset,
                               int64_t bytes) {
  const zenith_device *device = deviceOf(context);
  if (!device || bytes <= 0)
    return context->error.code;
  ProfileClock clock(*context);
  int32_t code =
      checked(context, device->download(device->user, host, {handle, offset},
                                        bytes, &context->error));
  clock.report(ZENITH_EVENT_DOWNLOAD, index, 0, bytes, nullptr);
  return code;
}

int32_t zenith_device_copy(zenith_run_context *context, void *to,
                           int64_t to_offset, void *from, int64_t from_offset,
                           int64_t bytes) {
  const zenith_device *device = deviceOf(context);
  if (!device || bytes <= 0)
    return context->error.code;
  return checked(context,
                 device->copy(device->user, {to, to_offset},
                              {from, from_offset}, bytes, &context->error));
}

int32_t zenith_device_launch(zenith_run_context *context, int64_t kernel_index,
                             const zenith_buffer_ref *pointers,
                             int64_t npointers, const int64_t *sizes,
                             int64_t nsizes, int64_t tasks) {
  const zenith_device *device = deviceOf(context);
  if (!device || tasks <= 0)
    return context->error.code;
  ProfileClock clock(*context);
  int32_t code = checked(
      context, device->launch(device->user, kernel_index, pointers, npointers,
                              sizes, nsizes, tasks, &context->error));
  if (code == ZENITH_OK && context->profile)
    code = checked(context, device->finish(device->user, &context->error));
  clock.report(ZENITH_EVENT_DEVICE_KERNEL, kernel_index, tasks, 0, sizes);
  return code;
}

int32_t zenith_device_finish(zenith_run_context *context) {
  const zenith_device *device = deviceOf(context);
  if (!device)
    return context->error.code;
  return checked(context, device->finish(device->user, &context->error));
}

void *zenith_device_take(zenith_run_context *context, int64_t bytes) {
  const zenith_device *device = deviceOf(context);
  void *handle = nullptr;
  if (device)
    checked(context,
            device->take(device->user, bytes, &handle, &context->error));
  return context->error.code == ZENITH_OK ? handle : nullptr;
}

void zenith_device_drop(zenith_run_context *context, void *handle) {
  if (context->device && handle)
    context->device->drop(context->device->user, handle);
}
