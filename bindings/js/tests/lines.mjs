// Answers for bindings/compare.py: `lines.mjs FUNCTION OPTIONS` reads texts that end in NUL and prints a line for each.

import { readFileSync } from "node:fs";
import { FingerpostError } from "fingerpost";
import { inUnits } from "fingerpost/lib/results.js";
import { toolkitOf } from "fingerpost/lib/toolkit.js";

const wasm = new URL(import.meta.resolve("fingerpost/lib/fingerpost.wasm"));
const { definition, call } = toolkitOf(new WebAssembly.Module(readFileSync(wasm)));
const [name, given] = process.argv.slice(2);
if (name === "definition") {
  console.log(JSON.stringify(definition()));
} else {
  const options = JSON.parse(given);
  const isText = name === "convert" && options.to !== "json";
  const answer = (text) => {
    try {
      const found = call(name, text, options);
      const result = isText ? found : inUnits(JSON.parse(found));
      return name === "convert" ? { result } : result;
    } catch (error) {
      if (!(error instanceof FingerpostError)) throw error;
      const { code, message, help, span, input } = error;
      return { error: { code, message, help, span, input } };
    }
  };
  const texts = readFileSync(0, "utf8").split("\0").slice(0, -1);
  process.stdout.write(texts.map((text) => `${JSON.stringify(answer(text))}\n`).join(""));
}
