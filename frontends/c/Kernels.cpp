// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Custom kernels, and forms that are written ahead of time: their calls refuse
// by name.

#include "frontends/c/Executable.h"
#include "frontends/c/StructReading.h"

using namespace zenith;
using namespace zenith::c;

zenith_status *zenith_emit(zenith_module *module,
                           const zenith_compile_options *, const char *form,
                           const char *path) noexcept {
  return guarded([&] {
    if (!module || !form || !path)
      return nullPointer(!module ? "module" : form ? "path" : "form");
    return notYet("zenith_emit of form '" + std::string(form) + "'");
  });
}

size_t zenith_site_operands(const zenith_kernel_site *) noexcept { return 0; }

size_t zenith_site_results(const zenith_kernel_site *) noexcept { return 0; }

void zenith_site_operand(const zenith_kernel_site *, size_t,
                         zenith_value_info *info) noexcept {
  if (info)
    writeStruct(info, zenith_value_info{});
}

const char *zenith_site_attributes(const zenith_kernel_site *) noexcept {
  return "{}";
}

void zenith_site_set_result(zenith_kernel_site *, size_t, zenith_dtype, int32_t,
                            const char *const *) noexcept {}

zenith_status *
zenith_context_register_kernel(zenith_context *context,
                               const zenith_kernel *kernel) noexcept {
  return guarded([&] {
    if (!context || !kernel)
      return nullPointer(context ? "kernel" : "context");
    return notYet("zenith_context_register_kernel");
  });
}

zenith_status *zenith_context_load_plugin(zenith_context *context,
                                          const char *path) noexcept {
  return guarded([&] {
    if (!context || !path)
      return nullPointer(context ? "path" : "context");
    return notYet("zenith_context_load_plugin");
  });
}
