// The part of bench/bindings in Node: the package beside the libraries of npm. Prints two tables.
//
//   bindings.mjs ROUNDS CASES

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Packages are those of the current folder.
const require = createRequire(join(process.cwd(), "index.js"));
const { check, convert, convertMany } = await import(pathToFileURL(require.resolve("fingerpost")));
const parseBarcode = require("gs1-barcode-parser-mod").parseBarcode;
const Toolkit = require("digital-link.js/lib/GS1DigitalLinkCompressionPrototype/GS1DigitalLinkToolkit");
const { DigitalLink } = require("digital-link.js");
const toolkit = new Toolkit();
// The toolkit writes to the console while it works.
const print = console.log;
console.log = () => {};

const [rounds, file] = [Number(process.argv[2]), process.argv[3]];
const texts = (write) => Array.from({ length: 1000 }, (_, at) => write(at));
const SCANS = texts((lot) => `]d201095201234567881726123110LOT${lot}`);
const LINKS = texts((lot) => `https://id.example.org/01/09520123456788/10/LOT${lot}?17=261231`);
const TAGS = texts((serial) => `3066c4409047e140${serial.toString(16).padStart(8, "0")}`);
const each = (call) => (inputs) => inputs.map((text) => call(text));
const toElements = each((text) => convert(text, { to: "element-string" }));
const rows = [
  [
    "scan data",
    SCANS,
    [
      ["`check`", each((text) => check(text))],
      ["`convert`", toElements],
      ["gs1-barcode-parser-mod: `parseBarcode`", each(parseBarcode)],
    ],
  ],
  [
    "Digital Links",
    LINKS,
    [
      ["`check`", each((text) => check(text))],
      ["`convert`", toElements],
      ["GS1's toolkit: `extractFromGS1digitalLink`", each((text) => toolkit.extractFromGS1digitalLink(text))],
      ["digital-link.js: `DigitalLink(…).isValid`", each((text) => DigitalLink(text).isValid())],
    ],
  ],
  [
    "tags to URNs",
    TAGS,
    [
      ["`convert`", each((text) => convert(text, { to: "epc-urn" }))],
      ["`convertMany`", (inputs) => convertMany(inputs, { to: "epc-urn" })],
    ],
  ],
];

print("| texts | call | µs for a text | times as long as fingerpost |\n| -- | -- | -- | -- |");
for (const [name, inputs, calls] of rows) {
  const best = calls.map(() => Infinity);
  for (let round = 0; round < rounds; round += 1) {
    calls.forEach(([, call], at) => {
      const start = process.cpuUsage();
      call(inputs);
      const { user, system } = process.cpuUsage(start);
      best[at] = Math.min(best[at], (user + system) / inputs.length);
    });
  }
  calls.forEach(([call], at) =>
    print(`| ${name} | ${call} | ${best[at].toFixed(2)} | ${(best[at] / best[0]).toFixed(1)} |`),
  );
}

/** Returns the elements in brackets that a library finds, in the order of `expected`. */
function inBrackets(elements, expected) {
  const pairs = Object.entries(elements).filter(([ai]) => /^\d+$/.test(ai));
  const place = ([ai]) => expected.indexOf(`(${ai})`);
  return pairs
    .sort((a, b) => place(a) - place(b))
    .map(([ai, value]) => `(${ai})${value}`)
    .join("");
}

const LIBRARIES = {
  fingerpost: (text) => {
    const found = check(text);
    return found.valid && (found.item?.element_string ?? "none");
  },
  "gs1-barcode-parser-mod": (text, expected) => {
    const { parsedCodeItems } = parseBarcode(text);
    return inBrackets(Object.fromEntries(parsedCodeItems.map(({ ai, raw, data }) => [ai, raw ?? data])), expected);
  },
  "GS1's toolkit": (text, expected) => {
    const link = /^https?:/i.test(text)
      ? toolkit.extractFromGS1digitalLink(text).GS1
      : toolkit.extractFromGS1elementStrings(text);
    return inBrackets(link, expected);
  },
};
const { cases } = JSON.parse(readFileSync(file, "utf8"));
print(
  "\n| library | agrees | accepts what is wrong | refuses what is right | reads it otherwise |\n| -- | -- | -- | -- | -- |",
);
for (const [name, read] of Object.entries(LIBRARIES)) {
  const counts = { agrees: 0, accepts: 0, refuses: 0, otherwise: 0 };
  for (const { input, valid, item = "none" } of cases) {
    let found;
    try {
      found = read(input, item);
    } catch {
      // Both libraries refuse with any value.
    }
    if (valid) counts[found === item ? "agrees" : found ? "otherwise" : "refuses"] += 1;
    else counts[found ? "accepts" : "agrees"] += 1;
  }
  print(`| ${name} | ${Object.values(counts).join(" | ")} |`);
}
print(`\n${cases.length} inputs`);
