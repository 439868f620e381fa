// The functions of the package over one WebAssembly module, which answers; nothing is decided here.

import { FingerpostError, inUnits } from "./results.js";
import { valuesOf } from "./values.js";

// A text of a megabyte is not an identifier; without a limit, it would take the memory of the page.
const MAX_LENGTH = 1 << 20;
// Toolkits are kept for their options; a program uses few.
const MAX_TOOLKITS = 64;
const DAY = 86_400_000;
// The order of `FUNCTIONS` in src/lib.rs.
const FUNCTIONS = ["check", "convert", "uri", "urn", "label"];

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns the functions of a compiled module. */
export function toolkitOf(module) {
  const instance = new Instance(module);
  const call = (name, text, options, to) => instance.call(name, text, options, to);

  function check(text, options) {
    return inUnits(JSON.parse(call("check", text, options)));
  }

  function convert(text, options) {
    if (typeof options?.to !== "string") {
      throw new TypeError('convert expected the option to, such as { to: "digital-link" }');
    }
    return call("convert", text, options);
  }

  function checkMany(texts, options) {
    return Array.from(texts, (text) => (text == null ? null : check(text, options)));
  }

  function convertMany(texts, { errors = "throw", ...options } = {}) {
    if (!["throw", "null", "return"].includes(errors)) {
      throw new TypeError(`errors: expected one of throw, null, return, found ${JSON.stringify(errors)}`);
    }
    return Array.from(texts, (text) => {
      if (text == null) return null;
      try {
        return convert(text, options);
      } catch (error) {
        // A wrong option is wrong for every text.
        if (errors === "throw" || !(error instanceof FingerpostError) || error.code === "OPTION") throw error;
        return errors === "null" ? null : error;
      }
    });
  }

  function label(text, options) {
    const { text: svg, base64, ...drawn } = JSON.parse(call("label", text, options)).result;
    const data = svg ?? Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return { ...drawn, data };
  }

  const definition = () => instance.definition();
  // `call` is for tests.
  return { check, convert, checkMany, convertMany, label, definition, call, ...valuesOf(call) };
}

class Instance {
  #module;
  #wasm = null;
  #toolkits = new Map();
  #day = 0;

  constructor(module) {
    this.#module = module;
  }

  /** Calls a function with a text, and returns its answer. */
  call(name, text, options = {}, to = undefined) {
    if (typeof text !== "string") throw new TypeError(`${name} expected a string, found ${typeof text}`);
    if (options === null || typeof options !== "object") {
      throw new TypeError(`${name} expected an object of options, found ${String(options)}`);
    }
    if (text.length > MAX_LENGTH) {
      const message = `expected at most ${MAX_LENGTH} characters, found ${text.length}`;
      throw new FingerpostError({ code: "TOO_LONG", message, help: "pass one identifier at a time" });
    }
    return this.#guarded(() => {
      const toolkit = this.#toolkit(options, to);
      const length = this.#write(text);
      return this.#read(this.#wasm.fingerpost_call(toolkit, FUNCTIONS.indexOf(name), length));
    });
  }

  /** Returns the names that the functions know. */
  definition() {
    return this.#guarded(() => JSON.parse(this.#read(this.#wasm.fingerpost_definition())));
  }

  /** Runs a call; a module that failed is not used again. */
  #guarded(run) {
    this.#wasm ??= new WebAssembly.Instance(this.#module).exports;
    try {
      return run();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#wasm = null;
      this.#toolkits.clear();
      const help = "report this text to the developers of fingerpost";
      throw new FingerpostError({ code: "DEFECT", message: "the library failed", help }, { cause: error });
    }
  }

  /** Returns the number of the toolkit with these options; the same for a day, because dates are relative to it. */
  #toolkit(options, to) {
    const now = Date.now();
    const day = Math.floor(now / DAY);
    if (day !== this.#day || this.#toolkits.size >= MAX_TOOLKITS) {
      this.#wasm.fingerpost_close_all();
      this.#toolkits.clear();
      this.#day = day;
    }
    const key = JSON.stringify(to === undefined ? options : { ...options, to });
    let toolkit = this.#toolkits.get(key);
    if (toolkit === undefined) {
      toolkit = this.#wasm.fingerpost_open(this.#write(key), now / 1000);
      if (toolkit < 0) this.#read(toolkit);
      this.#toolkits.set(key, toolkit);
    }
    return toolkit;
  }

  /** Writes a text to the input, and returns its length in bytes. */
  #write(text) {
    // A unit of UTF-16 has at most three bytes in UTF-8.
    const room = text.length * 3;
    const address = this.#wasm.fingerpost_input(room);
    return encoder.encodeInto(text, new Uint8Array(this.#wasm.memory.buffer, address, room)).written;
  }

  /** Returns the output; of a refusal, throws it. */
  #read(length) {
    const address = this.#wasm.fingerpost_output();
    const output = decoder.decode(new Uint8Array(this.#wasm.memory.buffer, address, Math.abs(length)));
    if (length < 0) throw new FingerpostError(inUnits(JSON.parse(output)));
    return output;
  }
}
