// What the columns of a spreadsheet mean: shown with a sample, corrected, and remembered for the next file with the same titles.
import { h, select } from './dom.js';
import { TYPES } from './facts.js';
import { curie, languageName, LANGUAGES, typeTitle } from './words.js';
import { raw, t } from './texts.js';

const MEMORY = 'columns';
const REMEMBERED = 60;

const LINK = new Set([
  'linkType',
  'href',
  'title',
  'mediaType',
  'hreflang',
  'context',
  'validFrom',
  'validUntil',
  'isDefault',
  'defaultLinkType',
  'contextFrom',
]);

const wordFor = (name) => raw('columns', name) ?? name.toUpperCase();

/** The link type and the language of a meaning such as `gs1:pip (fr)`. */
function parts(name) {
  const [, type, language = ''] = /^(.*?)(?: \((.*)\))?$/.exec(name);
  return { type, language };
}

/** A meaning in words: "GTIN", "Product page, French". */
function inWords(name) {
  const { type, language } = parts(name);
  return type.startsWith('gs1:')
    ? [typeTitle(type), language && languageName(language)]
        .filter(Boolean)
        .join(t('common.list_comma'))
    : wordFor(name);
}

/** A choice of meanings for each column. `changed(title, meaning)` is called when one is corrected. */
export function columnTable({ columns, columnNames }, changed) {
  const types = Object.keys(TYPES)
    .map((name) => `gs1:${name}`)
    .sort((one, other) => typeTitle(one).localeCompare(typeTitle(other)));
  const options = (names) => names.map((name) => [name, inWords(name)]);
  const choices = (column) => {
    const { type, language } = parts(column.column);
    const tags = [...new Set([...LANGUAGES, language].filter(Boolean))];
    const languages = select(
      {
        'aria-label': t('columns.language', { letters: column.letters, title: column.title }),
        id: `column-${column.letters}-language`,
        value: language,
        hidden: !type.startsWith('gs1:'),
        on: { change: () => change() },
      },
      [
        ['', t('columns.any_language')],
        ...tags
          .map((tag) => [tag, languageName(tag)])
          .sort(([, one], [, other]) => one.localeCompare(other)),
      ],
    );
    const known = columnNames.includes(type) || column.column === 'ignore' || types.includes(type);
    const meanings = select(
      {
        'aria-label': t('columns.meaning', { letters: column.letters, title: column.title }),
        id: `column-${column.letters}`,
        value: type,
        on: { change: () => change() },
      },
      [
        ['ignore', t('columns.unused')],
        ...(known ? [] : options([curie(type)])),
        {
          group: t('columns.about'),
          options: options(columnNames.filter((name) => !LINK.has(name))),
        },
        {
          group: t('columns.links'),
          options: options(columnNames.filter((name) => LINK.has(name))),
        },
        { group: t('columns.of_type'), options: options(types) },
      ],
    );
    const change = () => {
      const meaning = meanings.value;
      languages.hidden = !meaning.startsWith('gs1:');
      meanings.closest('li').classList.toggle('unused', meaning === 'ignore');
      const tag = languages.hidden ? '' : languages.value;
      changed(column.title, tag ? `${meaning} (${tag})` : meaning);
    };
    return [meanings, languages];
  };
  const about = ({ sample, isGuessed }) =>
    [isGuessed && t('columns.guessed'), sample && t('columns.sample', { text: sample })]
      .filter(Boolean)
      .join(t('common.list_comma'));
  return h(
    'ul',
    { class: 'columns', id: 'import-columns' },
    columns.map((column) =>
      h(
        'li',
        { class: column.column === 'ignore' ? 'unused' : '' },
        h(
          'span',
          {},
          h('code', {}, column.letters),
          ' ',
          h('strong', {}, column.title),
          ' ',
          h('span', { class: 'soft' }, about(column)),
        ),
        choices(column),
      ),
    ),
  );
}

/** What was guessed about columns, as [title, meaning]. */
export const guessed = (columns) =>
  columns.filter((column) => column.isGuessed).map(({ title, column }) => [title, column]);

/** Mappings that were corrected before, as [title, meaning]. */
export function remembered() {
  try {
    return Object.entries(JSON.parse(localStorage.getItem(MEMORY)) ?? {});
  } catch {
    return [];
  }
}

/** Keeps corrections; those not used for longest are forgotten. */
export function remember(corrections) {
  const kept = remembered().filter(([title]) => !corrections.has(title));
  try {
    localStorage.setItem(
      MEMORY,
      JSON.stringify(Object.fromEntries([...kept, ...corrections].slice(-REMEMBERED))),
    );
  } catch {
    /* asked again next time */
  }
}
