// The package in browsers and bundlers, without labels and international addresses.

import { fetched } from "./fetched.js";
import { toolkitOf } from "./toolkit.js";

export { FingerpostError } from "./results.js";
export const { DigitalLink, ElementString, Epc, Uri, Urn, check, checkMany, convert, convertMany, definition } =
  toolkitOf(await fetched(new URL("./identify.wasm", import.meta.url)));
