// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds parameters and runs entries through the runtime.

#include "lowering/pipeline/Session.h"

#include "ir/program/ParameterFiles.h"
#include "lowering/elements/ElementCodes.h"
#include "lowering/pipeline/DeviceSession.h"
#include "lowering/pipeline/RuntimeError.h"
#include "runtime/Stopwatch.h"

using namespace mlir;

namespace zenith::pipeline {

Session::Session(std::shared_ptr<const Executable> program,
                 const SessionOptions &options)
    : program(std::move(program)), budget(options.maxMemoryBytes),
      context(std::make_shared<runtime::RunContext>(
          runtime::RunOptions{options.threads, options.maxMemoryBytes,
                              options.spill, options.offload})),
      parameters(options.baseDir) {}

llvm::Expected<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const Executable> executable,
                const SessionOptions &options) {
  runtime::Stopwatch watch;
  std::unique_ptr<Session> session(new Session(std::move(executable), options));
  if (session->program->device) {
    auto device =
        DeviceSession::open(*session->program->device, options.maxMemoryBytes);
    if (!device)
      return device.takeError();
    session->onDevice = std::move(*device);
    session->context->setDevice(session->onDevice->device().abi());
  }
  for (auto [spec, hasValue] : llvm::zip(session->program->parameters,
                                         session->program->parameterHasValue)) {
    runtime::ParameterSpec bound = spec;
    auto given = options.parameters.find(spec.name);
    if (given != options.parameters.end())
      bound.source = given->second;
    else if (!hasValue)
      return makeError(ErrorCode::Invalid,
                       "parameter " + spec.name + " has no value");
    if (llvm::Error error = toError(session->parameters.add(std::move(bound))))
      return error;
  }
  for (const auto &given : options.parameters)
    if (session->parameters.find(given.first) < 0)
      return makeError(ErrorCode::Invalid,
                       "the program has no parameter " + given.first);
  if (options.verifyFiles)
    for (const auto &[name, checksum] : session->program->checksums)
      if (!options.parameters.count(name))
        if (llvm::Error error = session->verifyParameter(name, checksum))
          return error;
  if (llvm::Error error = session->prepare())
    return error;
  session->prepareTime = watch.ms();
  return session;
}

Session::~Session() = default;

/// The size of the file is checked where it is opened.
llvm::Error Session::verifyParameter(const std::string &name,
                                     uint64_t checksum) {
  size_t index = size_t(parameters.find(name));
  auto data = parameters.data(index);
  if (!data)
    return toError(data.status());
  const runtime::ParameterSpec &spec = parameters.spec(index);
  StringRef bytes(static_cast<const char *>(*data), size_t(spec.bytes()));
  if (auto error = graph::checkFile(name, {std::nullopt, checksum}, 0, bytes,
                                    spec.source.file, /*verify=*/true))
    return makeError(std::move(*error));
  return llvm::Error::success();
}

llvm::Error Session::prepare() {
  if (onDevice)
    return onDevice->bind(*program, parameters, *context);
  if (llvm::Error error = toError(parameters.prepare(*context, program->prepare,
                                                     program->derivedBytes,
                                                     program->onlyForPrepare)))
    return error;
  // The arena of @prepare is its own and mostly larger than the entries'.
  context->trimMemory();
  return llvm::Error::success();
}

llvm::Error Session::rebind(const std::string &name,
                            runtime::ParameterSource source) {
  if (llvm::Error error = toError(parameters.rebind(name, std::move(source))))
    return error;
  return prepare();
}

/// The named dimensions of the arguments, which need not fit the entry.
static std::map<std::string, int64_t>
sizesOf(const EntryInfo &entry, ArrayRef<zenith_tensor> arguments) {
  std::map<std::string, int64_t> sizes;
  for (auto [info, tensor] : llvm::zip(entry.arguments, arguments))
    for (auto [axis, dim] : llvm::enumerate(info.dims))
      if (auto name = dim.asSymbol(); name && int64_t(axis) < tensor.rank)
        sizes.emplace(*name, tensor.dims[axis]);
  return sizes;
}

/// The plan of a run, with no more arena held than it needs: a run of other
/// sizes may have had room for more.
const EntryPlan &Session::planFor(const EntryInfo &entry,
                                  ArrayRef<zenith_tensor> arguments) {
  if (entry.thriftier.empty())
    return entry;
  std::map<std::string, int64_t> sizes = sizesOf(entry, arguments);
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt
                                : std::optional<int64_t>(found->second);
  };
  const EntryPlan &plan = entry.planFor(valueOf, budget);
  std::optional<int64_t> arena = plan.memory.arena().evaluate(valueOf);
  if (arena && context->memoryUse().arenaBytes > *arena)
    context->trimMemory();
  return plan;
}

llvm::Error Session::run(const EntryInfo &entry,
                         const std::vector<zenith_tensor> &arguments,
                         std::vector<zenith_tensor> &results) {
  return toError(
      context->run(planFor(entry, arguments).function, arguments, results,
                   onDevice ? onDevice->handles() : parameters.pointers()));
}

zenith_tensor viewTensor(const Tensor &tensor) {
  zenith_tensor view = {};
  view.struct_size = sizeof(view);
  view.dtype = kernels::elementCode(tensor.elementType());
  view.rank = tensor.shape().size();
  // Arguments are only read.
  view.data = const_cast<char *>(tensor.bytes());
  view.dims = const_cast<int64_t *>(tensor.shape().data());
  view.capacity = tensor.byteSize();
  return view;
}

llvm::Expected<std::vector<Tensor>> Session::run(const EntryInfo &entry,
                                                 ArrayRef<Tensor> arguments,
                                                 MLIRContext *types) {
  return runTensors(entry, arguments, /*takes=*/false, types);
}

llvm::Expected<std::vector<Tensor>>
Session::runTaking(const EntryInfo &entry, std::vector<Tensor> arguments,
                   MLIRContext *types) {
  return runTensors(entry, arguments, /*takes=*/true, types);
}

namespace {
/// Memory for the scalars among the results of an entry and for the extents of
/// the others, in one block: as much as the program would allocate for them.
struct ResultCells {
  explicit ResultCells(const EntryInfo &entry)
      // Where scalars may lie in donated arguments, the program knows which.
      : holdsScalars(llvm::none_of(entry.arguments, [](const ValueInfo &given) {
          return given.donatable && given.dims.empty();
        })) {
    for (const ValueInfo &result : entry.results)
      bytes += bytesOf(result);
  }
  int64_t bytesOf(const ValueInfo &result) const {
    size_t extents = result.dims.size() * sizeof(int64_t);
    return result.dims.empty() && !holdsScalars
               ? 0
               : int64_t(llvm::alignTo<ZENITH_BUFFER_ALIGNMENT>(
                     std::max<size_t>(extents, 1)));
  }
  bool holdsScalars;
  int64_t bytes = 0; ///< of the block
};
} // namespace

/// The type of a result: that of an argument which looks the same, where there
/// is one, since making types means looking them up. `next` is the argument to
/// begin at, after this that behind it: states are results in the order of
/// arguments.
static RankedTensorType typeOf(const zenith_tensor &result,
                               ArrayRef<zenith_tensor> views,
                               ArrayRef<Tensor> arguments, MLIRContext *types,
                               size_t &next) {
  ArrayRef<int64_t> shape(result.dims, result.rank);
  for (size_t tried = 0; tried < views.size(); ++tried) {
    next = next < views.size() ? next : 0;
    const zenith_tensor &view = views[next];
    const Tensor &argument = arguments[next++];
    if (view.dtype == result.dtype && ArrayRef(view.dims, view.rank) == shape &&
        argument.type().getContext() == types)
      return argument.type();
  }
  return RankedTensorType::get(shape,
                               kernels::elementType(types, result.dtype));
}

llvm::Expected<std::vector<Tensor>>
Session::runTensors(const EntryInfo &entry, ArrayRef<Tensor> arguments,
                    bool takes, MLIRContext *types) {
  std::vector<zenith_tensor> views, results(entry.results.size());
  llvm::SmallVector<const Tensor *, 16> donated;
  std::vector<Tensor> copies; // their addresses stay
  views.reserve(arguments.size());
  copies.reserve(takes ? 0 : arguments.size());
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    views.push_back(viewTensor(argument));
    if (onDevice || !entry.arguments[index].donatable || !argument.byteSize())
      continue;
    // The program gets a copy of what the caller keeps.
    const Tensor *given =
        takes ? &argument
              : &copies.emplace_back(
                    argument.type(),
                    ArrayRef<char>(argument.bytes(), argument.byteSize()));
    if (!*given)
      continue;
    views.back().data = const_cast<char *>(given->bytes());
    views.back().flags |= ZENITH_TENSOR_DONATED;
    donated.push_back(given);
  }
  const ResultCells cells(entry);
  zenith_run_context *abi = context->abi();
  std::shared_ptr<void> block;
  if (cells.bytes > 0) {
    abi->error.code = ZENITH_OK;
    void *data = abi->alloc(abi->user, cells.bytes, ZENITH_ALLOC_RESULT);
    if (!data)
      return toError(runtime::Status::fromABI(abi->error));
    block.reset(data, [context = context](void *data) {
      zenith_free(context->abi(), data);
    });
  }
  auto *cell = static_cast<char *>(block.get());
  for (auto [info, result] : llvm::zip(entry.results, results)) {
    result.struct_size = sizeof(zenith_tensor);
    if (!info.dims.empty()) {
      result.dims = reinterpret_cast<int64_t *>(cell);
    } else if (cells.holdsScalars) {
      result.data = cell;
      result.capacity = cells.bytesOf(info);
    }
    cell += cells.bytesOf(info);
  }
  llvm::Error error = run(entry, views, results);
  std::vector<Tensor> tensors;
  tensors.reserve(results.size());
  size_t next = 0;
  for (zenith_tensor &result : results) {
    if (!error) {
      RankedTensorType type = typeOf(result, views, arguments, types, next);
      if (result.rank == 0 && cells.holdsScalars) {
        tensors.emplace_back(type, static_cast<const char *>(result.data),
                             block);
        continue;
      }
      // A buffer that was donated is its tensor's.
      Tensor taken;
      if (result.flags & ZENITH_TENSOR_TOOK_DONATION)
        taken = **llvm::find_if(donated, [&](const Tensor *given) {
          return given->bytes() == result.data;
        });
      if (taken && taken.type() == type) {
        context->release(result);
        tensors.push_back(std::move(taken));
        continue;
      }
      std::shared_ptr<const void> owner(
          result.data, [context = context, result, taken, block](
                           const void *) mutable { context->release(result); });
      tensors.emplace_back(type, static_cast<const char *>(result.data),
                           std::move(owner));
    } else {
      context->release(result);
    }
  }
  if (error)
    return std::move(error);
  return tensors;
}

} // namespace zenith::pipeline
