// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small objects without a context: versions, time, cancel tokens, blobs.

#include "frontends/c/Context.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace zenith;
using namespace zenith::c;

struct zenith_blob {
  size_t size; ///< the bytes and a 0 follow
};

uint32_t zenith_api_version(void) noexcept { return ZENITH_API_VERSION; }

int64_t zenith_now(void) noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

zenith_cancel *zenith_cancel_create(void) noexcept {
  return new (std::nothrow) zenith_cancel;
}

void zenith_cancel_request(zenith_cancel *cancel) noexcept {
  if (cancel)
    __atomic_store_n(&cancel->requested, 1, __ATOMIC_RELAXED);
}

void zenith_cancel_reset(zenith_cancel *cancel) noexcept {
  if (cancel)
    __atomic_store_n(&cancel->requested, 0, __ATOMIC_RELAXED);
}

void zenith_cancel_free(zenith_cancel *cancel) noexcept { delete cancel; }

zenith_status *zenith::c::makeBlob(const std::string &bytes,
                                   zenith_blob **blob) {
  void *place = std::malloc(sizeof(zenith_blob) + bytes.size() + 1);
  if (!place)
    return noMemory();
  *blob = new (place) zenith_blob{bytes.size()};
  std::memcpy(*blob + 1, bytes.c_str(), bytes.size() + 1);
  return nullptr;
}

const void *zenith_blob_data(const zenith_blob *blob) noexcept {
  return blob ? blob + 1 : nullptr;
}

size_t zenith_blob_size(const zenith_blob *blob) noexcept {
  return blob ? blob->size : 0;
}

void zenith_blob_free(zenith_blob *blob) noexcept { std::free(blob); }
