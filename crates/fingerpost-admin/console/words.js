// The words of the field in plain language: keys, qualifiers, link types, languages, places, media types.

import { GROUPS, KEYS, TYPES } from './facts.js';
import { language, listed, locale, number, raw, t } from './texts.js';

const QUALIFIERS = new Map(KEYS);

/** The qualifiers that may follow a primary key, in the order of GS1 Digital Link URI Syntax 1.4.1. */
export const qualifiersOf = (ai) => QUALIFIERS.get(ai) ?? [];

/** Primary keys as options of a choice: [ai, "Product (GTIN), 01"]. */
export const keyOptions = () => KEYS.map(([ai]) => [ai, `${identifierName(ai)}, ${ai}`]);

/** A key or a qualifier in words: "Product (GTIN)", "Batch or lot". */
export const identifierName = (ai) =>
  ai === COMPANY ? t('words.company') : (raw('identifiers', ai) ?? `(${ai})`);
const COMPANY = 'gcp';

/** The path of what a record is attached to, in segments: a set is `many`, with the words for its values at the end. */
function segments(key) {
  const cut = key.replace(/^\//, '').split('/');
  const [ai, value, form, ...rest] = cut;
  if (form === '-any') return { many: true, cut: [ai, value, ...rest, ANY] };
  if (form === '-range')
    return {
      many: true,
      cut: [
        ai,
        value,
        ...rest.slice(0, -3),
        encodeURIComponent(rangeInWords(rest.at(-2), rest.at(-1))),
      ],
    };
  return { many: ai === COMPANY, cut };
}
const ANY = t('words.any');

/** "A100 to A199" */
export const rangeInWords = (first, last) =>
  RANGE.replace('{first}', first).replace('{last}', last);
const RANGE = raw('words', 'range');
const TO = /\{first\}\s+(.*?)\s+\{last\}/.exec(RANGE)[1];

/** Whether the record of a path applies to many keys or values: a company prefix, any lot, a range of lots. */
export const isMany = (key) => segments(key).many;

/** One thing among those of such a path, as an example; empty for a company prefix. */
export function oneOf(key) {
  const { many, cut } = segments(key);
  if (!many || cut[0] === COMPANY) return many ? '' : key;
  return cut.at(-1) === ANY
    ? cut.slice(0, -2).join('/')
    : [...cut.slice(0, -1), decodeURIComponent(cut.at(-1)).split(' ')[0]].join('/');
}

/** The path of a key with qualifiers; the last one may be "any value" or "A100 to A199". No value has a space. */
export function composed(bare, pairs) {
  const path = (some) => some.map(([ai, value]) => `/${ai}/${encodeURIComponent(value)}`).join('');
  const [ai, value] = pairs.at(-1);
  const before = path(pairs.slice(0, -1));
  const range = [
    /^(\S+)\s+(?:to|until|\u2013|\u2026|-)\s+(\S+)$/i,
    new RegExp(`^(\\S+)\\s+${TO}\\s+(\\S+)$`, 'i'),
  ]
    .map((form) => form.exec(value))
    .find(Boolean);
  if (/^any\s+\S+$/i.test(value) || value.toLowerCase() === t('record.any_value').toLowerCase())
    return `${bare}/-any${before}/${ai}`;
  if (range)
    return `${bare}/-range${before}/${ai}/${range[1].length}/${encodeURIComponent(range[1])}/${encodeURIComponent(range[2])}`;
  return bare + path(pairs);
}

/** The parts of a canonical path such as 01/09506000134352/10/ABC: [ai, decoded value]. */
export function parts(key) {
  const { cut } = segments(key);
  const found = [];
  for (let at = 0; at + 1 < cut.length; at += 2) {
    let value = cut[at + 1];
    try {
      value = decodeURIComponent(value);
    } catch {
      /* as it is */
    }
    found.push([cut[at], value]);
  }
  return found;
}

/** The element string of a canonical path: (01)09506000134352(10)ABC. For records that cover many levels, which have none, the path. */
export function elementString(key) {
  if (isMany(key)) return `/${key.replace(/^\//, '')}`;
  return parts(key)
    .map(([ai, value]) => `(${ai})${value}`)
    .join('');
}

/** A key in words: "Product 09506000134352, batch or lot ABC". */
export const keyInWords = (key) => partsInWords(parts(key));

/** The same for parts of a key: [ai, value]. */
export function partsInWords(all) {
  return all
    .map(([ai, value], at) => {
      const name = identifierName(ai).replace(/ \(.*\)$/, '');
      return `${at === 0 || language === 'de' ? name : name.toLowerCase()} ${value}`;
    })
    .join(t('common.list_comma'));
}

/** What a value means, as `/v1/check` says it: "28 February 2026", "1.25 kg"; nothing for kinds without words. */
export function meaningText(meaning) {
  if (!meaning) return undefined;
  const figure = (text) =>
    number(Number(text), { minimumFractionDigits: String(text).split('.')[1]?.length ?? 0 });
  const day = (text) =>
    new Date(`${text}T00:00:00Z`).toLocaleDateString(locale, {
      dateStyle: 'long',
      timeZone: 'UTC',
    });
  const place = (code) => new Intl.DisplayNames([locale], { type: 'region' }).of(code);
  switch (meaning.type) {
    case 'date':
      return day(meaning.date);
    case 'period':
      return `${day(meaning.from)} – ${day(meaning.to)}`;
    case 'date-time':
      return meaning.time.replace('T', ' ');
    case 'measure':
      return `${figure(meaning.number)} ${meaning.unit}`;
    case 'amount':
      return meaning.currency
        ? number(Number(meaning.number), { style: 'currency', currency: meaning.currency })
        : figure(meaning.number);
    case 'percentage':
      return `${figure(meaning.number)} %`;
    case 'count':
      return number(meaning.count);
    case 'countries':
      return listed(meaning.countries.map(place));
    case 'piece':
      return `${meaning.piece} / ${meaning.total}`;
    default:
      return undefined;
  }
}

export const DEFAULT = 'gs1:defaultLink';
export const VARIANT = 'gs1:defaultLinkMulti';
const GS1 = 'https://ref.gs1.org/voc/';

/** `gs1:pip`, whatever spelling of the namespace was used. */
export function curie(type) {
  const found = /^(?:gs1:|https?:\/\/(?:ref\.|www\.)?gs1\.org\/voc\/)(.*)$/.exec(type ?? '');
  return found ? `gs1:${found[1]}` : (type ?? '');
}

const known = (type) => (type.startsWith('gs1:') ? TYPES[type.slice(4)] : undefined);

/** A link type in words. */
export function typeTitle(type) {
  const short = curie(type);
  return (short.startsWith('gs1:') && raw('links', short.slice(4))) || learned.get(short) || short;
}

/** Titles of types that this release does not know, as the server names them. */
const learned = new Map();
export function learn(terms) {
  for (const term of terms ?? []) if (term.title) learned.set(curie(term.id), term.title);
}

/** Other words that find a link type, in English and in the language of the console. */
export const typeSynonyms = (type) =>
  [known(curie(type))?.[1], raw('type_words', curie(type).replace('gs1:', ''))]
    .filter(Boolean)
    .join(', ');

const roles = new Map();
/** Remembers the titles of the declared roles. */
export function learnRoles(declared = []) {
  for (const { name, title } of declared) roles.set(name, title[locale] ?? title.en ?? name);
}
export const roleName = (name) => roles.get(name) ?? name;

/** The group that a type of the vocabulary is offered in, and the order of the groups. */
export function typeGroup(term) {
  const short = curie(term.id);
  if (!short.startsWith('gs1:')) return OTHER;
  return GROUP_TITLES.get(known(short)?.[0]) ?? t('groups.more');
}
const GROUP_TITLES = new Map(GROUPS.map((id) => [id, t(`groups.${id}`)]));
export const OTHER = t('groups.web');
export const GROUP_ORDER = [...GROUP_TITLES.values(), t('groups.more'), OTHER];

export const isGs1Namespace = (type) => String(type).startsWith(GS1);

/** Whether it is one of the two types that answer a scan without a link type. */
export const isDefault = (type) => curie(type) === DEFAULT;
export const isVariant = (type) => curie(type) === VARIANT;

// ---- languages, places, media types --------------------------------------------------------------------------------

const names = (kind) => {
  try {
    return new Intl.DisplayNames(locale, { type: kind, fallback: 'none' });
  } catch {
    return undefined;
  }
};
const languages = names('language');
const regions = names('region');

export function languageName(tag) {
  try {
    return languages?.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** The tag of a language by its name: in the language of the console, its own, or English; or undefined. */
export function languageTag(text) {
  const wanted = text.trim().toLowerCase();
  return LANGUAGES.find((tag) =>
    [languageName(tag), nameIn(tag, tag), nameIn('en', tag)].some(
      (name) => name.toLowerCase() === wanted,
    ),
  );
}

function nameIn(language, tag) {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag);
  } catch {
    return tag;
  }
}

export function placeName(context) {
  try {
    return /^[A-Z]{2}$/.test(context) ? (regions?.of(context) ?? context) : context;
  } catch {
    return context;
  }
}

/** Languages offered; any tag may be typed. */
export const LANGUAGES = [
  'en',
  'fr',
  'fr-CA',
  'de',
  'es',
  'pt',
  'pt-BR',
  'it',
  'nl',
  'pl',
  'sv',
  'da',
  'fi',
  'cs',
  'el',
  'tr',
  'ru',
  'uk',
  'ar',
  'he',
  'hi',
  'zh',
  'ja',
  'ko',
  'vi',
  'th',
  'id',
];

/** A language with its region: "French (Canada)". */
const regional = (tag) =>
  t('words.phone_place', {
    language: languageName(tag.slice(0, 2)),
    place: placeName(tag.slice(3)),
  });

/** Phones offered in the preview: what they send as Accept-Language. */
export const PHONES = [
  ['fr-CA,fr;q=0.9,en;q=0.8', t('words.phone_quebec')],
  ['en-US,en;q=0.9', regional('en-US')],
  ['en-GB,en;q=0.9', regional('en-GB')],
  ['en-CA,en;q=0.9,fr-CA;q=0.8', t('words.phone_canada')],
  ['fr-FR,fr;q=0.9', regional('fr-FR')],
  ['de-DE,de;q=0.9', regional('de-DE')],
  ['de-CH,de;q=0.9,fr;q=0.8', t('words.phone_switzerland')],
  ['es-ES,es;q=0.9', regional('es-ES')],
  ['es-MX,es;q=0.9', regional('es-MX')],
  ['pt-BR,pt;q=0.9', regional('pt-BR')],
  ['it-IT,it;q=0.9', languageName('it')],
  ['nl-NL,nl;q=0.9', languageName('nl')],
  ['ja-JP,ja;q=0.9', languageName('ja')],
  ['zh-CN,zh;q=0.9', regional('zh-CN')],
  ['ar-EG,ar;q=0.9', regional('ar-EG')],
];

export const MEDIA = [
  ['text/html', t('words.web_page')],
  ['application/pdf', t('words.pdf')],
  ['application/json', t('words.data_json')],
  ['application/ld+json', t('words.linked_data')],
  ['text/plain', t('words.plain_text')],
  ['text/csv', t('words.table_csv')],
  ['image/jpeg', t('words.picture_jpeg')],
  ['image/png', t('words.picture_png')],
  ['image/svg+xml', t('words.drawing_svg')],
  ['video/mp4', t('words.video_mp4')],
  ['application/xml', 'XML'],
  ['application/linkset+json', t('words.linkset')],
];

export function mediaName(type) {
  return MEDIA.find(([name]) => name === type)?.[1] ?? type;
}

export const ROLES = [
  ['reader', t('people.reader')],
  ['editor', t('people.editor')],
  ['approver', t('people.approver')],
  ['admin', t('people.administrator')],
];
/** Who changed a record: who approved a change is not its author. */
export const credit = ({ by, proposedBy }) =>
  proposedBy ? t('history.by_two', { author: who(proposedBy), approver: who(by) }) : who(by);

/** Who did something: a name where there is one. */
export function who(by) {
  return (
    by.name ||
    (/^local:/.test(by.actor) ? t('words.command_line', { name: by.actor.slice(6) }) : by.actor)
  );
}

export const VIA = {
  console: t('words.via_console'),
  api: t('words.via_api'),
  'command-line': t('words.via_command_line'),
  commandLine: t('words.via_command_line'),
};
