// The package in browsers and bundlers, everything.

import { fetched } from "./fetched.js";
import { toolkitOf } from "./toolkit.js";

export { FingerpostError } from "./results.js";
export const { DigitalLink, ElementString, Epc, Uri, Urn, check, checkMany, convert, convertMany, definition, label } =
  toolkitOf(await fetched(new URL("./fingerpost.wasm", import.meta.url)));
