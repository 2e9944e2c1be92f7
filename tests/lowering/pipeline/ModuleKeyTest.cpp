// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation's cache key depends on, and on what it does not; images of
// executables.

#include "lowering/pipeline/ModuleKey.h"
#include "lowering/pipeline/ExecutableImage.h"
#include "lowering/pipeline/OptionText.h"
#include "lowering/pipeline/TargetChoice.h"
#include "tests/lowering/pipeline/CompiledProgram.h"

namespace zenith::test {
namespace {

class ModuleKey : public CompiledProgram {
protected:
  pipeline::CacheKey key(const std::string &text,
                         const std::string &target = "cpu:x86-64-v3",
                         std::string precision = {}) {
    pipeline::CompileOptions options;
    options.mixedPrecision = precision;
    options.target = target;
    return pipeline::keyOf(*parse(text), options,
                           llvm::cantFail(pipeline::chooseTarget(options)));
  }
  static std::string program(const std::string &value,
                             const std::string &op = "add") {
    return "graph.param @w : tensor<2xf32> = dense<" + value +
           "> : tensor<2xf32>\n"
           "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
           "  %w = graph.get_param @w : tensor<2xf32>\n"
           "  %r = graph." +
           op + " %x, %w : tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n";
  }
  using Names = std::vector<std::string>;
};

TEST_F(ModuleKey, ForgetsValuesOfParametersAndPlaces) {
  pipeline::CacheKey first = key(program("1.0"));
  EXPECT_EQ(first.id(), key(program("2.0")).id());
  EXPECT_EQ(first.id(), key("\n\n" + program("1.0")).id());
}

TEST_F(ModuleKey, NamesWhatDiffers) {
  pipeline::CacheKey first = key(program("1.0"));
  EXPECT_EQ(first.differences(key(program("1.0", "mul"))),
            Names{"function @main"});
  EXPECT_EQ(first.differences(key(program("1.0"), "cpu:x86-64")),
            (Names{"target", "target model"}));
  EXPECT_EQ(first.differences(key(program("1.0"), "cpu:x86-64-v3", "bf16")),
            Names{"options"});
}

/// Another value of an option.
void flip(bool &value) { value = !value; }
void flip(std::string &value) { value = "cpu:x86-64"; }
void flip(int64_t &value) { ++value; }
void flip(unsigned &value) { ++value; }
template <typename Enum>
std::enable_if_t<std::is_enum_v<Enum>> flip(Enum &value) {
  value = options::Words<Enum>::all[0].second;
}
template <typename T> void flip(std::vector<T> &values) {
  values.emplace_back();
}
void flip(std::vector<std::string> &values) { values.emplace_back("op:tanh"); }

TEST_F(ModuleKey, ChangesWithTheOptionsThatTheTableSays) {
  auto keyFor = [&](const pipeline::CompileOptions &options) {
    return pipeline::keyOf(*parse(program("1.0")), options,
                           llvm::cantFail(pipeline::chooseTarget(options)))
        .id();
  };
  pipeline::CompileOptions plain;
  plain.target = "cpu:x86-64-v3";
  std::string first = keyFor(plain);
  using options::CacheUse;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  {                                                                            \
    pipeline::CompileOptions other = plain;                                    \
    flip(other.field);                                                         \
    if (!other.targetModel.empty())                                            \
      other.targetModel = "znver3";                                            \
    bool enters = CacheUse::cache == CacheUse::InKey ||                        \
                  CacheUse::cache == CacheUse::InTarget;                       \
    EXPECT_EQ(keyFor(other) != first, enters) << spelling;                     \
  }
#include "lowering/pipeline/CompileOptions.def"
}

TEST_F(ModuleKey, KeepsPlacesThatAFailingRunNames) {
  std::string text =
      "func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  graph.assert %p \"must hold\" : tensor<i1>\n"
      "  return %x : tensor<2xf32>\n}\n";
  EXPECT_NE(key(text).id(), key("\n" + text).id());
}

TEST_F(ModuleKey, ImagesReadBack) {
  pipeline::CompileOptions options;
  auto files = llvm::cantFail(pipeline::emit(
      parse(program("1.0")), pipeline::EmitForm::Object, options));
  auto executable =
      llvm::cantFail(pipeline::compile(parse(program("1.0")), options));
  std::string bytes = pipeline::writeImage(*executable, files);
  auto image = llvm::cantFail(pipeline::readImage(bytes));
  EXPECT_EQ(pipeline::writeImage(*image.executable, image.objects), bytes);
  for (size_t length = 0; length < bytes.size(); length += 7) {
    auto cut = pipeline::readImage(llvm::StringRef(bytes).take_front(length));
    EXPECT_FALSE(bool(cut)) << length;
    llvm::consumeError(cut.takeError());
  }
}

} // namespace
} // namespace zenith::test
