// The words of the field in plain language: keys, qualifiers, link types, languages, places, media types.

import { GROUPS, IDENTIFIERS, KEYS, TYPES } from './facts.js';

const QUALIFIERS = new Map(KEYS);

/** The qualifiers that may follow a primary key, in the order of GS1 Digital Link URI Syntax 1.4.1. */
export const qualifiersOf = (ai) => QUALIFIERS.get(ai) ?? [];

/** Primary keys as options of a choice: [ai, "Product (GTIN), 01"]. */
export const keyOptions = () => KEYS.map(([ai]) => [ai, `${identifierName(ai)}, ${ai}`]);

/** A key or a qualifier in words: "Product (GTIN)", "Batch or lot". */
export const identifierName = (ai) => (ai === COMPANY ? 'Company prefix' : IDENTIFIERS[ai] ?? `(${ai})`);
const COMPANY = 'gcp';

/** The path of what a record is attached to, in segments: a set is `many`, with the words for its values at the end. */
function segments(key) {
  const cut = key.replace(/^\//, '').split('/');
  const [ai, value, form, ...rest] = cut;
  if (form === '-any') return { many: true, cut: [ai, value, ...rest, ANY] };
  if (form === '-range') return { many: true, cut: [ai, value, ...rest.slice(0, -3), encodeURIComponent(`${rest.at(-2)} to ${rest.at(-1)}`)] };
  return { many: ai === COMPANY, cut };
}
const ANY = 'any';

/** Whether the record of a path applies to many keys or values: a company prefix, any lot, a range of lots. */
export const isMany = (key) => segments(key).many;

/** One thing among those of such a path, as an example; empty for a company prefix. */
export function oneOf(key) {
  const { many, cut } = segments(key);
  if (!many || cut[0] === COMPANY) return many ? '' : key;
  return cut.at(-1) === ANY ? cut.slice(0, -2).join('/') : [...cut.slice(0, -1), decodeURIComponent(cut.at(-1)).split(' ')[0]].join('/');
}

/** The path of a key with qualifiers; the last one may be "any value" or "A100 to A199". No value has a space. */
export function composed(bare, pairs) {
  const path = (some) => some.map(([ai, value]) => `/${ai}/${encodeURIComponent(value)}`).join('');
  const [ai, value] = pairs.at(-1);
  const before = path(pairs.slice(0, -1));
  const range = /^(\S+)\s+(?:to|until|\u2013|\u2026|-)\s+(\S+)$/i.exec(value);
  if (/^any\s+\S+$/i.test(value)) return `${bare}/-any${before}/${ai}`;
  if (range) return `${bare}/-range${before}/${ai}/${range[1].length}/${encodeURIComponent(range[1])}/${encodeURIComponent(range[2])}`;
  return bare + path(pairs);
}

/** The parts of a canonical path such as 01/09506000134352/10/ABC: [ai, decoded value]. */
export function parts(key) {
  const { cut } = segments(key);
  const found = [];
  for (let at = 0; at + 1 < cut.length; at += 2) {
    let value = cut[at + 1];
    try { value = decodeURIComponent(value); } catch { /* as it is */ }
    found.push([cut[at], value]);
  }
  return found;
}

/** The element string of a canonical path: (01)09506000134352(10)ABC. For many things, which have none, the path. */
export function elementString(key) {
  if (isMany(key)) return `/${key.replace(/^\//, '')}`;
  return parts(key).map(([ai, value]) => `(${ai})${value}`).join('');
}

/** A key in words: "Product 09506000134352, batch or lot ABC". */
export function keyInWords(key) {
  return parts(key).map(([ai, value], at) => {
    const name = identifierName(ai).replace(/ \(.*\)$/, '');
    return `${at === 0 ? name : name.toLowerCase()} ${value}`;
  }).join(', ');
}

export const DEFAULT = 'gs1:defaultLink';
export const VARIANT = 'gs1:defaultLinkMulti';
const GS1 = 'https://ref.gs1.org/voc/';

/** `gs1:pip`, whatever spelling of the namespace was used. */
export function curie(type) {
  const found = /^(?:gs1:|https?:\/\/(?:ref\.|www\.)?gs1\.org\/voc\/)(.*)$/.exec(type ?? '');
  return found ? `gs1:${found[1]}` : type ?? '';
}

const known = (type) => (type.startsWith('gs1:') ? TYPES[type.slice(4)] : undefined);

/** A link type in words. */
export function typeTitle(type) {
  const short = curie(type);
  return known(short)?.[0] ?? learned.get(short) ?? short;
}

/** Titles of types that this release does not know, as the server names them. */
const learned = new Map();
export function learn(terms) {
  for (const term of terms ?? []) if (term.title) learned.set(curie(term.id), term.title);
}

/** Other words that find a link type. */
export const typeSynonyms = (type) => known(curie(type))?.[2] ?? '';

/** The group that a type of the vocabulary is offered in, and the order of the groups. */
export function typeGroup(term) {
  const short = curie(term.id);
  if (!short.startsWith('gs1:')) return OTHER;
  return GROUP_TITLES.get(known(short)?.[1]) ?? 'More';
}
const GROUP_TITLES = new Map(GROUPS);
export const OTHER = 'Link relations of the web (IANA)';
export const GROUP_ORDER = [...GROUP_TITLES.values(), 'More', OTHER];

export const isGs1Namespace = (type) => String(type).startsWith(GS1);

/** Whether it is one of the two types that answer a scan without a link type. */
export const isDefault = (type) => curie(type) === DEFAULT;
export const isVariant = (type) => curie(type) === VARIANT;

// ---- languages, places, media types --------------------------------------------------------------------------------

const names = (kind) => {
  try { return new Intl.DisplayNames(undefined, { type: kind, fallback: 'none' }); } catch { return undefined; }
};
const languages = names('language');
const regions = names('region');

export function languageName(tag) {
  try { return languages?.of(tag) ?? tag; } catch { return tag; }
}

export function placeName(context) {
  try { return /^[A-Z]{2}$/.test(context) ? regions?.of(context) ?? context : context; } catch { return context; }
}

/** Languages offered; any tag may be typed. */
export const LANGUAGES = ['en', 'fr', 'fr-CA', 'de', 'es', 'pt', 'pt-BR', 'it', 'nl', 'pl', 'sv', 'da', 'fi', 'cs', 'el', 'tr', 'ru', 'uk', 'ar', 'he', 'hi', 'zh', 'ja', 'ko', 'vi', 'th', 'id'];

/** Phones offered in the preview: what they send as Accept-Language. */
export const PHONES = [
  ['fr-CA,fr;q=0.9,en;q=0.8', 'Québec: French, then English'], ['en-US,en;q=0.9', 'English (United States)'], ['en-GB,en;q=0.9', 'English (United Kingdom)'],
  ['en-CA,en;q=0.9,fr-CA;q=0.8', 'Canada: English, then French'], ['fr-FR,fr;q=0.9', 'French (France)'], ['de-DE,de;q=0.9', 'German (Germany)'], ['de-CH,de;q=0.9,fr;q=0.8', 'Switzerland: German, then French'],
  ['es-ES,es;q=0.9', 'Spanish (Spain)'], ['es-MX,es;q=0.9', 'Spanish (Mexico)'], ['pt-BR,pt;q=0.9', 'Portuguese (Brazil)'], ['it-IT,it;q=0.9', 'Italian'], ['nl-NL,nl;q=0.9', 'Dutch'],
  ['ja-JP,ja;q=0.9', 'Japanese'], ['zh-CN,zh;q=0.9', 'Chinese (China)'], ['ar-EG,ar;q=0.9', 'Arabic (Egypt)'],
];

export const MEDIA = [
  ['text/html', 'Web page'], ['application/pdf', 'PDF document'], ['application/json', 'Data (JSON)'], ['application/ld+json', 'Linked data (JSON-LD)'], ['text/plain', 'Plain text'],
  ['text/csv', 'Table (CSV)'], ['image/jpeg', 'Picture (JPEG)'], ['image/png', 'Picture (PNG)'], ['image/svg+xml', 'Drawing (SVG)'], ['video/mp4', 'Video (MP4)'], ['application/xml', 'XML'], ['application/linkset+json', 'Linkset'],
];

export function mediaName(type) {
  return MEDIA.find(([name]) => name === type)?.[1] ?? type;
}

export const ROLES = [['reader', 'Reader: may look at everything'], ['editor', 'Editor: may change records'], ['approver', 'Approver: can also approve changes'], ['admin', 'Administrator: also people and keys']];
/** Who did something: a name where there is one. */
export function who(by) {
  return by.name || (/^local:/.test(by.actor) ? `the command line (${by.actor.slice(6)})` : by.actor);
}

export const VIA = { console: 'in the console', api: 'by the API', 'command-line': 'on the command line', commandLine: 'on the command line' };
