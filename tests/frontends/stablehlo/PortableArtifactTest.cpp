// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Portable artifacts: whole ones, damaged ones, and equality with the text
// form of the conformance programs.

#include "frontends/stablehlo/bytecode/PortableArtifact.h"
#include "frontends/stablehlo/bytecode/BytecodeCursor.h"
#include "frontends/stablehlo/bytecode/ElementBytes.h"
#include "frontends/stablehlo/bytecode/VHLOOpTable.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {

// Artifacts that a StableHLO 1.13.7 writer made: the sum of two scalars, and a
// loop over a sort with calls, a reduction and a gather.
constexpr llvm::StringLiteral additionHex =
    "4d4cef520d537461626c65484c4f5f76312e31332e370001190501050901030b03070f13"
    "17036347090135070b0f0f1b0b0b0b0f0b0f0b0f0b0f0f0b1b0f0b1b0f0b1b0f0b03130b"
    "130b0f130b0b0b0b01030f03070f1b0702e31f050d11010515252b03050b050d05050f05"
    "1105131d130105151d170105171d1b1d0519151f071d2123051b2d030717252b1d272905"
    "1d2d03070d0d351d2d2f051f2d03071705351d330705210d0103053535230503033d0d03"
    "3f411d231d251d271d290102022901071105030303030904530501510109010704410301"
    "050350010307042d03070b05071107150005061903030501030704310305060301050100"
    "9a032b0f0b0f211d13091325050519252929150f110f0b116275696c74696e0076686c6f"
    "006d6f64756c650066756e635f7631006164645f76310072657475726e5f7631002f746d"
    "702f7a2f73686c6f322f67656e2e7079006d686c6f2e6e756d5f706172746974696f6e73"
    "006d686c6f2e6e756d5f7265706c69636173006a69745f5f6c616d62646100780079006a"
    "6974283c6c616d6264613e292f616464003c6c616d6264613e00617274003c6d6f64756c"
    "653e006a6974283c6c616d6264613e29006a61782e726573756c745f696e666f00726573"
    "756c74006d61696e007075626c696300081505051f010b37393b4345";
constexpr llvm::StringLiteral loopHex =
    "4d4cef520d537461626c65484c4f5f76312e31332e3700012f0501051f01030b031d0f13"
    "171b1f23272b2f33373b3f4303f20262022f01ab070b0f0f0f0f0f0f0f0f170b0b0b0f0f"
    "0f0f0f0f0f0f0f0f0f0f0f0f171b0b0b0b0f0f0b1b0f0f0b0f1b0f0b1b0f0b1b0f0f0b0b"
    "0b0b0f0b0b0b0b0b0f0b0b0b0b0b0b0b0f0b0f0b0b0b0f1b0b0f0f1b0f0b0b0f0b035d0f"
    "0b0f1f0b2f0b0b1f0b2f1f0b0b0b0b0b0b0b13130b130b0b0b0b130b170b1f1f0b4f0b13"
    "0f0b0f0b0b2f1f1f1f012b0b130b170b13131b0b13131b170b0f170b13170b1b01030f03"
    "2d0f13130f0f130707130707171713131b171b1f131713026a091f05231d81011d67011d"
    "930d1d7d0115950f15555b1d73011d999b1d0e0212020525052705291d71011d910f1101"
    "051d194915510f1d69011d6b011d75011d77011d7f0b1d83051d85011d87011da5a71d2e"
    "02320203053d213f21052b052d052f1d17451d472305312d03071d41651d174d1d4f2505"
    "331d1b532d03072129631d575905352d03070d0d351d5d5f05372d030723055f1d17631d"
    "65010539053b053d053f1d6f01054105430545054705491d7b01054b054d054f05510553"
    "055505571d8b0105591d8f01055b055d055f1d1b972d03071f116f0561159d0f1d1b9f2d"
    "03072117251da325056305651da90105671f29010d010303ad1f03090000000009071f1d"
    "11000000000000000009031d691f090900000000070b1f1d1101000000000000001f0309"
    "0000c07f1d6b1d511d6d1d6f0701070323210305d3d70d03c3d51d710d03c3d91d731d75"
    "1d7723230305adad23250307adadad23271f0909030000001f1f090200000007051f2d21"
    "0000000000000000010000000000000007091f0b03011311050501131101050309051f07"
    "1101000000000000001f0909010000001f0309000000401f09090500000005791d160201"
    "057b1d1e022202057d1526020d1d192a022d03071d313d057f1536020d1d193a022d0307"
    "1d53631d42024602058115230d1d4e02520205831556020d1d5a025e0205852d03071f49"
    "5501020229011529030d152903090f29010f290117290309151b1d290309170901290509"
    "050f2905090517290305112903050f11030505030d110305030511050507030d11071307"
    "07030729030111290505050f29030911047a09050151013b01070452090301110d500103"
    "0704c60203111f030b8d0003421f05030703421f0703091b16090509050505010b04b703"
    "090f0513150b150003420909030907464a020b030b050105050409030703111f0513150b"
    "15000342090d03090f061a0203090501050342090f030309463911030503091d06390305"
    "05030b11463e02130305030d05040905070f03421315030315561317030305090b07042d"
    "03070b0507370737000f0613030305010305041303051146a119030d05090305041f050d"
    "0f0d50431b07046a0203050b0309001956051d0305030107040e02032343050731073100"
    "0342051503030746331f030b0501050342051503030b060703030707090107463521030b"
    "0501010342052303030b06070303070d0f0b0342051503030746331f030b050313034205"
    "1503030b060703030715170307463521030b0503030342052303030b06070303071b1d19"
    "07468925030b05111f050405032105040103030d504b270704460303315f05090d000342"
    "0107030909462711030703050746270b0313050307034201290309094629110307030b0f"
    "0629030705030d11466d2b030707090f0309461d17031903110342112d031f0342110703"
    "0909462b110319031707462b2f031b05131909461d31032b031509462d330319031d0746"
    "2d35031b05131f130679031b051b2103420b37030b15560b31031305232507042d03070b"
    "05172f172f0013060b030b05010305040b030517461139030d0501130342112303030946"
    "1d11030d032b0b0607030d0727292d050401032f0d50613b07042d03090b07250d0d000b"
    "06070307070103050504010307060301050100a20b87292b392d2d0d0f0f0b15150f0d21"
    "11171925251b0f050d07070d0b19170907070f2319090713091309171f0d252905210b29"
    "19131115150f110f1115291715190f0b116275696c74696e0076686c6f006d6f64756c65"
    "00636f6e7374616e745f76310072657475726e5f763100636f6d706172655f7631006272"
    "6f6164636173745f696e5f64696d5f76310073656c6563745f76310066756e635f763100"
    "6164645f76310063616c6c5f763100616e645f7631007265647563655f76310067617468"
    "65725f763200736f72745f7631007768696c655f7631006d756c7469706c795f7631002f"
    "746d702f7a2f73686c6f322f67656e2e7079006a69743a00662e3c6c6f63616c733e2e62"
    "6f64790066006d686c6f2e6e756d5f706172746974696f6e73006d686c6f2e6e756d5f72"
    "65706c69636173006a69745f66007768696c652f626f64792f6a6974006a69742866292f"
    "6a697400617274003c6d6f64756c653e006a69740073656c6563745f6e006c7400616464"
    "006a6974285f7768657265290062726f6164636173745f696e5f64696d00676174686572"
    "006765006c6500616e64007265647563655f616e64007265647563655f616e643a00736f"
    "727400736f72743a006571006e65006c745f746f0078006a6974286629006a6974286629"
    "2f7768696c65006a69742866292f7265647563655f73756d006a69742866292f6a697428"
    "5f74616b6529007265647563655f73756d3a007265647563655f73756d00707269766174"
    "65006a61782e726573756c745f696e666f005f74616b65005f776865726500726573756c"
    "745b305d00726573756c745b315d006d61696e007075626c6963007768696c653a007768"
    "696c65006a69742866292f7768696c652f626f64792f616464006a69742866292f776869"
    "6c652f626f64792f6d756c006a69742866292f7768696c652f626f64792f6a697428736f"
    "727429006a69742866292f7768696c652f636f6e642f6c7400662e3c6c6f63616c733e2e"
    "3c6c616d6264613e0008bf3d0583010bafcfd1dbdd03ff03bb050a0205b3bd0502020506"
    "0203ab03c503b103b503c70bafdfafc5b905f9fb05b7cb05b7cd03c105fdbd0be1e3afc7"
    "b903e903c903eb05b3ed03bf03ef05b3f103f311b5f5f7ababbfb5ab0be5e7afc9b9";

class PortableArtifact : public testing::Test {
protected:
  PortableArtifact() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([](Diagnostic &) {});
  }
  static DialectRegistry registry() {
    DialectRegistry dialects;
    registerStableHLODialects(dialects);
    return dialects;
  }
  /// The module's text, or the error's.
  std::string read(llvm::StringRef bytes) {
    auto module = readPortableArtifact(bytes, &context);
    if (!module)
      return module.error().message();
    EXPECT_TRUE(succeeded(verify(**module)));
    std::string text;
    llvm::raw_string_ostream os(text);
    (*module)->print(os);
    return os.str();
  }
  /// Whatever the bytes are, the answer is a module or an error with a text.
  void survive(llvm::StringRef bytes) {
    auto module = readPortableArtifact(bytes, &context);
    if (module)
      (void)verify(**module);
    else
      EXPECT_FALSE(module.error().text.empty());
  }
  MLIRContext context;
};

TEST_F(PortableArtifact, is_known_by_its_first_bytes) {
  EXPECT_TRUE(isPortableArtifact(llvm::fromHex(additionHex)));
  EXPECT_FALSE(isPortableArtifact("ML\xefR\x0dMLIR19.1.7"));
  EXPECT_FALSE(isPortableArtifact("module {}"));
}

TEST_F(PortableArtifact, reads_an_addition) {
  EXPECT_EQ(
      read(llvm::fromHex(additionHex)),
      R"(module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
}
)");
}

TEST_F(PortableArtifact, reads_regions_and_structured_attributes) {
  std::string text = read(llvm::fromHex(loopHex));
  for (llvm::StringRef part :
       {"stablehlo.while", "dimension = 0 : i64, is_stable = true",
        "stablehlo.compare  LT", "TOTALORDER", "call @sort",
        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = "
        "1",
        "slice_sizes = array<i64: 1>",
        "applies stablehlo.add across dimensions = [0]", "func.func private"})
    EXPECT_NE(text.find(part), std::string::npos) << part.str();
}

TEST_F(PortableArtifact, every_truncation_is_an_error) {
  std::string bytes = llvm::fromHex(additionHex);
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto module =
        readPortableArtifact(llvm::StringRef(bytes).take_front(size), &context);
    ASSERT_FALSE(bool(module)) << size;
    EXPECT_NE(module.error().text.find("byte"), std::string::npos)
        << module.error().text;
  }
}

TEST_F(PortableArtifact, names_structures_with_numbers_too_large_to_parse) {
  std::string bytes = llvm::fromHex(loopHex);
  // The list [0] that the gather names twice; its length comes first.
  size_t list = bytes.find(std::string("\x11\0\0\0\0\0\0\0\0", 9));
  ASSERT_NE(list, std::string::npos);
  bytes[list + 8] = char(0x80);
  bytes[list + 1] = 1;
  EXPECT_NE(read(bytes).find("collapsed_slice_dims"), std::string::npos);
}

TEST_F(PortableArtifact, survives_every_flipped_bit) {
  std::string bytes = llvm::fromHex(additionHex);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= char(1 << bit);
      survive(bytes);
      bytes[i] ^= char(1 << bit);
    }
}

TEST_F(PortableArtifact, survives_exchanged_bytes) {
  std::string bytes = llvm::fromHex(loopHex);
  uint64_t state = 1;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    for (int k = 0; k < 3; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      damaged[(state >> 33) % damaged.size()] = char(state >> 25);
    }
    survive(damaged);
  }
}

TEST_F(PortableArtifact, refuses_newer_versions_by_name) {
  std::string bytes = llvm::fromHex(additionHex);
  bytes.replace(bytes.find("1.13.7"), 6, "1.99.0");
  auto module = readPortableArtifact(bytes, &context);
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(module.error().code, ErrorCode::Unsupported);
  EXPECT_NE(module.error().text.find("1.99.0"), std::string::npos);
}

TEST(BytecodeCursor, reads_varints_of_every_length) {
  ArtifactStatus status;
  std::string bytes = llvm::fromHex("05"
                                    "0202"
                                    "2e02"
                                    "00ffffffffffffff7f");
  BytecodeCursor cursor(bytes, 0, status);
  EXPECT_EQ(cursor.varint(), 2u);
  EXPECT_EQ(cursor.varint(), 128u);
  EXPECT_EQ(cursor.varint(), 139u);
  EXPECT_EQ(cursor.varint(), 0x7fffffffffffffffu);
  EXPECT_TRUE(cursor.ok() && cursor.atEnd());
  EXPECT_EQ(cursor.byte(), 0);
  EXPECT_TRUE(status.failed());
}

TEST(BytecodeCursor, checks_counts_against_the_bytes_that_are_left) {
  ArtifactStatus status;
  std::string bytes = llvm::fromHex("000000000000000010");
  BytecodeCursor cursor(bytes, 100, status);
  EXPECT_EQ(cursor.count(), 0u);
  ASSERT_TRUE(status.failed());
  EXPECT_NE(status.error->text.find("109"), std::string::npos);
}

TEST(BytecodeCursor, reads_integers_by_width) {
  ArtifactStatus status;
  std::string bytes = llvm::fromHex("ff"
                                    "05"
                                    "07");
  BytecodeCursor cursor(bytes, 0, status);
  EXPECT_EQ(cursor.integer(8).getZExtValue(), 255u);
  EXPECT_EQ(cursor.integer(32).getSExtValue(), 1);
  EXPECT_EQ(cursor.integer(32).getSExtValue(), -2);
}

TEST(ElementBytes, booleans_are_packed_or_take_a_byte) {
  MLIRContext context;
  auto type = RankedTensorType::get({9}, IntegerType::get(&context, 1));
  auto values = [](DenseElementsAttr elements) {
    return elements ? llvm::to_vector(elements.getValues<bool>())
                    : SmallVector<bool>();
  };
  SmallVector<bool> expected{1, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(values(elementsFromBytes(type, llvm::fromHex("0101"))), expected);
  EXPECT_EQ(
      values(elementsFromBytes(type, llvm::fromHex("010000000000000001"))),
      expected);
  EXPECT_EQ(values(elementsFromBytes(type, llvm::fromHex("ff"))),
            SmallVector<bool>(9, true));
  EXPECT_FALSE(elementsFromBytes(type, llvm::fromHex("010101")));
}

TEST(ElementBytes, sizes_must_fit) {
  MLIRContext context;
  Builder builder(&context);
  auto type = RankedTensorType::get({2}, builder.getF32Type());
  EXPECT_TRUE(elementsFromBytes(type, llvm::fromHex("0000803f00000040")));
  EXPECT_TRUE(elementsFromBytes(type, llvm::fromHex("0000803f")));
  EXPECT_FALSE(elementsFromBytes(type, llvm::fromHex("0000803f00")));
  auto huge = RankedTensorType::get({INT64_MAX, 8}, builder.getF32Type());
  EXPECT_FALSE(elementsFromBytes(huge, llvm::fromHex("0000803f")));
  auto empty = RankedTensorType::get({0, 3}, builder.getF32Type());
  EXPECT_TRUE(elementsFromBytes(empty, ""));
}

TEST(VHLOOpTable, knows_versions) {
  const VHLOOp *gather = findVHLOOp("gather_v2");
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather->plainName(), "gather");
  EXPECT_EQ(gather->first.text(), "1.1.0");
  EXPECT_TRUE(findVHLOOp("abs_v1") && findVHLOOp("xor_v1"));
  EXPECT_FALSE(findVHLOOp("gather_v3"));
}

} // namespace
