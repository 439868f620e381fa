// Programs that must compile, and lines that must not: `tsc --noEmit --strict`.

import { check, checkMany, convert, convertMany, DigitalLink, Epc, FingerpostError, label, Uri, Urn } from "fingerpost";
import type { Check, Form, Label } from "fingerpost";
import * as small from "fingerpost/identify";

const found: Check = check("(01)09520123456788(17)261231", { accept: ["lenient", "labels"], today: "2026-11-27" });
const valid: boolean = found.valid && found.item?.elements[1]?.meaning?.type === "date";
const link: string = convert("3066c4409047e14000001a85", { to: "digital-link", stem: "https://id.example.org" });
const column: (string | null)[] = convertMany([link, null], { to: "hri", errors: "null" });
const errors: (string | FingerpostError | null)[] = convertMany([link], { to: "hri", errors: "return" });
const checks: Check[] = checkMany(["9520123456788"]);
const value: string | undefined = new DigitalLink(link).get("21");
const parts: [string | undefined, string, number] = [
  new Uri(link).host,
  new Urn("urn:isbn:0451450523").nid,
  new Epc(link).bits,
];
const svg: string = label("9520123456788", { symbol: "ean-13" }).data;
const png: Label<Uint8Array> = label("9520123456788", { format: "png", dpi: 600 });
const form: Form = "epc-urn";
try {
  small.convert("nothing", { to: form, gcp_length: 7 });
} catch (error) {
  if (error instanceof FingerpostError)
    error.code.concat(error.help, error.input.slice(error.span.start, error.span.end));
}

// @ts-expect-error a form that does not exist
convert(link, { to: "hrii" });
// @ts-expect-error the form is missing
convert(link, {});
// @ts-expect-error an option that does not exist
check(link, { acept: ["lenient"] });
// @ts-expect-error the small entry draws no labels
small.label(link);
// @ts-expect-error a value does not change
new DigitalLink(link).canonical = link;

export { checks, column, errors, parts, png, svg, valid, value };
