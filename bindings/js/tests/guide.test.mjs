// The examples of docs/guides/javascript.md: `EXPRESSION; // VALUE` must hold.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import test from "node:test";

const GUIDE = readFileSync(process.env.GUIDE, "utf8");

test("the examples of the guide have the values that it shows", async () => {
  const blocks = [...GUIDE.matchAll(/^```js\n(.*?)^```$/gms)];
  assert(blocks.length >= 5, "the guide has examples");
  let count = 0;
  for (const [, code] of blocks) {
    const checked = code.replace(/^( *)([^\n]+?); \/\/ (.+)$/gm, (_, indent, expression, value) => {
      count += 1;
      return `${indent}assert.deepEqual(${expression}, ${value});`;
    });
    const file = new URL("guide-example.mjs", import.meta.url);
    writeFileSync(file, `import assert from "node:assert/strict";\n${checked}`);
    await import(`${file}?${count}`);
    rmSync(file);
  }
  assert(count >= 20, `found only ${count} values`);
});
