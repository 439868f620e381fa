// Runs the rows of COMPARE.md about GS1's Digital Link toolkit (JavaScript) with the toolkit: `.ci/gs1-peer`.
// What this crate does with the same input is stated by its own tests.
"use strict";

const assert = require("node:assert");
const Toolkit = require("digital-link.js/lib/GS1DigitalLinkCompressionPrototype/GS1DigitalLinkToolkit");

// The toolkit writes to the console while it works.
const log = console.log;
console.log = () => {};

const STEM = "https://id.gs1.org";
const toolkit = new Toolkit();
const link = (elements) => toolkit.gs1ElementStringsToGS1DigitalLink(elements, false, STEM);
const compressed = (path) => toolkit.compressGS1DigitalLink(STEM + path, false, STEM, false, true, true);
const decompressed = (uri) => toolkit.decompressGS1DigitalLink(uri, false, STEM);
const again = (path) => decompressed(compressed(path));

const rows = {
  "what it reads, it reads as we do": () => {
    for (const path of ["/01/09520123456788/10/A/21/B?17=271231", "/8010/9520123ABC/8011/123", "/01/09520123456788?7007=210101210102"]) {
      assert.equal(again(path), STEM + path);
    }
  },
  "an impossible date, country or currency is accepted": () => {
    assert.equal(link("(01)09520123456788(17)271399"), `${STEM}/01/09520123456788?17=271399`);
    assert.equal(link("(01)09520123456788(422)000"), `${STEM}/01/09520123456788?422=000`);
    assert.equal(link("(01)09520123456788(3910)000100"), `${STEM}/01/09520123456788?3910=000100`);
    // Check digits are checked.
    assert.throws(() => link("(01)09520123456789"), /CHECK DIGIT/);
  },
  "required and excluding Application Identifiers are not checked": () => {
    assert.equal(link("(01)09520123456788(02)09520123456788"), `${STEM}/01/09520123456788?02=09520123456788`);
    assert.equal(link("(01)09520123456788(37)5"), `${STEM}/01/09520123456788?37=5`);
  },
  "names are accepted": () => {
    assert.deepEqual(toolkit.extractFromGS1digitalLink(`${STEM}/gtin/09520123456788/lot/A`).GS1, { "01": "09520123456788", 10: "A" });
  },
  "an Application Identifier allocated since is left out of a link, and fails to compress": () => {
    assert.equal(link("(00)095201234567891235(4300)ABC"), `${STEM}/00/095201234567891235`);
    assert.throws(() => compressed("/00/095201234567891235?4300=ABC"), TypeError);
  },
  "a number longer than 53 bits is corrupted": () => {
    assert.equal(again("/01/09520123456788/21/9007199254740993"), `${STEM}/01/09520123456788/21/9007199254740992`);
  },
  "a second field is not read back": () => {
    for (const path of [
      "/253/9520123456788ABC",
      "/8003/09520123456788ABC",
      "/01/09520123456788?421=276AB12",
      "/01/09520123456788?7030=276AB12",
    ]) {
      assert.throws(() => again(path));
    }
  },
  "the key (8013) is lost": () => {
    assert.equal(compressed("/8013/1987654Ad4X4bL5ttr2310c2K"), `${STEM}/`);
  },
  "the table is sorted when it is loaded": () => {
    assert.deepEqual(toolkit.tableOpt["1A"], ["01", "10", "17", "21"]);
    assert.deepEqual(toolkit.tableOpt["9D"], ["254", "414"]);
  },
};

for (const [name, run] of Object.entries(rows)) {
  try {
    run();
  } catch (error) {
    log(`no longer true of the toolkit: ${name}\n${error.message}`);
    process.exitCode = 1;
  }
}
log(`${Object.keys(rows).length} rows of COMPARE.md run with GS1's toolkit`);
