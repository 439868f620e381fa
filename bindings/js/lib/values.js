// Identifiers as values: each is its text.

import { FingerpostError, inUnits } from "./results.js";

/** Returns the classes over the functions of a module: `call(name, text, options, to)`. */
export function valuesOf(call) {
  class Value {
    #text;
    _known;

    constructor(text, known) {
      this.#text = text;
      Object.defineProperty(this, "_known", { value: known });
    }

    equals(other) {
      return other instanceof this.constructor && String(other) === this.#text;
    }

    toString() {
      return this.#text;
    }

    toJSON() {
      return this.#text;
    }
  }

  /** An identifier that is read from any form and written in one. */
  class Identifier extends Value {
    constructor(text, options, member, form) {
      const known = JSON.parse(call("convert", text, options, "json"));
      // The object leaves out a form that cannot be written; the conversion says why.
      super(known[member] ?? call("convert", text, options, form), known);
    }

    get elements() {
      return (this._known.elements ?? []).map(([ai, value]) => [ai, value]);
    }

    get canonical() {
      return this._known.canonical;
    }

    get(ai) {
      return this._known.elements?.find(([name]) => name === ai)?.[1];
    }

    to(form, options) {
      return call("convert", String(this), options, form);
    }
  }

  class DigitalLink extends Identifier {
    constructor(text, options) {
      super(text, options, "digital_link", "digital-link");
    }
  }

  class ElementString extends Identifier {
    constructor(text, options) {
      super(text, options, "element_string", "element-string");
    }

    get hri() {
      return this._known.hri;
    }
  }

  class Epc extends Identifier {
    constructor(text, options) {
      super(text, options, "epc_hex", "epc-hex");
    }

    get hex() {
      return String(this);
    }
  }
  members(Epc, {
    scheme: "scheme",
    filter: "filter",
    urn: "epc_urn",
    tag: "epc_tag",
    base64: "epc_base64",
    bits: "epc_bits",
  });

  /** A text that is split into its parts. */
  class Parsed extends Value {
    constructor(name, text, options) {
      const found = inUnits(JSON.parse(call(name, text, options)));
      for (const fault of found.faults) throw new FingerpostError({ ...fault, input: found.input });
      super(found.input, found);
    }
  }
  members(Parsed, { query: "query", fragment: "fragment" });

  class Uri extends Parsed {
    constructor(text) {
      super("uri", text, { show_passwords: true });
    }
  }
  members(Uri, { scheme: "scheme", authority: "authority", host: "host", port: "port", path: "path" });

  class Urn extends Parsed {
    constructor(text) {
      super("urn", text, {});
    }
  }
  members(Urn, { nid: "nid", nss: "nss", name: "name" });

  return { DigitalLink, ElementString, Epc, Uri, Urn };
}

/** Adds properties that return members of the JSON of a value. */
function members(kind, names) {
  for (const [property, member] of Object.entries(names)) {
    Object.defineProperty(kind.prototype, property, {
      get() {
        return this._known[member] ?? undefined;
      },
    });
  }
}
