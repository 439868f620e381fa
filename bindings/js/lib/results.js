// Results of checks and conversions, and the errors that functions throw.

/** Why a text cannot be read, or cannot be written in another form. */
export class FingerpostError extends Error {
  name = "FingerpostError";

  constructor({ code, message, help = "", span = { start: 0, end: 0 }, input = "" }, options) {
    super(message, options);
    Object.assign(this, { code, help, span, input });
  }
}

/**
 * Returns a result in which positions count units of UTF-16, as `slice` does; the module counts bytes of UTF-8 of
 * the member `input`. A span that ends within a character includes it.
 */
export function inUnits(result) {
  // The two are the same in ASCII, which nearly all identifiers are.
  if (/^[\0-\x7f]*$/.test(result.input)) return result;
  const starts = [];
  const ends = [0];
  let unit = 0;
  for (const character of result.input) {
    for (const _ of encoder.encode(character)) {
      starts.push(unit);
      ends.push(unit + character.length);
    }
    unit += character.length;
  }
  const convert = (value) => {
    if (value === null || typeof value !== "object") return;
    if (value.span) {
      const { start, end } = value.span;
      // A fault at the end of a text may have a span after it.
      const after = (at) => at - starts.length + unit;
      value.span = { start: starts[start] ?? after(start), end: ends[end] ?? after(end) };
    }
    Object.values(value).forEach(convert);
  };
  convert(result);
  return result;
}

const encoder = new TextEncoder();
