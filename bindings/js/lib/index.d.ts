/** Reads, checks, repairs, converts and labels GS1 identifiers: barcodes, Digital Links, EPCs. */

import type { ReadOptions } from "./identify.js";

export * from "./identify.js";

export type Symbol = "qr" | "datamatrix" | "gs1-datamatrix" | "ean-13" | "ean-8" | "upc-a" | "itf-14" | "gs1-128";
export type Address = "plain" | "upper-case" | "compressed";

/** Options of labels: those of `fingerpost label`. */
export interface LabelOptions extends ReadOptions {
  symbol?: Symbol;
  beside?: Symbol;
  /** The beginning of the address in a QR Code; by default that of the input, or `https://id.gs1.org`. */
  root?: string;
  address?: Address;
  x_dimension?: string;
  bar_height?: string;
  no_text?: boolean;
  error_correction?: "L" | "M" | "Q" | "H";
  format?: "svg" | "png" | "pdf";
  dpi?: number;
}

/** A label, what a scanner reports, and its size. */
export interface Label<Data = string | Uint8Array> {
  format: "svg" | "png" | "pdf";
  /** The file: SVG as text, PNG and PDF as bytes. */
  data: Data;
  scan_data: string;
  width_mm: number;
  height_mm: number;
}

/** Draws the label of an identifier as SVG, PNG or PDF. */
export function label(text: string, options: LabelOptions & { format: "png" | "pdf" }): Label<Uint8Array>;
export function label(text: string, options?: LabelOptions & { format?: "svg" }): Label<string>;
