// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole programs on the first OpenCL device against the interpreter: kernels of
// every kind, parameters that @prepare packs on the device, results that are
// copies; skipped where no device is installed.

#include "tests/lowering/opencl/CompilerCache.h"
#include "tests/lowering/opencl/DeviceProgram.h"

namespace zenith::test {
namespace {

class DevicePrograms : public DeviceProgram {
protected:
  /// Values 0, 1, ... below `bound`, in an order of no meaning.
  template <typename T>
  Tensor numbers(std::vector<int64_t> shape, mlir::Type element,
                 int64_t bound) {
    Tensor tensor(mlir::RankedTensorType::get(shape, element));
    T *data = reinterpret_cast<T *>(tensor.writable());
    for (int64_t i = 0; i < tensor.size(); ++i)
      data[i] = T((i * 37 + 11) % bound);
    return tensor;
  }
  mlir::Type integer(unsigned bits) {
    return mlir::IntegerType::get(&context, bits);
  }
};

TEST_F(DevicePrograms, FunctionsOfElements) {
  expectOnDevice(R"(
func.func @main(%x: tensor<3x37xf32>, %y: tensor<37xf32>) -> (tensor<3x37xf32>, tensor<3x37xi1>, tensor<3x37xi32>) {
  %b = graph.broadcast %y [1] : tensor<37xf32> -> tensor<3x37xf32>
  %0 = graph.add %x, %b : tensor<3x37xf32>
  %1 = graph.exp %0 : tensor<3x37xf32>
  %2 = graph.tanh %1 : tensor<3x37xf32>
  %3 = graph.erf %x : tensor<3x37xf32>
  %4 = graph.mul %2, %3 : tensor<3x37xf32>
  %5 = graph.sin %b : tensor<3x37xf32>
  %6 = graph.max %4, %5 : tensor<3x37xf32>
  %7 = graph.compare lt, %x, %b : tensor<3x37xf32> -> tensor<3x37xi1>
  %8 = graph.convert %0 : tensor<3x37xf32> -> tensor<3x37xi32>
  return %6, %7, %8 : tensor<3x37xf32>, tensor<3x37xi1>, tensor<3x37xi32>
})",
                 {floats({3, 37}, 1), floats({37}, 2)});
}

TEST_F(DevicePrograms, NarrowTypes) {
  expectOnDevice(
      R"(
func.func @main(%x: tensor<5x21xf32>, %u: tensor<5x21xi8>) -> (tensor<5x21xf16>, tensor<5x21xbf16>, tensor<5x21xf32>, tensor<5x21xi8>) {
  %h = graph.convert %x : tensor<5x21xf32> -> tensor<5x21xf16>
  %b = graph.convert %x : tensor<5x21xf32> -> tensor<5x21xbf16>
  %hh = graph.mul %h, %h : tensor<5x21xf16>
  %bb = graph.add %b, %b : tensor<5x21xbf16>
  %f = graph.convert %hh : tensor<5x21xf16> -> tensor<5x21xf32>
  %s = graph.add %u, %u : tensor<5x21xi8>
  return %hh, %bb, %f, %s : tensor<5x21xf16>, tensor<5x21xbf16>, tensor<5x21xf32>, tensor<5x21xi8>
})",
      {floats({5, 21}, 1), numbers<int8_t>({5, 21}, integer(8), 120)});
}

TEST_F(DevicePrograms, DoublesCallTheDevicesFunctions) {
  if (!runtime::listOpenCLDevices().front().fp64)
    GTEST_SKIP() << "the device has no f64";
  expectOnDevice(R"(
func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %d = graph.convert %x : tensor<3x37xf32> -> tensor<3x37xf64>
  %e = graph.erf %d : tensor<3x37xf64>
  %t = graph.logistic %e : tensor<3x37xf64>
  %p = graph.pow %t, %d : tensor<3x37xf64>
  %r = graph.convert %p : tensor<3x37xf64> -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
})",
                 {floats({3, 37}, 1)});
}

TEST_F(DevicePrograms, Movement) {
  expectOnDevice(R"(
func.func @main(%x: tensor<4x6x10xf32>, %y: tensor<4x3x10xf32>, %z: tensor<f32>) -> (tensor<10x24xf32>, tensor<4x9x12xf32>) {
  %t = graph.transpose %x [2, 0, 1] : tensor<4x6x10xf32> -> tensor<10x4x6xf32>
  %r = graph.reshape %t : tensor<10x4x6xf32> -> tensor<10x24xf32>
  %c = graph.concat 1, %x, %y : (tensor<4x6x10xf32>, tensor<4x3x10xf32>) -> tensor<4x9x10xf32>
  %p = graph.pad %c, %z [0, 0, 1] [0, 0, 1] [0, 0, 0] : tensor<4x9x10xf32>, tensor<f32> -> tensor<4x9x12xf32>
  return %r, %p : tensor<10x24xf32>, tensor<4x9x12xf32>
})",
                 {floats({4, 6, 10}, 1), floats({4, 3, 10}, 2), floats({}, 3)});
}

TEST_F(DevicePrograms, ReductionsAndComposites) {
  expectOnDevice(R"(
func.func @main(%x: tensor<6x45xf32>) -> (tensor<6x45xf32>, tensor<45xf32>, tensor<6xi64>, tensor<f32>, tensor<6x45xf32>) {
  %s = graph.softmax %x [1] : tensor<6x45xf32>
  %c = graph.reduce sum, %x [0] : tensor<6x45xf32> -> tensor<45xf32>
  %a = graph.arg_reduce max, %x 1 : tensor<6x45xf32> -> tensor<6xi64>
  %m = graph.reduce max, %x [0, 1] : tensor<6x45xf32> -> tensor<f32>
  %r = graph.cumulative sum, %x 1 : tensor<6x45xf32>
  return %s, %c, %a, %m, %r : tensor<6x45xf32>, tensor<45xf32>, tensor<6xi64>, tensor<f32>, tensor<6x45xf32>
})",
                 {floats({6, 45}, 1)});
}

TEST_F(DevicePrograms, Embedding) {
  expectOnDevice(
      R"(
func.func @main(%table: tensor<10x24xf32>, %ids: tensor<5x1xi64>) -> tensor<5x24xf32> {
  %r = graph.gather %table, %ids <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 24]
      : (tensor<10x24xf32>, tensor<5x1xi64>) -> tensor<5x24xf32>
  %e = graph.exp %r : tensor<5x24xf32>
  return %e : tensor<5x24xf32>
})",
      {floats({10, 24}, 1), numbers<int64_t>({5, 1}, integer(64), 10)});
}

TEST_F(DevicePrograms, Convolution) {
  expectOnDevice(R"(
func.func @main(%x: tensor<2x3x9x11xf32>, %w: tensor<5x3x3x3xf32>) -> tensor<2x5x4x5xf32> {
  %r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<2x3x9x11xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x9x11xf32>
  %p = graph.reduce_window max, %r window [1, 1, 2, 2] strides [1, 1, 2, 2] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x5x9x11xf32> -> tensor<2x5x4x5xf32>
  return %p : tensor<2x5x4x5xf32>
})",
                 {floats({2, 3, 9, 11}, 1), floats({5, 3, 3, 3}, 2)});
}

const char *attention = R"(
func.func @main(%q: tensor<?x?x16xf32> {graph.dims = ["batch", "seq", "16"]},
                %k: tensor<?x?x16xf32> {graph.dims = ["batch", "past + seq", "16"]},
                %p: tensor<?xf32> {graph.dims = ["past"]})
    -> (tensor<?x?x?xf32>, tensor<?xf32>, tensor<i64>) {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x?xf32>
  %m = graph.softmax %s [2] : tensor<?x?x?xf32>
  %e = graph.exp %p : tensor<?xf32>
  %n = graph.dim %k, 1 : tensor<?x?x16xf32>
  return %m, %e, %n : tensor<?x?x?xf32>, tensor<?xf32>, tensor<i64>
}
)";

TEST_F(DevicePrograms, OneProgramServesAllSizes) {
  auto session = startOnDevice(attention);
  ASSERT_TRUE(session);
  for (auto [batch, seq, past] : {std::array<int64_t, 3>{1, 1, 1},
                                  {2, 5, 0},
                                  {3, 17, 30},
                                  {0, 4, 4},
                                  {1, 100, 3}}) {
    std::vector<Tensor> arguments{floats({batch, seq, 16}, 1),
                                  floats({batch, past + seq, 16}, 2),
                                  floats({past}, 3)};
    std::vector<Tensor> got = run(*session, arguments),
                        expected = interpret(attention, arguments);
    ASSERT_EQ(got.size(), 3u);
    for (size_t i = 0; i < got.size(); ++i)
      expectClose(got[i], expected[i]);
  }
}

const char *perceptron = R"(
graph.param @w : tensor<20x33xf32>
graph.param @b : tensor<33xf32> = dense<0.5> : tensor<33xf32>
func.func @main(%x: tensor<7x20xf32>) -> (tensor<7x33xf32>, tensor<7x20xf32>, tensor<3xf32>) {
  %w = graph.get_param @w : tensor<20x33xf32>
  %b0 = graph.get_param @b : tensor<33xf32>
  %h = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<7x20xf32>, tensor<20x33xf32>) -> tensor<7x33xf32>
  %b = graph.broadcast %b0 [1] : tensor<33xf32> -> tensor<7x33xf32>
  %s = graph.add %h, %b : tensor<7x33xf32>
  %t = graph.gelu tanh, %s : tensor<7x33xf32>
  %c = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %t, %x, %c : tensor<7x33xf32>, tensor<7x20xf32>, tensor<3xf32>
}
)";

/// The program with its open parameter as an argument, for the interpreter.
std::string withValue(const Tensor &w) {
  std::string text = perceptron, hex = "dense<\"0x";
  for (int64_t i = 0; i < w.byteSize(); ++i) {
    const char *digits = "0123456789ABCDEF";
    auto byte = static_cast<unsigned char>(w.bytes()[i]);
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  std::string type = "tensor<20x33xf32>";
  text.insert(text.find(type) + type.size(), " = " + hex + "\"> : " + type);
  return text;
}

TEST_F(DevicePrograms, ParametersArePreparedThere) {
  pipeline::CompileOptions options;
  options.target = "opencl";
  auto executable = compile(perceptron, options);
  ASSERT_TRUE(executable);
  EXPECT_TRUE(executable->prepare != nullptr);
  Tensor w = floats({20, 33}, 1), x = floats({7, 20}, 2);
  pipeline::SessionOptions values;
  values.parameters["w"].inlineBytes.assign(w.bytes(), w.byteSize());
  auto session = pipeline::Session::create(executable, values);
  ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
  auto check = [&](const Tensor &weights) {
    std::vector<Tensor> got = run(**session, {x}),
                        expected = interpret(withValue(weights), {x});
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      expectClose(got[i], expected[i]);
  };
  check(w);
  Tensor other = floats({20, 33}, 5);
  runtime::ParameterSource source;
  source.inlineBytes.assign(other.bytes(), other.byteSize());
  ASSERT_FALSE(bool((*session)->rebind("w", source)));
  check(other);
}

TEST_F(DevicePrograms, BudgetsHoldForDeviceMemory) {
  const char *text = R"(
func.func @main(%x: tensor<256x256xf32>) -> tensor<256xf32> {
  %y = graph.dot_general %x, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %s = graph.reduce max, %y [0] : tensor<256x256xf32> -> tensor<256xf32>
  return %s : tensor<256xf32>
})";
  pipeline::CompileOptions options;
  options.target = "opencl";
  auto session = start(compile(text, options), 1, 100000);
  ASSERT_TRUE(session);
  EXPECT_EQ(failureOf(*session, {floats({256, 256}, 1)}).substr(0, 2), "5:");
}

TEST_F(DevicePrograms, SizesThatDontFitAreNamed) {
  auto session = startOnDevice(attention);
  ASSERT_TRUE(session);
  std::string text = failureOf(
      *session, {floats({2, 5, 16}, 1), floats({3, 9, 16}, 2), floats({4}, 3)});
  EXPECT_EQ(text.substr(0, 2), "2:") << text;
}

TEST_F(DevicePrograms, DevicesThatDontExistAreUsageErrors) {
  pipeline::CompileOptions options;
  options.target = "opencl:77";
  auto executable = compile(attention, options);
  ASSERT_TRUE(executable);
  auto session = pipeline::Session::create(executable);
  ASSERT_FALSE(bool(session));
  Error error = errorOf(session.takeError());
  EXPECT_EQ(error.code, ErrorCode::Usage);
  EXPECT_NE(error.text.find("there is no OpenCL device 77"), std::string::npos);
}

TEST_F(DevicePrograms, TextIsTheSameEachTime) {
  pipeline::CompileOptions options;
  options.target = "opencl";
  auto first =
      pipeline::emit(parse(attention), pipeline::EmitForm::OpenCL, options);
  auto second =
      pipeline::emit(parse(attention), pipeline::EmitForm::OpenCL, options);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE((*first)[0].bytes == (*second)[0].bytes);
}

} // namespace
} // namespace zenith::test
