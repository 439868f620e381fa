/**
 * Reads, checks, repairs and converts GS1 identifiers, without labels and without the conversion of addresses that
 * have characters outside ASCII.
 *
 * Results have the members of the JSON of the command and of the HTTP API. Spans count units of UTF-16 of the member
 * `input`, as `input.slice(span.start, span.end)` does.
 */

export interface Span {
  start: number;
  end: number;
}

/** A fault or a warning. */
export interface Finding {
  /** The stable code, such as `VALUE_TOO_SHORT`. */
  code: string;
  /** What was expected and what was found. */
  message: string;
  /** Advice; empty if there is none. */
  help: string;
  span: Span;
}

/** Why a text cannot be read, or cannot be written in another form. */
export class FingerpostError extends Error implements Finding {
  code: string;
  help: string;
  span: Span;
  /** The text that was read, without white space and quotes around it. */
  input: string;
}

/** What a value means: `type` is `date`, `weight`, `price`, … */
export type Meaning = { type: string; [member: string]: unknown };

export interface Element {
  ai: string;
  title: string;
  value: string;
  meaning?: Meaning;
}

/** What a text says. */
export interface Item {
  canonical_uri: string | null;
  no_uri: Finding | null;
  element_string: string;
  hri: string[];
  elements: Element[];
  /** What a number in the form of a GTIN is, if not the number of a product. */
  gtin_kind: { code: string; name: string } | null;
  medicine?: { scheme: string; number: string };
  weight_code?: { item: string; meaning: Meaning };
}

/** The result of a check: the object of `fingerpost check --format json`. */
export interface Check {
  input: string;
  kind: string;
  valid: boolean;
  faults: Finding[];
  warnings: Finding[];
  item?: Item;
  /** A better reading, or what is left without the faults. */
  perhaps_meant?: Item;
  why?: {
    assumed: { code: string; message: string; span: Span; evidence: string[] }[];
    other_readings: number;
  };
  epc?: { scheme?: string; filter?: number; hostname?: string; urn?: string; tag_uri?: string; hex?: string };
  symbology?: { id: string; carrier: string };
  notes: string[];
}

export type Form =
  | "digital-link"
  | "canonical"
  | "element-string"
  | "epc-urn"
  | "epc-tag"
  | "epc-hex"
  | "epc-base64"
  | "epc-link"
  | "compressed"
  | "hri"
  | "json";

export type Accept =
  | "parts"
  | "unknown-ais"
  | "unknown-attributes"
  | "short-gtin"
  | "uri-syntax-1.4"
  | "any-character"
  | "user-information"
  | "trailing-slash"
  | "bad-percent"
  | "former-names"
  | "repeated-attributes"
  | "qualifiers-in-query"
  | "missing-fnc1"
  | "nonzero-padding"
  | "lenient"
  | "separators"
  | "lost-separators"
  | "labels"
  | "control-word";

/** Options of reading: those of `fingerpost check`. */
export interface ReadOptions {
  accept?: readonly Accept[];
  show_passwords?: boolean;
  weight_codes?: string;
  /** The day that dates without a century are relative to, `2026-11-27`; by default today in UTC. */
  today?: string;
}

/** Options of values: those of `fingerpost convert`. */
export interface WriteOptions extends ReadOptions {
  gcp_length?: number;
  gcp_table?: Readonly<Record<string, number>>;
  filter?: number;
  scheme?: string;
  stem?: string;
  hostname?: string;
  lossy?: boolean;
}

export interface ConvertOptions extends WriteOptions {
  to: Form;
}

/** Returns what a text is, whether it is valid, each fault with its position, and what it says. */
export function check(text: string, options?: ReadOptions): Check;

/** Checks all texts; missing ones stay missing, as null. */
export function checkMany(texts: Iterable<string>, options?: ReadOptions): Check[];
export function checkMany(texts: Iterable<string | null | undefined>, options?: ReadOptions): (Check | null)[];

/**
 * Returns an identifier in another form.
 *
 * @throws {FingerpostError} if it cannot be read, or cannot be written in that form
 */
export function convert(text: string, options: ConvertOptions): string;

/**
 * Converts all texts. A text that is refused throws its error, becomes null, or becomes the error itself, as `errors`
 * says; missing ones stay missing, as null.
 */
export function convertMany(
  texts: Iterable<string | null | undefined>,
  options: ConvertOptions & { errors?: "throw" | "null" },
): (string | null)[];
export function convertMany(
  texts: Iterable<string | null | undefined>,
  options: ConvertOptions & { errors: "return" },
): (string | FingerpostError | null)[];

/** Returns the names that the functions know. */
export function definition(): {
  functions: string[];
  forms: Form[];
  accept: Accept[];
  schemes: string[];
  release: string;
  symbols?: string[];
  addresses?: string[];
};

/** A value that is its text: `String(value)`, and its text in JSON. */
declare class Value {
  /** Whether another value has this type and this text. */
  equals(other: unknown): boolean;
  toString(): string;
  toJSON(): string;
}

/** An identifier that is read from any form and written in one. */
declare class Identifier extends Value {
  constructor(text: string, options?: WriteOptions);
  /** Pairs of Application Identifier and value; empty if it has none. */
  get elements(): [ai: string, value: string][];
  /** The canonical Digital Link URI, if there is one. */
  get canonical(): string | undefined;
  /** Returns the value of an Application Identifier. */
  get(ai: string): string | undefined;
  /** Returns it in another form. */
  to(form: Form, options?: WriteOptions): string;
}

/** A GS1 Digital Link URI, from any form of an identifier. */
export class DigitalLink extends Identifier {}

/** An element string with brackets, from any form of an identifier. */
export class ElementString extends Identifier {
  /** The human-readable interpretation, as printed below a barcode. */
  get hri(): string;
}

/** An EPC as a tag holds it, from any form of an identifier. */
export class Epc extends Identifier {
  /** The name of the scheme, such as `SGTIN-96`. */
  get scheme(): string;
  /** The filter value, if the scheme has one. */
  get filter(): number | undefined;
  /** The pure identity, if the length of the company prefix is known. */
  get urn(): string | undefined;
  /** The EPC Tag URI, if the scheme has one. */
  get tag(): string | undefined;
  /** The bits as hexadecimal digits. */
  get hex(): string;
  /** The bits as base64url. */
  get base64(): string;
  /** The number of bits. */
  get bits(): number;
}

declare class Parsed extends Value {
  constructor(text: string);
  /** What follows `?`. */
  get query(): string | undefined;
  /** What follows `#`. */
  get fragment(): string | undefined;
}

/** A URI reference and its components (RFC 3986); passwords are shown. */
export class Uri extends Parsed {
  get scheme(): string | undefined;
  get authority(): string | undefined;
  get host(): string | undefined;
  get port(): string | undefined;
  get path(): string;
}

/** A URN and its parts (RFC 8141); a name that violates the rules of its namespace is refused. */
export class Urn extends Parsed {
  get nid(): string;
  get nss(): string;
  /** The preferred spelling, which equivalent names share. */
  get name(): string;
}

// Classes without `export` are not exported.
export {};
