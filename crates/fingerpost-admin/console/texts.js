// The words of the console in the language of its reader: one file of texts, which is there before any other module is run.
import { CONSOLE_LANGUAGES } from './facts.js';

/** The languages of the console, each with its own name. */
export const LANGUAGES = CONSOLE_LANGUAGES.map((tag) => {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag);
  return [tag, name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)];
});
const KEPT = 'console-language';
const primary = (tag) => tag.toLowerCase().split('-')[0];
const wanted = navigator.languages?.length ? navigator.languages : [navigator.language ?? 'en'];

function chosen() {
  let kept;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    /* chosen by the browser */
  }
  return (
    [kept ?? '', ...wanted].map(primary).find((tag) => CONSOLE_LANGUAGES.includes(tag)) ?? 'en'
  );
}

/** The language of the console. */
export const language = chosen();

/** The language and region for dates and numbers. Keys are written with Latin digits in every language, so numbers are too. */
export const locale = new Intl.Locale(wanted.find((tag) => primary(tag) === language) ?? language, {
  numberingSystem: 'latn',
}).toString();

const texts = await load();
const { plurals, numbers } = {
  plurals: new Intl.PluralRules(locale),
  numbers: new Intl.NumberFormat(locale),
};
const isRightToLeft = texts.direction === 'rtl';
document.documentElement.lang = language;
document.documentElement.dir = texts.direction;

/** Without its texts the console is of no use, so they are asked for until they come. */
async function load() {
  for (;;) {
    try {
      const response = await fetch(`texts/${language}.json`);
      if (response.ok) return await response.json();
    } catch {
      /* again in a moment */
    }
    await new Promise((done) => {
      setTimeout(done, 2000);
    });
  }
}

/** Changes the language. What was typed is kept in the tab. */
export function choose(tag) {
  try {
    localStorage.setItem(KEPT, tag);
  } catch {
    /* for this page only */
  }
  location.reload();
}

/** The text of a key as it is in the file; undefined if there is none. */
export function raw(table, name) {
  return texts[table]?.[name];
}

/**
 * The text of `table.name`. Of a text with plural forms the one for `count`. Words in braces are replaced by values; if one is a node or a list,
 * the result is a list for the page instead of a text.
 */
export function t(key, values) {
  const dot = key.indexOf('.');
  let text = raw(key.slice(0, dot), key.slice(dot + 1)) ?? key;
  if (typeof text === 'object') text = text[plurals.select(values.count)] ?? text.other;
  if (!values) return text;
  const pieces = text
    .split(/\{(\w+)\}/)
    .map((piece, at) => (at % 2 ? shown(values[piece]) : piece));
  return pieces.some((piece) => typeof piece === 'object') ? pieces : pieces.join('');
}

function shown(value) {
  if (typeof value === 'number') return numbers.format(value);
  // A key or an address keeps its own direction in a text of the other one.
  return isRightToLeft && typeof value === 'string' ? `\u2068${value}\u2069` : (value ?? '');
}

export const number = (value, options) =>
  options ? value.toLocaleString(locale, options) : numbers.format(value);

/** A value in the largest unit of which there is at least one: [[name, size]], the largest first. */
export function scaled(value, units) {
  const [unit, size] = units.find(([, least]) => value >= least) ?? units.at(-1);
  return number(value / size, { style: 'unit', unit, maximumSignificantDigits: 3 });
}

/** A number of bytes. */
export const bytes = (count) =>
  scaled(count, [
    ['gigabyte', 1e9],
    ['megabyte', 1e6],
    ['kilobyte', 1000],
    ['byte', 1],
  ]);

/** An instant in the reader's own time zone. */
export const dateTime = (date) =>
  date.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** Texts that apply together, as the language joins them: "A, B and C". */
export const allOf = (items) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(items);

/** Texts one after another, as the language writes lists. */
export const listed = (items) => items.join(t('common.list_comma'));
