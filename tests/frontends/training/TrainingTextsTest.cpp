// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of optimizers, losses, initial values and predictors: what is read,
// and what each mistake says.

#include "frontends/models/LoadModel.h"
#include "frontends/training/Initializers.h"
#include "frontends/training/LossScaling.h"
#include "frontends/training/Losses.h"
#include "frontends/training/OptimizerRules.h"
#include "frontends/training/predictors/PredictorModel.h"
#include <gtest/gtest.h>

#include <cmath>

using namespace zenith;
using namespace zenith::training;

template <typename T> static std::string errorOf(Result<T> result) {
  return result ? "" : result.error().text;
}

static void expectMistake(const std::string &text, const std::string &words) {
  std::string error = errorOf(readOptimizer(text));
  EXPECT_NE(error.find(words), std::string::npos) << text << ": " << error;
}

TEST(OptimizerText, ReadsWhatPythonWrites) {
  for (const char *text :
       {"adam(1e-3)", "optax.adamw(.001, 0.9, b2=0.95, mask=['*.w', \"x\"])",
        "chain(clip_by_global_norm(1.), sgd(1_0.0, momentum=None,),)",
        "MultiSteps(sgd(constant_schedule(+0.1)), every_k_schedule=4)",
        "sgd(piecewise_constant_schedule(0.1, {5: 0.5, 12: 0.1,}))",
        "sgd(optax.schedules.linear_schedule(0, 1, 10), nesterov=True)",
        "chain()"})
    EXPECT_EQ(errorOf(readOptimizer(text)), "") << text;
}

TEST(OptimizerText, SaysMistakes) {
  expectMistake("", "expected a call, a number, a string, a list or a dict");
  expectMistake("adam(1e-3", "expected ',' or ')', got the end in column 10");
  expectMistake("adam(1e-3))", "expected the end, got ')' in column 11");
  expectMistake("adamm(1e-3)", "did you mean 'adam'?");
  expectMistake("adam()", "adam: needs argument 'learning_rate'");
  expectMistake("adam(1, 2, 3, 4, 5, None, True)", "takes at most 6");
  expectMistake("adam(1, learning_rate=2)",
                "argument 'learning_rate' is given twice");
  expectMistake("adam(1, beta1=0.9)", "has no argument 'beta1'");
  expectMistake("adam(1, b1='x')", "is a string, expected a number");
  expectMistake("adam(1, mu_dtype='bfloat16')", "must be None");
  expectMistake("sgd(linear_schedul(0, 1, 2))", "no schedule 'linear_schedul'");
  expectMistake("linear_schedule(0, 1, 2)", "is a schedule, no optimizer");
  expectMistake("0.1", "got a number, expected an optimizer");
  expectMistake("sgd('0.1)", "expected '");
  expectMistake("adamw(1, mask=3)", "expected a glob of names");
  expectMistake("sgd(cosine_decay_schedule(1, 0))", "positive number");
  expectMistake(std::string(500, '[') + "1", "at most 64 levels");
}

TEST(LossText, SaysMistakes) {
  EXPECT_EQ(errorOf(Loss::read("huber(delta=2)")), "");
  EXPECT_EQ(Loss::read("output(y)")->output(), "y");
  EXPECT_EQ(*Loss::read("cross_entropy(ignore_index=-100)")->ignored(), -100);
  EXPECT_EQ(errorOf(Loss::read("msee")),
            "--loss: there is no loss 'msee', did you mean 'mse'?");
  EXPECT_NE(errorOf(Loss::read("cross_entropy(label_smoothing=2)"))
                .find("not in [0, 1]"),
            std::string::npos);
}

TEST(LossText, SaysClassAndPosition) {
  auto context = models::makeContext();
  Tensor labels(mlir::RankedTensorType::get(
      {2, 2}, mlir::IntegerType::get(context.get(), 8)));
  labels.writable()[2] = char(-3);
  Result<Loss> loss = Loss::read("cross_entropy");
  EXPECT_EQ(errorOf(loss->checkClasses(labels, 10, "y")),
            "--labels y: label -3 at [1, 0] is not in [0, 10)");
  EXPECT_EQ(errorOf(Loss::read("cross_entropy(ignore_index=-3)")
                        ->checkClasses(labels, 10, "y")),
            "");
}

TEST(LossScaleText, ReadsAndSaysMistakes) {
  using Kind = LossScaling::Kind;
  EXPECT_EQ(LossScaling::read("", true)->kind, Kind::Dynamic);
  EXPECT_EQ(LossScaling::read("", false)->kind, Kind::Off);
  EXPECT_EQ(LossScaling::read("off", true)->kind, Kind::Off);
  auto dynamic = LossScaling::read("dynamic:init=8,interval=3,max=64", false);
  EXPECT_EQ(dynamic->init, 8);
  EXPECT_EQ(dynamic->rule.interval, 3);
  EXPECT_EQ(dynamic->rule.maxScale, 64);
  EXPECT_EQ(LossScaling::read("static:128", false)->rule.growth, 1);
  const std::pair<const char *, const char *> mistakes[] = {
      {"dynamic:", "there is no key ''"},
      {"dynamic:init=8,init=4", "init is given twice"},
      {"dynamic:init=x", "init is no finite number: 'x'"},
      {"dynamic:init=nan", "init is no finite number"},
      {"dynamic:init=0.5", "init is at least min"},
      {"dynamic:growth=0.5", "growth is at least 1"},
      {"dynamic:backoff=0", "backoff is above 0"},
      {"dynamic:interval=2.5", "interval is at least 1"},
      {"dynamic:interval=3e9", "interval is at least 1"},
      {"dynamic:backof=0.5", "did you mean 'backoff'?"},
      {"static", "the scale is no finite number: ''"},
      {"static:-1", "positive"},
      {"static:1e39", "positive number of f32"},
      {"auto:3", "auto takes no numbers"},
      {"statik:3", "did you mean 'static'?"}};
  for (const auto &[text, words] : mistakes)
    EXPECT_NE(errorOf(LossScaling::read(text, true)).find(words),
              std::string::npos)
        << text << ": " << errorOf(LossScaling::read(text, true));
}

TEST(LossScaleText, MeasuresAPowerOfTwo) {
  EXPECT_EQ(LossScaling::scaleFor(0), 32768);
  EXPECT_EQ(LossScaling::scaleFor(INFINITY), 32768);
  EXPECT_EQ(LossScaling::scaleFor(NAN), 32768);
  EXPECT_EQ(LossScaling::scaleFor(1e-30), 32768);
  EXPECT_EQ(LossScaling::scaleFor(65504), 1);
  EXPECT_EQ(LossScaling::scaleFor(65505), 0.5);
  EXPECT_EQ(LossScaling::scaleFor(16.5), 2048);
}

TEST(InitializerText, ColumnsAreOrthonormal) {
  auto context = models::makeContext();
  auto type = mlir::RankedTensorType::get(
      {3, 5}, mlir::Float32Type::get(context.get()));
  Result<Initializer> init = Initializer::read("*=orthogonal(scale=2.0)");
  ASSERT_EQ(errorOf(init), "");
  llvm::Expected<Tensor> value = init->make(type, {}, 7, 0);
  ASSERT_TRUE(bool(value));
  auto *w = reinterpret_cast<const float *>(value->bytes());
  // Fewer rows than columns: rows are orthogonal.
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      float product = 0;
      for (int k = 0; k < 5; ++k)
        product += w[i * 5 + k] * w[j * 5 + k];
      EXPECT_NEAR(product, i == j ? 4 : 0, 1e-5);
    }
  EXPECT_NE(errorOf(Initializer::read("glorot_uniform()")), "");
  EXPECT_NE(
      errorOf(Initializer::read("*=glorot_unifom()")).find("did you mean"),
      std::string::npos);
}

TEST(PredictorText, SaysMistakes) {
  PredictorInput input{12, 12};
  for (const std::string &name : predictorNames())
    EXPECT_EQ(errorOf(buildPredictor(name, "", input)), "") << name;
  EXPECT_NE(errorOf(buildPredictor("mlp", "", input))
                .find("there are resmlp, transformer, cnn"),
            std::string::npos);
  EXPECT_NE(errorOf(buildPredictor("cnn", "", {6, 6})).find("positions"),
            std::string::npos);
  EXPECT_NE(errorOf(buildPredictor("transformer", "heads=3", input))
                .find("divide the width"),
            std::string::npos);
}
