// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Donates state to each run and takes its results as the next state.

#include "frontends/training/StepSession.h"

#include "frontends/models/ParamFiles.h"
#include "frontends/training/Objective.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/interpreter/Interpreter.h"
#include "lowering/elements/ElementCodes.h"
#include "lowering/memory/BufferNotes.h"
#include "lowering/memory/MemoryReport.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/Pipeline.h"
#include "lowering/pipeline/Session.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace zenith::training {

StateValues::Slot StateValues::copyOf(const Tensor &value) {
  size_t bytes = size_t(value.byteSize());
  size_t room = (bytes / ZENITH_BUFFER_ALIGNMENT + 1) * ZENITH_BUFFER_ALIGNMENT;
  std::shared_ptr<void> owner(std::aligned_alloc(ZENITH_BUFFER_ALIGNMENT, room),
                              std::free);
  if (bytes > 0)
    std::memcpy(owner.get(), value.bytes(), bytes);
  return {Tensor(value.type(), static_cast<const char *>(owner.get()), owner),
          owner};
}

void StateValues::add(const Tensor &value) { slots.push_back(copyOf(value)); }

void StateValues::set(size_t index, const Tensor &value) {
  slots[index] = copyOf(value);
}

std::vector<Tensor> StateValues::snapshot() const {
  std::vector<Tensor> copies;
  for (const Slot &slot : slots)
    copies.emplace_back(
        slot.tensor.type(),
        ArrayRef(slot.tensor.bytes(), size_t(slot.tensor.byteSize())));
  return copies;
}

StepSession::~StepSession() = default;

std::string phaseOfStep(ModuleOp step,
                        const pipeline::CompileOptions &options) {
  bool hasPolicy = !options.mixedPrecision.empty() ||
                   step->hasAttr(graph::precisionAttrName);
  return hasPolicy ? "precision" : "clean";
}

/// A policy computes in f32 what reads constants beyond f16, which it sees;
/// parameters it does not, and their binding would fail.
static void makeConstant(ModuleOp module, const std::string &name,
                         const Tensor &value) {
  SmallVector<graph::GetParamOp> reads;
  module.walk([&](graph::GetParamOp read) {
    if (read.getParam() == name)
      reads.push_back(read);
  });
  for (graph::GetParamOp read : reads) {
    OpBuilder builder(read);
    Value constant = builder.create<graph::ConstantOp>(
        read.getLoc(), read.getType(), value.toElements());
    read.getResult().replaceAllUsesWith(constant);
    read.erase();
  }
  if (auto param = module.lookupSymbol<graph::ParamOp>(name))
    param.erase();
}

llvm::Error StepSession::compile(const TrainOptions &options) {
  pipeline::CompileOptions compile = options.compile;
  compile.folder = built.folder;
  std::string lastPhase = phaseOfStep(*built.module, compile);
  if (lastPhase == "precision")
    for (const auto &[name, value] : frozen)
      if (isAdditiveMask(value))
        makeConstant(*built.module, name, value);
  // The clean phase fills the gradients in, the precision phase writes the
  // types of a policy; what the interpreter runs is the program from there.
  pipeline::CompileOptions derive = compile;
  derive.target = "cpu";
  derive.toPhase = lastPhase;
  derive.remark = {};
  derive.explain = false;
  derived = built.module->clone();
  if (llvm::Error error = pipeline::runPhases(*derived, derive))
    return error;
  if (options.interprets)
    return llvm::Error::success();
  auto compiled = pipeline::compile(std::move(built.module), compile);
  if (!compiled)
    return compiled.takeError();
  program = *compiled;
  entry = program->find(built.entry);
  pipeline::SessionOptions settings;
  settings.baseDir = built.folder;
  settings.threads = int(options.threads);
  settings.maxMemoryBytes = options.maxMemory.value_or(0);
  settings.offload = options.offload;
  settings.verifyFiles = options.verifyFiles;
  for (const runtime::ParameterSpec &spec : program->parameters) {
    auto value = frozen.find(spec.name);
    if (value == frozen.end())
      continue;
    runtime::ParameterSource source;
    source.inlineBytes.assign(value->second.bytes(),
                              size_t(value->second.byteSize()));
    settings.parameters[spec.name] = std::move(source);
  }
  auto opened = pipeline::Session::create(program, settings);
  if (!opened)
    return opened.takeError();
  session = std::move(*opened);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<StepSession>>
StepSession::create(BuiltStep step, const TrainOptions &options,
                    std::map<std::string, Tensor> frozen) {
  std::unique_ptr<StepSession> made(new StepSession());
  made->built = std::move(step);
  made->frozen = std::move(frozen);
  if (llvm::Error error = made->compile(options))
    return std::move(error);
  return made;
}

llvm::Expected<std::vector<Tensor>> StepSession::interpret(
    ArrayRef<Tensor> arguments,
    std::function<void(Operation *, ArrayRef<Tensor>)> onResult) {
  auto files =
      models::ParamFiles::open(built.folder, "", derived->getContext());
  if (!files)
    return files.takeError();
  interpreter::Options settings;
  settings.onResult = std::move(onResult);
  settings.loadParam = [&](StringRef name, RankedTensorType type,
                           Attribute source) -> llvm::Expected<Tensor> {
    auto value = frozen.find(name.str());
    return value == frozen.end() ? files->load(name, type, source)
                                 : value->second;
  };
  return interpreter::run(derived->lookupSymbol<func::FuncOp>(built.entry),
                          arguments, settings);
}

llvm::Expected<std::vector<Tensor>>
StepSession::runCompiled(StateValues &state, ArrayRef<Tensor> batch) {
  size_t figures = built.figures.size();
  bool moves = entry->results.size() > figures;
  std::vector<zenith_tensor> arguments, results(entry->results.size());
  for (size_t i = 0; i < built.state.size(); ++i) {
    arguments.push_back(pipeline::viewTensor(state[i]));
    if (moves && entry->arguments[i].donatable)
      arguments.back().flags |= ZENITH_TENSOR_DONATED;
  }
  for (const Tensor &column : batch)
    arguments.push_back(pipeline::viewTensor(column));
  // A result without data might take over a donated buffer: figures have room
  // of their own.
  std::vector<Tensor> values;
  for (auto [i, result] : llvm::enumerate(results)) {
    result.struct_size = sizeof(zenith_tensor);
    if (i >= figures)
      continue;
    values.emplace_back(built.figureTypes[i]);
    result.data = values.back().writable();
    result.capacity = values.back().byteSize();
  }
  llvm::Error error = session->run(*entry, arguments, results);
  if (error) {
    for (zenith_tensor &result : results)
      session->runContext().release(result);
    return std::move(error);
  }
  auto owned = [&](zenith_tensor &result) {
    return std::shared_ptr<const void>(
        result.data, [session = session, result](const void *) mutable {
          session->runContext().release(result);
        });
  };
  for (size_t i = 0; i < figures; ++i)
    session->runContext().release(results[i]);
  if (!moves)
    return values;
  std::vector<StateValues::Slot> next;
  for (size_t i = 0; i < built.state.size(); ++i) {
    zenith_tensor &result = results[figures + i];
    std::shared_ptr<const void> owner;
    if (result.flags & ZENITH_TENSOR_TOOK_DONATION) {
      // The buffer of some state, whose memory lives on in this one.
      for (size_t j = 0; j < built.state.size() && !owner; ++j)
        if (arguments[j].data == result.data)
          owner = state.slots[j].owner;
      result.flags &= ~ZENITH_TENSOR_OWNS_DATA;
      result.data = nullptr;
      zenith_tensor dims = result;
      session->runContext().release(dims);
      const char *data = static_cast<const char *>(owner.get());
      next.push_back({Tensor(built.state[i].entry.type, data, owner), owner});
      continue;
    }
    const char *data = static_cast<const char *>(result.data);
    owner = owned(result);
    next.push_back({Tensor(built.state[i].entry.type, data, owner), owner});
  }
  state.slots = std::move(next);
  return values;
}

llvm::Expected<std::vector<Tensor>> StepSession::run(StateValues &state,
                                                     ArrayRef<Tensor> batch) {
  if (session)
    return runCompiled(state, batch);
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < built.state.size(); ++i)
    arguments.push_back(state[i]);
  arguments.insert(arguments.end(), batch.begin(), batch.end());
  auto results = interpret(arguments);
  if (!results)
    return results.takeError();
  size_t figures = built.figures.size();
  if (results->size() > figures)
    for (size_t i = 0; i < built.state.size(); ++i)
      state.set(i, (*results)[figures + i]);
  results->resize(figures);
  return results;
}

template <typename Float> static bool hasNonFinite(const Tensor &tensor) {
  auto *elements = reinterpret_cast<const Float *>(tensor.bytes());
  return std::any_of(elements, elements + tensor.size(),
                     [](Float element) { return !std::isfinite(element); });
}

/// The exponent's bits are all set.
static bool hasNonFinite(const Tensor &tensor, uint16_t exponent) {
  auto *elements = reinterpret_cast<const uint16_t *>(tensor.bytes());
  return std::any_of(elements, elements + tensor.size(), [=](uint16_t bits) {
    return (bits & exponent) == exponent;
  });
}

static bool isNonFinite(const Tensor &tensor) {
  Type element = tensor.elementType();
  if (element.isF32())
    return hasNonFinite<float>(tensor);
  if (element.isF16())
    return hasNonFinite(tensor, 0x7c00);
  if (element.isBF16())
    return hasNonFinite(tensor, 0x7f80);
  return element.isF64() && hasNonFinite<double>(tensor);
}

llvm::Expected<std::string>
StepSession::firstNonFinite(ArrayRef<Tensor> state, ArrayRef<Tensor> batch) {
  std::vector<Tensor> arguments(state.begin(), state.end());
  arguments.insert(arguments.end(), batch.begin(), batch.end());
  std::string found;
  auto results =
      interpret(arguments, [&](Operation *op, ArrayRef<Tensor> values) {
        if (!found.empty() || !llvm::any_of(values, isNonFinite))
          return;
        // Constants of -inf begin maxima and mask scores.
        if (isa<graph::ConstantOp, graph::BroadcastOp>(op))
          return;
        found = op->getName().getStringRef().str();
        std::string place = graph::placeOf(op->getLoc());
        if (!place.empty())
          found += " at " + place;
      });
  if (!results)
    return results.takeError();
  return found;
}

/// Every size of a step is known.
static std::optional<int64_t> noDim(const std::string &) {
  return std::nullopt;
}

std::optional<llvm::json::Object> StepSession::memoryTimeline() const {
  if (!entry)
    return std::nullopt;
  return memory::timelineOf(entry->memory.buffers, entry->memory.arena(),
                            noDim);
}

std::string StepSession::memoryReport() const {
  int64_t parameters = 0, optimizer = 0, inputs = 0, gradients = 0;
  for (const StepState &state : built.state) {
    int64_t bytes = tensorBytes(state.entry.type).value_or(0);
    if (state.kind == StateKind::Parameter)
      gradients += bytes;
    (state.kind == StateKind::Parameter ? parameters : optimizer) += bytes;
  }
  for (const auto *types : {&built.dataTypes, &built.labelTypes})
    for (RankedTensorType type : *types)
      inputs += tensorBytes(type).value_or(0);
  for (const auto &[name, value] : frozen)
    parameters += value.byteSize();
  llvm::json::Object report{{"entry", built.entry}};
  int64_t arena = 0;
  if (entry) {
    auto planned = llvm::json::parse(memory::toJSON(entry->memory, noDim));
    if (!planned)
      return llvm::toString(planned.takeError());
    report = std::move(*planned->getAsObject());
    if (const llvm::json::Object *amount = report.getObject("arena"))
      arena = amount->getInteger("bytes").value_or(0);
  }
  auto bytesOf = [](int64_t bytes) {
    return llvm::json::Object{{"formula", std::to_string(bytes)},
                              {"bytes", bytes}};
  };
  // Gradients that are not all alive at a time take less.
  gradients = std::min(gradients, arena);
  report["classes"] =
      llvm::json::Object{{"parameters", bytesOf(parameters)},
                         {"optimiser", bytesOf(optimizer)},
                         {"activations", bytesOf(arena - gradients)},
                         {"gradients", bytesOf(gradients)},
                         {"inputs", bytesOf(inputs)}};
  report["peak"] = bytesOf(parameters + optimizer + inputs + arena);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(report));
  return text;
}

} // namespace zenith::training
