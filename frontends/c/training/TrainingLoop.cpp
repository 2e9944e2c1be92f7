// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views rows of the arrays, and donates the state to each step.

#include "frontends/c/training/TrainingLoop.h"

#include "frontends/models/Suggestion.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace zenith;
using namespace zenith::c;

static const std::string labelPrefix = "label/";

zenith_array *NamedArrays::find(const std::string &name) const {
  for (size_t i = 0; i < count; ++i)
    if (list[i] && list[i]->name && name == list[i]->name)
      return list[i]->array;
  return nullptr;
}

bool TrainingLoop::isParameter(const std::string &name) const {
  return llvm::any_of(
      session.executable->parameters,
      [&](const Value &parameter) { return parameter.name == name; });
}

std::string TrainingLoop::checkpointName(size_t index) const {
  const std::string &name = program->inputs[index].name;
  return isParameter(name) ? "params/" + name : name;
}

zenith_status *TrainingLoop::run(const char *entry, const ArrayList &inputs,
                                 ArrayList &outputs) const {
  zenith_run_options options = {};
  options.struct_size = sizeof(options);
  options.entry = entry;
  options.flags = ZENITH_RUN_DONATE;
  return runEntry(session, options, inputs, outputs);
}

/// Every array is one that the step takes.
zenith_status *TrainingLoop::checkNames(const NamedArrays &arrays,
                                        const std::string &prefix) const {
  std::vector<std::string> names;
  for (size_t i = state.size(); i < program->inputs.size(); ++i) {
    llvm::StringRef name = program->inputs[i].name;
    bool isLabel = name.consume_front(labelPrefix);
    if (isLabel == !prefix.empty())
      names.push_back(name.str());
  }
  for (size_t i = 0; i < arrays.count; ++i) {
    if (!arrays.list || !arrays.list[i] || !arrays.list[i]->name ||
        !arrays.list[i]->array)
      return nullPointer(prefix.empty() ? "data" : "labels");
    if (arrays.list[i]->array->context.get() != session.context.get())
      return usage(ZENITH_REASON_WRONG_CONTEXT,
                   "array '" + std::string(arrays.list[i]->name) +
                       "' is of another context");
    if (!llvm::is_contained(names, arrays.list[i]->name))
      return usage(ZENITH_REASON_UNKNOWN_NAME,
                   std::string("the step takes no ") +
                       (prefix.empty() ? "data" : "labels") + " '" +
                       arrays.list[i]->name + "'" +
                       models::suggestion(arrays.list[i]->name, names));
  }
  return nullptr;
}

zenith_status *TrainingLoop::addColumn(size_t input, zenith_array *array) {
  const Value &value = program->inputs[input];
  if (!array)
    return usage(ZENITH_REASON_UNKNOWN_NAME,
                 "there is no array for '" + value.name + "'");
  bool hasRank = array->rank > 0 && size_t(array->rank) == value.dims.size();
  bool fits =
      array->dtype == value.dtype && hasRank &&
      std::equal(value.dims.begin() + 1, value.dims.end(), array->dims + 1);
  std::string got = typeText(array->dtype, array->rank, array->dims);
  if (!fits)
    return failure(ZENITH_INVALID_INPUT,
                   array->dtype != value.dtype ? ZENITH_REASON_DTYPE
                   : hasRank                   ? ZENITH_REASON_DIM
                                               : ZENITH_REASON_RANK,
                   "'" + value.name + "': got " + got + ", a batch is " +
                       typeText(value.dtype, int32_t(value.dims.size()),
                                value.dims.data()));
  if (!isRowMajor(array->rank, array->dims, array->strides))
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_STRIDES,
                   "'" + value.name + "': the array is not row-major");
  int64_t own = array->dims[0] / value.dims[0];
  if (own < 1)
    return usage(ZENITH_REASON_DIM, "'" + value.name + "': " + got +
                                        " has fewer rows than a "
                                        "batch of " +
                                        std::to_string(value.dims[0]));
  if (!columns.empty() && array->dims[0] != columns.front()->dims[0])
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                   "'" + value.name + "' has " +
                       std::to_string(array->dims[0]) + " rows, others have " +
                       std::to_string(columns.front()->dims[0]));
  batches = own;
  columns.push_back(array);
  return nullptr;
}

zenith_status *TrainingLoop::start(const NamedArrays &data,
                                   const NamedArrays &labels) {
  program = session.executable->find("step");
  const Entry *init = session.executable->find("init");
  bool isStep = program && init && init->inputs.empty() &&
                program->inputs.size() > init->outputs.size() &&
                program->outputs.size() > init->outputs.size();
  if (!isStep)
    return usage(ZENITH_REASON_WRONG_STATE,
                 "the session is of no training step, which "
                 "zenith_training_step makes");
  if (zenith_status *status = run("init", {}, state))
    return status;
  isWhole = true;
  if (zenith_status *status = checkNames(data, ""))
    return status;
  if (zenith_status *status = checkNames(labels, labelPrefix))
    return status;
  for (size_t i = state.size(); i < program->inputs.size(); ++i) {
    llvm::StringRef name = program->inputs[i].name;
    bool isLabel = name.consume_front(labelPrefix);
    if (zenith_status *status =
            addColumn(i, (isLabel ? labels : data).find(name.str())))
      return status;
  }
  return nullptr;
}

zenith_status *TrainingLoop::makeBatch(ArrayList &batch) {
  for (auto [i, column] : llvm::enumerate(columns)) {
    const Value &value = program->inputs[state.size() + i];
    zenith_view view = {};
    view.struct_size = sizeof(view);
    view.dtype = value.dtype;
    view.rank = int32_t(value.dims.size());
    view.dims = value.dims.data();
    int64_t bytes = bytesOf(view.dtype, view.rank, view.dims);
    view.data = static_cast<char *>(column->data) + done % batches * bytes;
    zenith_array *made = nullptr;
    if (zenith_status *status =
            zenith_array_wrap(session.context.get(), &view, ZENITH_HOLD_BORROW,
                              nullptr, nullptr, &made))
      return status;
    batch.push_back(Ref<zenith_array>::taking(made));
  }
  return nullptr;
}

/// A scalar of f32, f64 or i32.
static double numberOf(const zenith_array &scalar) {
  if (scalar.dtype == ZENITH_F64)
    return *static_cast<const double *>(scalar.data);
  if (scalar.dtype == ZENITH_I32)
    return *static_cast<const int32_t *>(scalar.data);
  return *static_cast<const float *>(scalar.data);
}

static std::string decimalOf(const zenith_array &scalar) {
  double value = numberOf(scalar);
  if (!std::isfinite(value))
    return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  return scalar.dtype == ZENITH_F32 ? tensors::shortestDecimal(float(value))
                                    : tensors::shortestDecimal(value);
}

std::string TrainingLoop::line(const ArrayList &figures) const {
  std::string text = "{\"step\":" + std::to_string(done) +
                     ",\"epoch\":" + std::to_string((done - 1) / batches);
  for (auto [i, value] : llvm::enumerate(figures))
    text += "," + quoted(figure(i).name) + ":" + decimalOf(*value);
  return text + "}";
}

/// Steps that a scaled loss leaves out have gradients that are not finite.
zenith_status *TrainingLoop::checkFigures(const ArrayList &figures) const {
  bool isScaled = false;
  for (size_t i = 0; i < figures.size(); ++i)
    isScaled |= figure(i).name == "loss_scale";
  for (auto [i, value] : llvm::enumerate(figures)) {
    bool isLoss = figure(i).name == "loss",
         isNorm = figure(i).name == "grad_norm" && !isScaled;
    if ((isLoss || isNorm) && !std::isfinite(numberOf(*value)))
      return failure(ZENITH_RUN_FAILED, ZENITH_REASON_NONE,
                     std::string(isLoss ? "the loss" : "the gradient") +
                         " is not finite",
                     "step " + std::to_string(done));
  }
  return nullptr;
}

zenith_status *TrainingLoop::advance(int64_t total, zenith_record_fn record,
                                     void *user) {
  ArrayList inputs = state, outputs;
  if (zenith_status *status = makeBatch(inputs))
    return status;
  isWhole = false;
  if (zenith_status *status = run("step", inputs, outputs))
    return status;
  isWhole = true;
  size_t figureCount = outputs.size() - state.size();
  ArrayList figures(outputs.begin(), outputs.begin() + figureCount);
  state.assign(outputs.begin() + figureCount, outputs.end());
  ++done;
  if (record) {
    std::string json = line(figures);
    zenith_record made = {};
    made.struct_size = sizeof(made);
    made.kind = ZENITH_RECORD_PROGRESS;
    made.topic = "train";
    made.text = "";
    made.json = json.c_str();
    made.done = done;
    made.total = total;
    record(user, &made);
  }
  return checkFigures(figures);
}

tensors::Checkpoint TrainingLoop::save() const {
  tensors::Checkpoint checkpoint;
  checkpoint.step = done;
  for (auto [i, value] : llvm::enumerate(state))
    checkpoint.tensors[checkpointName(i)] = tensorOf(*value, &context);
  return checkpoint;
}

zenith_status *TrainingLoop::load(const tensors::Checkpoint &checkpoint) {
  ArrayList loaded;
  for (size_t i = 0; i < state.size(); ++i) {
    std::string name = checkpointName(i);
    auto found = checkpoint.tensors.find(name);
    Tensor own = tensorOf(*state[i], &context);
    if (found == checkpoint.tensors.end() || found->second.type() != own.type())
      return usage(ZENITH_REASON_DIM,
                   "the checkpoint is of another training: it has no '" + name +
                       "' of the step's type",
                   checkpoint.folder);
    if (zenith_status *status =
            arrayOf(*session.context, found->second, loaded.emplace_back()))
      return status;
  }
  state = std::move(loaded);
  done = checkpoint.step;
  return nullptr;
}

zenith_status *TrainingLoop::rebind() const {
  if (!isWhole)
    return nullptr;
  std::vector<zenith_named_array> named;
  for (size_t i = 0; i < state.size(); ++i)
    if (isParameter(program->inputs[i].name))
      named.push_back({sizeof(zenith_named_array),
                       program->inputs[i].name.c_str(), state[i].get()});
  std::vector<const zenith_named_array *> pointers;
  for (const zenith_named_array &value : named)
    pointers.push_back(&value);
  return zenith_session_rebind(&session, nullptr, pointers.data(),
                               pointers.size());
}
