// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printed loops, branches, calls, masks and permutations against the host, and
// what is refused.

#include "ir/LLVMError.h"
#include "ir/target/OpenCLTarget.h"
#include "lowering/opencl/EmitOpenCL.h"
#include "tests/lowering/opencl/DeviceAndHost.h"

using namespace zenith::opencl;
using zenith::target::OpenCLTarget;

namespace {

class PrintedStructure : public DeviceAndHost {};
class Refusals : public DeviceAndHost {
protected:
  void SetUp() override {} // needs no device
  std::string refusal(const std::string &text, const PrintOptions &options) {
    auto kernels = parse(text);
    auto program = emitOpenCL(*kernels, options);
    if (program)
      return {};
    zenith::Error error = zenith::errorOf(program.takeError());
    EXPECT_EQ(error.code, zenith::ErrorCode::Unsupported);
    return error.text;
  }
};

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = 0.5f * float(i) - 3;
  return values;
}

TEST_F(PrintedStructure, CarriedValuesSwap) {
  auto buffers = expectSame(R"(
  func.func @fibonacci(%out: memref<1099511627776xi64>, %n: index, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %task = %begin to %end step %c1 {
      %count = arith.addi %task, %n : index
      %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %zero, %b = %one) -> (i64, i64) {
        %s = arith.addi %a, %b : i64
        scf.yield %b, %s : i64, i64
      }
      memref.store %r#0, %out[%task] : memref<1099511627776xi64>
    }
    return
  })",
                            {Bytes(20 * 8)}, {3}, 20);
  EXPECT_EQ(valuesOf<int64_t>(buffers[0])[9], 144);
}

TEST_F(PrintedStructure, WhileAndIf) {
  auto buffers = expectSame(R"(
  func.func @collatz(%out: memref<1099511627776xi32>, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    scf.for %task = %begin to %end step %c1 {
      %t = arith.index_cast %task : index to i32
      %start = arith.addi %t, %one : i32
      %r:2 = scf.while (%x = %start, %steps = %zero) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %x, %one : i32
        scf.condition(%more) %x, %steps : i32, i32
      } do {
      ^bb0(%x: i32, %steps: i32):
        %bit = arith.remui %x, %two : i32
        %odd = arith.cmpi eq, %bit, %one : i32
        %next = scf.if %odd -> i32 {
          %p = arith.muli %x, %three : i32
          %q = arith.addi %p, %one : i32
          scf.yield %q : i32
        } else {
          %h = arith.divui %x, %two : i32
          scf.yield %h : i32
        }
        %s = arith.addi %steps, %one : i32
        scf.yield %next, %s : i32, i32
      }
      memref.store %r#1, %out[%task] : memref<1099511627776xi32>
    }
    return
  })",
                            {Bytes(32 * 4)}, {}, 32);
  EXPECT_EQ(valuesOf<int32_t>(buffers[0])[26], 111);
}

/// A masked tail of W lanes, for every length of it.
TEST_F(PrintedStructure, MaskedTails) {
  for (int64_t size : {1, 7, 16, 17, 23, 32, 33, 50}) {
    auto x = counting(size + 40);
    expectSame(R"(
  func.func @tail(%x: memref<1099511627776xf32>, %y: memref<1099511627776xf32>, %n: index, %begin: index, %end: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant dense<7.0> : vector<32xf32>
    scf.for %task = %begin to %end step %c1 {
      %i = arith.muli %task, %c32 overflow<nsw> : index
      %left = arith.subi %n, %i : index
      %mask = vector.create_mask %left : vector<32xi1>
      %v = vector.maskedload %x[%i], %mask, %zero : memref<1099511627776xf32>, vector<32xi1>, vector<32xf32> into vector<32xf32>
      %s = arith.addf %v, %v : vector<32xf32>
      %t = arith.select %mask, %s, %zero : vector<32xi1>, vector<32xf32>
      vector.maskedstore %y[%i], %mask, %t : memref<1099511627776xf32>, vector<32xi1>, vector<32xf32>
    }
    return
  })",
               {bytesOf(x), bytesOf(counting(size + 40))}, {size},
               (size + 31) / 32);
  }
}

TEST_F(PrintedStructure, MasksFromComparisons) {
  auto x = counting(48);
  expectSame(R"(
  func.func @positive(%x: memref<1099511627776xf32>, %y: memref<1099511627776xf32>, %begin: index, %end: index) {
    %zero = arith.constant dense<0.0> : vector<24xf32>
    %c24 = arith.constant 24 : index
    %i = arith.muli %begin, %c24 : index
    %v = vector.load %x[%i] : memref<1099511627776xf32>, vector<24xf32>
    %mask = arith.cmpf ogt, %v, %zero : vector<24xf32>
    %w = vector.maskedload %x[%i], %mask, %zero : memref<1099511627776xf32>, vector<24xi1>, vector<24xf32> into vector<24xf32>
    vector.maskedstore %y[%i], %mask, %w : memref<1099511627776xf32>, vector<24xi1>, vector<24xf32>
    return
  })",
             {bytesOf(x), bytesOf(counting(48))}, {}, 1);
}

TEST_F(PrintedStructure, GatherAndScatter) {
  std::vector<int32_t> at(32);
  for (int i = 0; i < 32; ++i)
    at[i] = (i * 7 + 3) % 32;
  expectSame(R"(
  func.func @permute(%x: memref<1099511627776xf32>, %at: memref<1099511627776xi32>, %y: memref<1099511627776xf32>, %z: memref<1099511627776xi8>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c20 = arith.constant 20 : index
    %one = arith.constant dense<1.0> : vector<32xf32>
    %p = vector.load %at[%c0] : memref<1099511627776xi32>, vector<32xi32>
    %mask = vector.create_mask %c20 : vector<32xi1>
    %g = vector.gather %x[%c0] [%p], %mask, %one : memref<1099511627776xf32>, vector<32xi32>, vector<32xi1>, vector<32xf32> into vector<32xf32>
    vector.store %g, %y[%c0] : memref<1099511627776xf32>, vector<32xf32>
    %b = arith.trunci %p : vector<32xi32> to vector<32xi8>
    %q = arith.index_cast %p : vector<32xi32> to vector<32xindex>
    vector.scatter %z[%c0] [%q], %mask, %b : memref<1099511627776xi8>, vector<32xindex>, vector<32xi1>, vector<32xi8>
    return
  })",
             {bytesOf(counting(32)), bytesOf(at), Bytes(128), Bytes(32)}, {},
             1);
}

TEST_F(PrintedStructure, LanesMove) {
  expectSame(R"(
  func.func @lanes(%x: memref<1099511627776xf32>, %y: memref<1099511627776xf32>, %n: index, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %a = vector.load %x[%c0] : memref<1099511627776xf32>, vector<16xf32>
    %b = vector.load %x[%c16] : memref<1099511627776xf32>, vector<16xf32>
    %wide = vector.shuffle %a, %b [0, 16, 1, 17, 2, 18, 3, 19, 8, 9, 10, 11, 24, 25, 26, 27, 31, 30, 29, 28, 27, 26, 25, 24, 15, 0, 1, 2, 3, 4, 5, 6] : vector<16xf32>, vector<16xf32>
    vector.store %wide, %y[%c0] : memref<1099511627776xf32>, vector<32xf32>
    %slice = vector.extract_strided_slice %wide {offsets = [12], sizes = [8], strides = [1]} : vector<32xf32> to vector<8xf32>
    %back = vector.insert_strided_slice %slice, %b {offsets = [3], strides = [1]} : vector<8xf32> into vector<16xf32>
    %e = vector.extract %wide[21] : f32 from vector<32xf32>
    %f = vector.extractelement %wide[%n : index] : vector<32xf32>
    %i = vector.insert %e, %back [2] : f32 into vector<16xf32>
    %j = vector.insertelement %f, %i[%n : index] : vector<16xf32>
    vector.store %j, %y[%c32] : memref<1099511627776xf32>, vector<16xf32>
    %s = vector.broadcast %e : f32 to vector<16xf32>
    vector.store %s, %y[%c48] : memref<1099511627776xf32>, vector<16xf32>
    return
  })",
             {bytesOf(counting(32)), Bytes(256)}, {13}, 1);
}

TEST_F(PrintedStructure, Reductions) {
  std::vector<int32_t> integers(32);
  for (int i = 0; i < 32; ++i)
    integers[i] = (i * 37 % 29 - 11) * 97;
  expectSame(R"(
  func.func @reduce(%x: memref<1099511627776xf32>, %k: memref<1099511627776xi32>, %y: memref<1099511627776xf32>, %z: memref<1099511627776xi32>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %start = arith.constant 0.25 : f32
    %v = vector.load %x[%c0] : memref<1099511627776xf32>, vector<32xf32>
    %i = vector.load %k[%c0] : memref<1099511627776xi32>, vector<32xi32>
    %s = vector.reduction <add>, %v, %start : vector<32xf32> into f32
    %m = vector.reduction <maximumf>, %v : vector<32xf32> into f32
    %n = vector.reduction <minnumf>, %v : vector<32xf32> into f32
    memref.store %s, %y[%c0] : memref<1099511627776xf32>
    memref.store %m, %y[%c1] : memref<1099511627776xf32>
    memref.store %n, %y[%c2] : memref<1099511627776xf32>
    %a = vector.reduction <add>, %i : vector<32xi32> into i32
    %b = vector.reduction <maxui>, %i : vector<32xi32> into i32
    %c = vector.reduction <minsi>, %i : vector<32xi32> into i32
    %d = arith.xori %a, %b : i32
    %zero = arith.constant dense<3000> : vector<32xi32>
    %cmp = arith.cmpi sgt, %i, %zero : vector<32xi32>
    %any = vector.reduction <or>, %cmp : vector<32xi1> into i1
    %anyInt = arith.extui %any : i1 to i32
    memref.store %d, %z[%c0] : memref<1099511627776xi32>
    memref.store %c, %z[%c1] : memref<1099511627776xi32>
    memref.store %anyInt, %z[%c2] : memref<1099511627776xi32>
    return
  })",
             {bytesOf(counting(32)), bytesOf(integers), Bytes(12), Bytes(12)},
             {}, 1);
}

/// A function called with local and with global memory is printed for both.
TEST_F(PrintedStructure, CallsPerAddressSpace) {
  std::string text = R"(
  func.func private @double(%m: memref<1099511627776xf32>, %at: index) -> f32 {
    %v = memref.load %m[%at] : memref<1099511627776xf32>
    %d = arith.addf %v, %v : f32
    memref.store %d, %m[%at] : memref<1099511627776xf32>
    return %d : f32
  }
  func.func @calls(%x: memref<1099511627776xf32>, %begin: index, %end: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %tile = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
    %memory = memref.reinterpret_cast %tile to offset: [0], sizes: [1099511627776], strides: [1] : memref<8xf32> to memref<1099511627776xf32>
    %v = memref.load %x[%c0] : memref<1099511627776xf32>
    memref.store %v, %tile[%c2] : memref<8xf32>
    %a = func.call @double(%memory, %c2) : (memref<1099511627776xf32>, index) -> f32
    %b = func.call @double(%x, %c0) : (memref<1099511627776xf32>, index) -> f32
    %s = arith.addf %a, %b : f32
    memref.store %s, %x[%c1] : memref<1099511627776xf32>
    return
  })";
  auto buffers = expectSame(text, {bytesOf(counting(4))}, {}, 1);
  EXPECT_EQ(valuesOf<float>(buffers[0])[1], -12);
  auto program = emitOpenCL(*parse(text), PrintOptions());
  ASSERT_TRUE(bool(program));
  EXPECT_NE(program->source.find("double_g("), std::string::npos);
  EXPECT_NE(program->source.find("double_p("), std::string::npos);
}

TEST_F(PrintedStructure, TextIsTheSameEachTime) {
  std::string text = R"(
  func.func @k(%x: memref<1099511627776xf16>, %begin: index, %end: index) {
    %v = vector.load %x[%begin] : memref<1099511627776xf16>, vector<32xf16>
    %w = arith.extf %v : vector<32xf16> to vector<32xf32>
    %n = arith.truncf %w : vector<32xf32> to vector<32xf16>
    vector.store %n, %x[%begin] : memref<1099511627776xf16>, vector<32xf16>
    return
  })";
  auto first = emitOpenCL(*parse(text), PrintOptions());
  auto second = emitOpenCL(*parse(text), PrintOptions());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->source, second->source);
}

TEST_F(Refusals, DoubleWithoutTheExtension) {
  PrintOptions options;
  options.fp64 = false;
  EXPECT_EQ(refusal(R"(
  func.func @k(%x: memref<1099511627776xf64>, %begin: index, %end: index) {
    %v = memref.load %x[%begin] : memref<1099511627776xf64>
    memref.store %v, %x[%end] : memref<1099511627776xf64>
    return
  })",
                    options),
            "'memref.load' needs f64, and the device has no cl_khr_fp64 "
            "(kernel k)");
}

TEST_F(Refusals, OpsAndTypesWithoutAForm) {
  EXPECT_EQ(refusal(R"(
  func.func @k(%x: memref<1099511627776xf32>, %begin: index, %end: index) {
    %v = memref.load %x[%begin] : memref<1099511627776xf32>
    %e = math.exp %v : f32
    memref.store %e, %x[%begin] : memref<1099511627776xf32>
    return
  })",
                    PrintOptions()),
            "'math.exp' is not printed as OpenCL C (kernel k)");
  EXPECT_EQ(refusal(R"(
  func.func @k(%begin: index, %end: index) {
    %c = arith.constant 5 : i37
    return
  })",
                    PrintOptions()),
            "'arith.constant' has the type i37, which OpenCL C lacks (kernel "
            "k)");
}

TEST(OpenCLTargetNames, Parse) {
  EXPECT_EQ(llvm::cantFail(OpenCLTarget::parse("opencl")).device, 0);
  EXPECT_EQ(llvm::cantFail(OpenCLTarget::parse("opencl:3")).device, 3);
  for (const char *wrong :
       {"opencl:", "opencl:-1", "opencl:x", "opencl3", ""}) {
    auto target = OpenCLTarget::parse(wrong);
    ASSERT_FALSE(bool(target)) << wrong;
    EXPECT_NE(llvm::toString(target.takeError()).find("is no OpenCL target"),
              std::string::npos);
  }
}

} // namespace
