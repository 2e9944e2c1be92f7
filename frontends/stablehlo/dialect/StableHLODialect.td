// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialects that StableHLO programs are written in.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLODIALECT_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLODIALECT_TD

include "mlir/IR/OpBase.td"

class StableHLO_DoorDialect<string dialectName, string space> : Dialect {
  let name = dialectName;
  let cppNamespace = "::zenith::" # space;
}

def StableHLO_Dialect : StableHLO_DoorDialect<"stablehlo", "stablehlo"> {
  let summary = "programs as StableHLO writers print them; the frontend turns them into GraphIR";
  let description = [{
    Attributes have the names and classes of the StableHLO specification, so that the text and the bytecode reader build the same ops.
    Attributes that the frontend does not interpret are kept as their text.
  }];
  let extraClassDeclaration = [{
    void registerAttributes();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def CHLO_Dialect : StableHLO_DoorDialect<"chlo", "chlo"> {
  let summary = "client ops that decompose into StableHLO";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def Sdy_Dialect : StableHLO_DoorDialect<"sdy", "sdy"> {
  let summary = "meshes and shardings; shardings are kept as text";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def Check_Dialect : StableHLO_DoorDialect<"check", "check"> {
  let summary = "expectations of programs that test themselves";
}

def Interpreter_Dialect : StableHLO_DoorDialect<"interpreter", "interpreter"> {
  let summary = "ops of StableHLO's reference interpreter, known by name only";
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLODIALECT_TD
