// The package as programs in Node use it. bindings/compare.py compares its answers with those of the command.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as all from "fingerpost";
import * as small from "fingerpost/identify";
import { toolkitOf } from "fingerpost/lib/toolkit.js";

const { check, checkMany, convert, convertMany, DigitalLink, ElementString, Epc, FingerpostError, label, Uri, Urn } =
  all;
const TAG = "3066c4409047e14000001a85";
const inPackage = (path) => readFileSync(new URL(import.meta.resolve(`fingerpost/lib/${path}`)));

/** Returns the error that a call throws. */
function thrown(call, kind = FingerpostError) {
  try {
    call();
  } catch (error) {
    assert(error instanceof kind, error);
    return error;
  }
  return assert.fail("nothing was thrown");
}

test("real inputs have the answers of the corpus, in both entries", () => {
  const { cases } = JSON.parse(readFileSync(`${process.env.TESTDATA}/real-inputs.json`, "utf8"));
  assert(cases.length > 150);
  for (const { input, valid, item, meant, code } of cases) {
    const found = check(input);
    assert.equal(found.valid, valid, input);
    if (item) assert.equal(found.item.element_string, item, input);
    if (meant) assert.equal(found.perhaps_meant.element_string, meant, input);
    if (code)
      assert(
        [...found.faults, ...found.warnings].some((finding) => finding.code === code),
        input,
      );
    // The small entry converts no address with other characters.
    if (!found.notes.some((note) => note.startsWith("an international address"))) {
      assert.deepEqual(small.check(input), found, input);
    }
  }
});

test("spans count units of UTF-16", () => {
  // U+1F4E6 has two units in UTF-16 and four bytes in UTF-8; U+00E9 has one and two.
  for (const before of ["", "é", "📦", "日本📦é"]) {
    const uri = thrown(() => new Uri(`https://a.example/${before}|`));
    assert.equal(uri.input.slice(uri.span.start, uri.span.end), before ? [...before][0] : "|");
    const found = check(`(01)09520123456788(10)${before}(17)261332`);
    for (const { span } of found.faults) assert(span.start <= span.end && span.end <= found.input.length);
    const date = found.faults.find(({ message }) => message.includes("(17)"));
    if (date) assert.match(found.input.slice(date.span.start, date.span.end), /^(261332|13|32|)/);
  }
  const fault = check("(01)09520123456788(10)AB📦é").faults[0];
  assert.deepEqual(fault.span, { start: 24, end: 26 });
  // Half a character is no text; it is read as U+FFFD, which has its length.
  assert.equal(check("(10)\ud800").input, "(10)\ufffd");
});

test("refusals say what, where and what next", () => {
  const error = thrown(() => convert(' "(01)09520123456788(21)6789" ', { to: "epc-urn" }));
  assert.equal(error.code, "GCP_LENGTH_REQUIRED");
  assert.deepEqual([error.span.start, error.span.end], [0, 26]);
  assert.equal(error.input, "(01)09520123456788(21)6789");
  assert(error.help && error.message && error.name === "FingerpostError");
  const wrong = [{ to: "hrii" }, { to: "hri", scheme: "SGTIN" }, { to: "hri", gcp_length: 3 }, { to: "hri", too: 1 }];
  for (const options of wrong) assert.equal(thrown(() => convert("9520123456788", options)).code, "OPTION");
  assert.match(thrown(() => check("1", { too: 1 })).message, /unknown field `too`/);
  assert.match(thrown(() => check(95201), TypeError).message, /expected a string, found number/);
  assert.match(thrown(() => check("1", "lenient"), TypeError).message, /expected an object of options/);
  assert.match(thrown(() => convert("9520123456788"), TypeError).message, /expected the option to/);
  assert.equal(thrown(() => check("1".repeat(1 << 21))).code, "TOO_LONG");
});

test("identifiers are values", () => {
  const link = new DigitalLink("(01)09520123456788(10)ABC", { stem: "https://id.example.org" });
  assert.equal(`${link}`, "https://id.example.org/01/09520123456788/10/ABC");
  assert.equal(JSON.stringify({ link }), '{"link":"https://id.example.org/01/09520123456788/10/ABC"}');
  assert.equal(link.get("10"), "ABC");
  assert.equal(link.get("21"), undefined);
  assert.equal(link.canonical, "https://id.gs1.org/01/09520123456788/10/ABC");
  assert.equal(link.to("hri"), "(01) 09520123456788 (10) ABC");
  assert(new DigitalLink("9520123456788").equals(new DigitalLink("(01)09520123456788")));
  assert(!new DigitalLink("9520123456788").equals(new ElementString("9520123456788")));
  assert.equal(String(new ElementString("]d201095201234567881726123110ABC")), "(01)09520123456788(17)261231(10)ABC");
  const epc = new Epc("(01)09506000134352(21)6789", { gcp_length: 7, filter: 3 });
  assert.deepEqual(
    [epc.scheme, epc.filter, epc.bits, epc.urn],
    ["SGTIN-96", 3, 96, "urn:epc:id:sgtin:9506000.013435.6789"],
  );
  assert.equal(new Epc(epc.hex).tag, epc.tag);
  const uri = new Uri("https://a.example:8443/b?c#d");
  assert.deepEqual(
    [uri.scheme, uri.host, uri.port, uri.path, uri.query, uri.fragment],
    ["https", "a.example", "8443", "/b", "c", "d"],
  );
  assert.equal(new Uri("/b").host, undefined);
  const urn = new Urn("URN:ISBN:0-451-45052-3");
  assert.deepEqual([urn.nid, urn.nss, urn.name], ["ISBN", "0-451-45052-3", "urn:isbn:0451450523"]);
  assert(thrown(() => new Urn("urn:isbn:0-451-45052-4")).code);
});

test("columns keep missing values and errors in their places", () => {
  const texts = [TAG, null, "9520123456788", undefined, "nothing"];
  const links = ["https://id.gs1.org/01/09506000134352/21/6789", null, "https://id.gs1.org/01/09520123456788", null];
  assert.deepEqual(convertMany(new Set(texts.slice(0, 3)), { to: "digital-link" }), links.slice(0, 3));
  assert.deepEqual(convertMany(texts, { to: "digital-link", errors: "null" }), [...links, null]);
  assert(convertMany(texts, { to: "digital-link", errors: "return" })[4] instanceof FingerpostError);
  assert.throws(() => convertMany(texts, { to: "digital-link" }), FingerpostError);
  assert.throws(() => convertMany(texts, { to: "digital-lnk", errors: "null" }), FingerpostError);
  assert.throws(() => convertMany(texts, { to: "digital-link", errors: "none" }), TypeError);
  assert.deepEqual(
    checkMany(texts).map((found) => found?.valid),
    [true, undefined, true, undefined, false],
  );
});

test("more options than are kept give their own answers", () => {
  for (let round = 0; round < 2; round += 1) {
    for (let at = 0; at < 150; at += 1) {
      const stem = `https://id${at}.example.org`;
      assert.equal(convert("9520123456788", { to: "digital-link", stem }), `${stem}/01/09520123456788`);
    }
  }
});

test("labels are pictures", () => {
  const begins = { png: [0x89, 0x50, 0x4e, 0x47], pdf: [0x25, 0x50, 0x44, 0x46] };
  for (const [format, begin] of Object.entries(begins)) {
    const drawn = label("(01)09520123456788(10)ABC", { symbol: "gs1-datamatrix", format });
    assert.deepEqual([...drawn.data.slice(0, 4)], begin);
    assert.equal(drawn.scan_data, "]d2010952012345678810ABC");
    assert(drawn.width_mm > 5 && drawn.format === format);
  }
  assert.match(label("9520123456788", { symbol: "ean-13" }).data, /^<svg/);
  assert(thrown(() => label("(10)ABC", { symbol: "ean-13" })).code);
});

test("types name what the toolkit knows", () => {
  const types = inPackage("identify.d.ts") + inPackage("index.d.ts");
  const union = (name) => types.match(new RegExp(`type ${name} =([^;]+);`))[1].match(/[^"\s|]+/g);
  const known = all.definition();
  assert.deepEqual(union("Form"), known.forms);
  assert.deepEqual(union("Accept"), known.accept);
  assert.deepEqual(union("Symbol"), known.symbols);
  assert.deepEqual(union("Address"), known.addresses);
  assert.deepEqual(
    Object.keys(all).filter((name) => !(name in small)),
    ["label"],
  );
});

test("require loads the package", () => {
  const require = createRequire(import.meta.url);
  assert.equal(require("fingerpost").convert(TAG, { to: "hri" }), "(01) 09506000134352 (21) 6789");
});

test("a module that fails is replaced", () => {
  const { check: own, call } = toolkitOf(new WebAssembly.Module(inPackage("identify.wasm")));
  assert.equal(own("9520123456788").valid, true);
  // A function that does not exist is a defect of the caller, which ends the module as any other.
  assert.equal(thrown(() => call("nothing", "9520123456788")).code, "DEFECT");
  assert.equal(own("9520123456788").valid, true);
});

test("what is downloaded stays small", () => {
  const scripts = ["index.js", "fetched.js", "toolkit.js", "results.js", "values.js"].map((name) => inPackage(name));
  for (const [name, limit] of [
    ["fingerpost", 350_000],
    ["identify", 200_000],
  ]) {
    const files = [inPackage(`${name}.wasm`), ...scripts];
    const [brotli, gzip] = [brotliCompressSync, gzipSync].map((compress) =>
      files.reduce((sum, file) => sum + compress(file).length, 0),
    );
    console.log(`${name}: ${brotli} bytes with brotli, ${gzip} with gzip`);
    assert(brotli < limit, `${name} has ${brotli} bytes with brotli, more than ${limit}`);
  }
});
