// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks by the program of frontends/cayley, compiled once; the model as a file
// of this process, which the training reads as it reads any other.

#include "frontends/training/predictors/PredictorRun.h"

#include "frontends/cayley/BuildWalks.h"
#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/LoadModel.h"
#include "frontends/training/predictors/PredictorModel.h"
#include "frontends/training/run/TrainingRun.h"
#include "ir/LLVMError.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/Session.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace mlir;

namespace zenith::training {

namespace {
/// A program of walks that runs for any seed and epoch.
class WalkProgram {
public:
  llvm::Error compile(const cayley::StateGraph &graph,
                      const cayley::WalkOptions &walks,
                      const TrainOptions &options);
  /// States as rows of i64, and the number of each one's step.
  llvm::Expected<Dataset> run(uint64_t seed, int64_t epoch, MLIRContext *types);

private:
  std::unique_ptr<MLIRContext> context = models::makeContext();
  std::shared_ptr<pipeline::Executable> program;
  std::unique_ptr<pipeline::Session> session;
};

/// A file that goes with this object.
struct TemporaryFile {
  std::string path;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};
} // namespace

llvm::Error WalkProgram::compile(const cayley::StateGraph &graph,
                                 const cayley::WalkOptions &walks,
                                 const TrainOptions &options) {
  pipeline::CompileOptions settings = options.compile;
  // A few copies: nothing that a device would do faster.
  settings.target = "cpu";
  settings.folder = ".";
  // The policy is the model's.
  settings.mixedPrecision.clear();
  settings.keptOps.clear();
  auto compiled = pipeline::compile(
      cayley::buildWalks(graph, walks, context.get()), settings);
  if (!compiled)
    return compiled.takeError();
  program = *compiled;
  pipeline::SessionOptions run;
  run.threads = int(options.threads);
  auto opened = pipeline::Session::create(program, run);
  if (!opened)
    return opened.takeError();
  session = std::move(*opened);
  return llvm::Error::success();
}

template <typename Element> static void widen(const Tensor &from, int64_t *to) {
  auto *elements = reinterpret_cast<const Element *>(from.bytes());
  std::copy(elements, elements + from.size(), to);
}

/// States may be of narrow integers.
static Tensor asI64(const Tensor &states) {
  Tensor result(
      states.type().clone(IntegerType::get(states.type().getContext(), 64)));
  auto *to = reinterpret_cast<int64_t *>(result.writable());
  switch (elementBytes(states.elementType())) {
  case 1:
    widen<uint8_t>(states, to);
    break;
  case 2:
    widen<uint16_t>(states, to);
    break;
  default:
    widen<int64_t>(states, to);
    break;
  }
  return result;
}

llvm::Expected<Dataset> WalkProgram::run(uint64_t seed, int64_t epoch,
                                         MLIRContext *types) {
  auto word = IntegerType::get(types, 64, IntegerType::Unsigned);
  Tensor state(RankedTensorType::get({2}, word));
  // Epochs are 2^40 words of the generator apart.
  const uint64_t words[] = {seed, uint64_t(epoch) << 40};
  std::memcpy(state.writable(), words, sizeof(words));
  auto results = session->run(*program->find("main"), {state}, types);
  if (!results)
    return results.takeError();
  Dataset set;
  set.data["states"] = asI64((*results)[0]);
  set.rows = (*results)[0].shape()[0];
  const Tensor &sizes = (*results)[1];
  Tensor labels(RankedTensorType::get({set.rows}, Float32Type::get(types)));
  auto *label = reinterpret_cast<float *>(labels.writable());
  auto *size = reinterpret_cast<const int64_t *>(sizes.bytes());
  for (int64_t step = 0; step < sizes.size(); ++step)
    label = std::fill_n(label, size[step], float(step));
  set.labels["scores"] = labels;
  return set;
}

static llvm::Expected<cayley::WalkOptions>
walksOf(const TrainOptions &options, const cayley::StateGraph &graph) {
  cayley::WalkOptions walks;
  auto [width, length] = StringRef(options.walks).split('x');
  constexpr int64_t most = 1 << 30;
  if (width.getAsInteger(10, walks.width) ||
      length.getAsInteger(10, walks.length) || walks.width < 1 ||
      walks.length < 1 || walks.width > most || walks.length > most)
    return makeError(ErrorCode::Usage,
                     "--walks needs WIDTHxLENGTH, such as 1000x40, got '" +
                         options.walks + "'");
  if (options.walkKind == "nbt")
    walks.kind = cayley::WalkKind::NonBacktracking;
  else if (options.walkKind == "bfs")
    walks.kind = cayley::WalkKind::Layers;
  else if (options.walkKind != "classic")
    return makeError(ErrorCode::Usage,
                     "--walk-kind is classic, nbt or bfs, got '" +
                         options.walkKind + "'");
  walks.starts = {graph.central};
  walks.takesState = true;
  return walks;
}

/// What the field takes where the user says nothing. Other --init come later
/// and so win.
static void setDefaults(TrainOptions &options) {
  constexpr uint64_t usualSeed = 42;
  constexpr int64_t usualBatch = 1024;
  if (options.loss.empty())
    options.loss = "mse";
  if (options.optimizer.empty())
    options.optimizer = "adam(1e-3)";
  if (!options.seed)
    options.seed = usualSeed;
  if (!options.batchSize)
    options.batchSize = usualBatch;
  std::vector<std::string> first{"*.w=he_normal()"};
  if (options.predictor == "transformer")
    first = {"*.w=glorot_uniform()", "{embed,place}.w=normal(0.02)"};
  options.inits.insert(options.inits.begin(), first.begin(), first.end());
}

llvm::Error runPredictor(TrainOptions options,
                         models::Diagnostics &diagnostics) {
  if (!options.model.empty() || !options.data.empty() ||
      !options.labels.empty())
    return makeError(ErrorCode::Usage,
                     "--graph makes model, data and labels of its own");
  auto graph = cayley::loadStateGraph(options.graph);
  if (!graph)
    return graph.takeError();
  auto walks = walksOf(options, *graph);
  if (!walks)
    return walks.takeError();
  PredictorInput input;
  input.positions = int64_t(graph->central.size());
  input.values = graph->modulus
                     ? graph->modulus
                     : int64_t(*llvm::max_element(graph->central)) + 1;
  Result<onnx::Model> model =
      buildPredictor(options.predictor, options.predictorOptions, input);
  if (!model)
    return makeError(std::move(model.error()));
  setDefaults(options);
  TemporaryFile file{
      (std::filesystem::temp_directory_path() /
       ("zenith-predictor-" + std::to_string(::getpid()) + ".onnx"))
          .string()};
  if (Status status = onnx::saveModel(*model, file.path); !status)
    return makeError(std::move(status.error()));
  options.model = file.path;
  WalkProgram program;
  if (llvm::Error error = program.compile(*graph, *walks, options))
    return error;
  return runTraining(options, diagnostics,
                     [&](int64_t epoch, MLIRContext *types) {
                       return program.run(options.seed, epoch, types);
                     });
}

} // namespace zenith::training
