// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions: opening them, and other values under traffic.

#include "frontends/c/Session.h"

#include "frontends/c/StructReading.h"
#include "frontends/tensors/Safetensors.h"
#include "ir/LLVMError.h"
#include "lowering/elements/ElementCodes.h"

using namespace zenith;
using namespace zenith::c;

void release(zenith_session *session) noexcept {
  if (session && drop(*session))
    destroy(session);
}

void zenith_session_free(zenith_session *session) noexcept {
  if (session)
    session->close();
}

static zenith_status *bindFirst(zenith_session &session,
                                const zenith_session_options &options) {
  Replacements replacements;
  const zenith_executable &executable = *session.executable;
  if (zenith_status *status =
          readReplacements(executable, options.parameters_file, replacements))
    return status;
  if (zenith_status *status =
          readReplacements(executable, options.parameters,
                           options.parameter_count, replacements))
    return status;
  zenith_run_options limits = {};
  limits.cancel = options.cancel;
  limits.deadline = options.deadline;
  std::shared_ptr<const ValueSet> set;
  if (zenith_status *status = ValueSet::make(executable, replacements, nullptr,
                                             limits, session.spare, set))
    return status;
  session.swap(std::move(set));
  return nullptr;
}

zenith_status *zenith_session_create(zenith_executable *executable,
                                     const zenith_session_options *given,
                                     zenith_session **session) noexcept {
  return guarded([&]() -> zenith_status * {
    if (session)
      *session = nullptr;
    if (!executable || !session)
      return nullPointer(executable ? "session" : "executable");
    zenith_session_options options;
    if (zenith_status *status = readStruct(given, options))
      return status;
    if (options.max_concurrency < 0)
      return usage(ZENITH_REASON_NONE,
                   "max_concurrency: got " +
                       std::to_string(options.max_concurrency) +
                       ", expected at least 0");
    if (zenith_status *status = interruption(options.cancel, options.deadline))
      return status;
    auto made = Ref<zenith_session>::taking(
        create<zenith_session>(*executable->context, *executable));
    made->maxConcurrency = options.max_concurrency;
    if (zenith_status *status = bindFirst(*made, options))
      return status;
    *session = made.take();
    return nullptr;
  });
}

zenith_status *
zenith_session_rebind(zenith_session *session, const char *file,
                      const zenith_named_array *const *parameters,
                      size_t count) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!session)
      return nullPointer("session");
    Replacements replacements;
    if (zenith_status *status =
            readReplacements(*session->executable, file, replacements))
      return status;
    if (zenith_status *status = readReplacements(
            *session->executable, parameters, count, replacements))
      return status;
    std::lock_guard<std::mutex> lock(session->rebinding);
    std::shared_ptr<const ValueSet> before = session->values(), set;
    if (zenith_status *status =
            ValueSet::make(*session->executable, replacements, before.get(), {},
                           session->spare, set))
      return status;
    session->swap(std::move(set));
    return nullptr;
  });
}

zenith_status *zenith_session_save_parameters(zenith_session *session,
                                              const char *path) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!session || !path)
      return nullPointer(session ? "path" : "session");
    mlir::MLIRContext types(mlir::MLIRContext::Threading::DISABLED);
    std::shared_ptr<const ValueSet> set = session->values();
    std::map<std::string, Tensor> tensors;
    const std::vector<Value> &parameters = session->executable->parameters;
    for (size_t i = 0; i < parameters.size(); ++i)
      tensors.emplace(
          parameters[i].name,
          Tensor(mlir::RankedTensorType::get(
                     parameters[i].dims,
                     kernels::elementType(&types, parameters[i].dtype)),
                 static_cast<const char *>(set->value(i).data), set));
    if (llvm::Error error = tensors::writeSafetensors(path, tensors))
      return failure(std::move(error), ZENITH_REASON_NO_FILE);
    return nullptr;
  });
}

void zenith_session_trim(zenith_session *session) noexcept {
  if (session)
    session->trim();
}
