#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/generated: ops, passes and the host dialect as their TableGen records tell, and the pages that the built code prints.

usage: gen_docs.py [--check] [--tblgen=FILE] [--include=DIR] [--project=FILE] [--conformance FILE...]
--check writes nothing and exits 1 where a page has drifted. --project is the built ZenithProjectTests; without it
only ops.md, passes.md, host.md and schedules.md are written. --conformance takes results of conformance runs (JSON with a list `cases`
of op, verdict and why) and prints where support.md says something else; nothing else is done then.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTE = "<!-- Written by tools/scripts/gen_docs.py from {sources}; edit those instead. -->\n"


def records(tblgen, include, source):
    command = [tblgen, "--dump-json", "-I", include, "-I", str(ROOT), str(ROOT / source)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def in_source_order(names, sources):
    text = "".join((ROOT / source).read_text() for source in sources)
    return sorted(names, key=lambda name: re.search(r"^def " + name + r"\b", text, re.M).start())


def sentences(text):
    """Description split into prose, numbered constraints and the example."""
    text = " ".join(text.split())
    text, _, example = text.partition("Example: ")
    prose = re.split(r"\bc\d+: ", text)[0].strip()
    constraints = re.findall(r"\b(c\d+): (.*?)(?=\bc\d+: |$)", text)
    cleaned = [(label, clause.strip().rstrip(";.").strip()) for label, clause in constraints]
    return prose, cleaned, example.strip().strip("`")


def value_rows(op, all_records):
    for place, role in (("arguments", None), ("results", "result")):
        for value, name in op[place]["args"]:
            record = all_records[value["def"]]
            variadic, optional = "", ""
            if "Variadic" in record["!superclasses"]:
                variadic = "any number of "
            if "Optional" in record["!superclasses"] or "OptionalAttr" in record["!superclasses"]:
                optional = "optional "
            while "baseType" in record and record["baseType"]:
                record = all_records[record["baseType"]["def"]]
            if "OptionalAttr" in record["!superclasses"]:
                record = all_records[record["baseAttr"]["def"]]
            is_attribute = "Attr" in record["!superclasses"]
            text = (record.get("summary") or record["!name"]).split(";")[0]
            if "EnumAttr" in record["!superclasses"]:
                cases = all_records[record["enum"]["def"]]["enumerants"]
                text = "one of " + ", ".join("`" + all_records[case["def"]]["str"] + "`" for case in cases)
            text = text.replace("ranked tensor", "tensor").replace(" attribute", "").replace("|", "\\|")
            yield f"`{name}`", role or ("attribute" if is_attribute else "operand"), optional + variadic + text


def family_of(op, all_records):
    for trait in op["traits"]:
        found = re.match(r"InFamily<.*::(\w+)>", all_records[trait["def"]].get("trait") or "")
        if found:
            return found[1]
    raise SystemExit(f"{op['opName']} has no family")


def ops_page(tblgen, include):
    sources = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "ir/ops").glob("*.td"))]
    order = re.findall(r'include "(ir/ops/\w+\.td)"', (ROOT / "ir/GraphOps.td").read_text())
    # Their op classes are generated apart; search is a dialect of its own.
    collective, search = "ir/ops/Collective.td", "ir/ops/Search.td"
    assert sorted(order + [collective, search]) == sources, "ir/GraphOps.td does not include every file of ir/ops"
    lines = [NOTE.format(sources="ir/ops/*.td"), "# Ops of GraphIR", ""]
    lines += ["What types, dimensions and parameters are: [graphir.md](../graphir.md). A broken constraint is reported with its",
              "label, as in `(transpose_c1)`; `tests/ir/<family>-invalid.mlir` breaks each one.", ""]
    lines += op_sections(records(tblgen, include, "ir/GraphOps.td"), "graph", order)
    lines += op_sections(records(tblgen, include, collective), "graph", [collective])
    return "\n".join(lines + op_sections(records(tblgen, include, search), "search", [search]))


def op_sections(all_records, dialect, order):
    names = [name for name in all_records["!instanceof"]["Op"] if name.startswith(dialect.title() + "_")]
    lines, family = [], None
    for name in in_source_order(names, order):
        op = all_records[name]
        if family_of(op, all_records) != family:
            family = family_of(op, all_records)
            lines += [f"## {family}", ""]
            if family == "Elementwise":
                lines += ["All operands and the result have one shape (c1) and, where no op says otherwise, one element type (c2).", ""]
        prose, constraints, example = sentences(op["description"])
        lines += [f"### {dialect}.{op['opName']}", "", op["summary"] + ".", ""]
        if prose and not prose.startswith("No constraints"):
            lines += [prose, ""]
        lines += ["| value | role | type |", "|---|---|---|"]
        lines += [f"| {value} | {role} | {text} |" for value, role, text in value_rows(op, all_records)] + [""]
        lines += [f"- **{label}** {clause}." for label, clause in constraints] + ([""] if constraints else [])
        lines += ["```mlir", example, "```", ""]
    return lines


def readable(check):
    """A FileCheck pattern as the line that it stands for: %[[A:.*]] -> %A, {{.*}} -> ..., tensor<{{..}}> -> tensor<...>."""
    check = re.sub(r"\[\[(\w+)(:.*?)?\]\]", lambda found: found[1].lower(), check)
    return re.sub(r"\{\{.*?\}\}", "...", check).replace("%...", "%_").strip()


def example_lines(reference):
    """The function of a text test, "file#name", and what its CHECK lines say of it afterwards."""
    file, _, name = reference.partition("#")
    text = (ROOT / "tests" / file).read_text()
    before = re.search(r"^func\.func @" + name + r"\b.*?^}$", text, re.M | re.S)
    labels = re.search(r"^// CHECK-LABEL: (?:func.func )?@" + name + r"\b.*\n((?:^//.*\n)*)", text, re.M)
    if labels is None and before is not None:  # the label of an only function may lie further up
        labels = re.search(r"^// CHECK: func.func (?:private )?@" + name + r"\b.*\n((?:^//.*\n)*)", text, re.M)
    if before is None or labels is None:
        raise SystemExit(f"tests/{file}: no function @{name} with CHECK lines, which a pass names as its example")
    after = []
    for kind, check in re.findall(r"^// CHECK(?:-(NOT|COUNT-\d+|SAME|NEXT|DAG))?: (.*)$", labels[1], re.M):
        if kind == "SAME":  # more of the line above; what follows the label only names the arguments
            after[-1:] = [line + " ... " + readable(check) for line in after[-1:]]
            continue
        note = "// none: " if kind == "NOT" else f"// {kind[6:]} times: " if kind.startswith("COUNT") else ""
        after.append(note + readable(check))
    return [f"Before (tests/{file}):", "", "```mlir", *before[0].splitlines(), "```", "", "after, as far as the test asks:", "",
            "```mlir", *after, "```", ""]


def passes_page(tblgen, include, sources):
    lines = [NOTE.format(sources=" and ".join(sources)), "# Passes", ""]
    for source in sources:
        all_records = records(tblgen, include, source)
        for name in in_source_order(all_records["!instanceof"]["PassBase"], [source]):
            record = all_records[name]
            lines += [f"## {record['argument']}", "", record["summary"] + ".", ""]
            text = record["description"].rstrip().strip("\n")
            indent = min((len(line) - len(line.lstrip()) for line in text.splitlines() if line.strip()), default=0)
            lines += [line[indent:].rstrip() for line in text.splitlines()] + [""]
            if record.get("exampleTest"):
                lines += example_lines(record["exampleTest"])
            options = [all_records[option["def"]] for option in record["options"]]
            if options:
                lines += ["| option | default | meaning |", "|---|---|---|"]
                lines += [f"| `{o['argument']}` | {o['defaultValue'] or ''} | {o['description']} |" for o in options] + [""]
    return "\n".join(lines)


def host_page(tblgen, include):
    """Ops and attributes of the host dialect, with their numbered constraints."""
    source = "lowering/host/HostOps.td"
    all_records = records(tblgen, include, source)
    lines = [NOTE.format(sources="lowering/host"), "# The host dialect's ops and attributes", "",
             "What they mean together is in [the host dialect](../host-dialect.md)."]
    for title, base, name_of in (
            ("Attributes", "Host_Attr", lambda r: "#host." + r["mnemonic"]),
            ("Ops", "Host_Op", lambda r: "host." + r["opName"])):
        names = [n for n, r in all_records.items() if isinstance(r, dict) and base in r.get("!superclasses", [])]
        lines += ["", "## " + title]
        for name in in_source_order(names, ["lowering/host/HostAttrs.td", source]):
            record = all_records[name]
            text, _, example = " ".join(record["description"].split()).partition("Example")
            text, _, listed = text.partition("Constraints:")
            lines += ["", "### " + name_of(record), record["summary"][0].upper() + record["summary"][1:] + "."]
            lines += ["", text.strip()] if text.strip() else []
            constraints = re.findall(r"- \((\w+_c\d+)\) (.*?)(?= - \(|$)", listed.strip())
            lines += [""] * bool(constraints) + [f"- `{label}` {clause.strip()}" for label, clause in constraints]
            lines += ["", "Example" + example.strip()] if example else []
    return "\n".join(lines) + "\n"


def schedules_page(tblgen, include):
    """Kinds of schedules with their keys."""
    source = "lowering/schedule/Schedule.td"
    all_records = records(tblgen, include, source)
    lines = [NOTE.format(sources=source), "# Kinds of schedules", "",
             "What schedules are for, and the constraints `sched_c1` to `sched_c14`: [schedules](../schedules.md)."]
    names = [n for n, r in all_records.items()
             if isinstance(r, dict) and "AttrDef" in r.get("!superclasses", []) and not r["!anonymous"]]
    for name in in_source_order(names, [source]):
        record = all_records[name]
        text, _, example = " ".join(record["description"].split()).partition("Example: ")
        lines += ["", "## #sched." + record["mnemonic"], record["summary"][0].upper() + record["summary"][1:] + "."]
        lines += ["", text.strip()] if text.strip() else []
        lines += ["", "| key | meaning | left out |", "|---|---|---|"]
        for value, key in record["parameters"]["args"]:
            parameter = all_records[value["def"]] if isinstance(value, dict) else {"summary": "", "defaultValue": ""}
            default = parameter.get("defaultValue") or ""
            silent = "1" if default == "1" else "plain, or decided" if "Store" in default else "decided" if default else "never"
            lines.append(f"| `{key}` | {parameter.get('summary') or value} | {silent} |")
        lines += ["", "Example: " + example.strip()] if example else []
    return "\n".join(lines) + "\n"


def compare_with_conformance(files):
    """An operator that support.md imports has no case that ends in "not supported"; one that it lacks passes none."""
    page = (ROOT / "docs/generated/support.md").read_text().partition("## Ops of GraphIR")[0]
    rows = re.findall(r"^\| `([\w.:]+)` \| (.*?) \|", page, re.M)
    known = {name for name, opsets in rows if opsets != "no"}
    findings = 0
    for file in files:
        for case in json.loads(pathlib.Path(file).read_text())["cases"]:
            if not case["suite"].startswith("onnx"):
                continue
            unknown = re.search(r"operator (\w+)(?: of domain \S+)? is not supported", case.get("why") or "")
            if unknown and (unknown[1] in known):
                print(f"{case['id']}: support.md imports {unknown[1]}, the run says: {case['why']}")
                findings += 1
            if case["verdict"] == "pass" and case["op"] not in known and "model" not in case["op"]:
                print(f"{case['id']}: passes, but support.md does not import {case['op']}")
                findings += 1
    return 1 if findings else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tblgen", default="/usr/lib/llvm-19/bin/llvm-tblgen")
    parser.add_argument("--include", default="/usr/lib/llvm-19/include")
    parser.add_argument("--project", default=str(ROOT / "build/bin/ZenithProjectTests"))
    parser.add_argument("--conformance", nargs="+")
    options = parser.parse_args()
    if options.conformance:
        return compare_with_conformance(options.conformance)
    passes = [source for source in ("passes/GraphPasses.td", "passes/autodiff/DerivationPasses.td",
                                     "passes/precision/PrecisionPasses.td",
                                     "passes/sharding/ShardingPasses.td",
                                     "lowering/LoweringPasses.td") if (ROOT / source).exists()]
    pages = {"ops.md": ops_page(options.tblgen, options.include)}
    if passes:
        pages["passes.md"] = passes_page(options.tblgen, options.include, passes)
    pages["host.md"] = host_page(options.tblgen, options.include)
    pages["schedules.md"] = schedules_page(options.tblgen, options.include)
    if pathlib.Path(options.project).exists():
        for name in ("coverage", "support", "options", "remarks", "phases"):
            pages[name + ".md"] = subprocess.run([options.project, "--print-" + name], capture_output=True, text=True,
                                                 check=True).stdout
    drifted = False
    for name, text in pages.items():
        path = ROOT / "docs" / "generated" / name
        if path.exists() and path.read_text() == text:
            continue
        drifted = True
        if options.check:
            print(f"{path.relative_to(ROOT)} has drifted: run tools/scripts/gen_docs.py")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if drifted and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
