// The package in Node, everything. Without `await`, so that `require` loads it, too.

import { readFileSync } from "node:fs";
import { toolkitOf } from "./toolkit.js";

export { FingerpostError } from "./results.js";
export const { DigitalLink, ElementString, Epc, Uri, Urn, check, checkMany, convert, convertMany, definition, label } =
  toolkitOf(new WebAssembly.Module(readFileSync(new URL("./fingerpost.wasm", import.meta.url))));
