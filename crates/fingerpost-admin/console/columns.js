// What the columns of a spreadsheet mean: shown, corrected, and remembered for the next file with the same titles.
import { h, select } from './dom.js';
import { TYPES } from './facts.js';
import { curie, languageName, typeTitle } from './words.js';
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
]);

const wordFor = (name) => raw('columns', name) ?? name.toUpperCase();

/** A meaning in words: "GTIN", "Product page, French". */
function inWords(name) {
  const [, type, language] = /^(.*?)(?: \((.*)\))?$/.exec(name);
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
  const choice = (column) => {
    const change = ({ target }) => {
      target.closest('li').classList.toggle('unused', target.value === 'ignore');
      changed(column.title, target.value);
    };
    const known =
      columnNames.includes(column.column) ||
      column.column === 'ignore' ||
      types.includes(column.column);
    return select(
      {
        'aria-label': t('columns.meaning', { letters: column.letters, title: column.title }),
        id: `column-${column.letters}`,
        value: column.column,
        on: { change },
      },
      [
        ['ignore', t('columns.unused')],
        ...(known ? [] : options([curie(column.column)])),
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
  };
  return h(
    'ul',
    { class: 'columns', id: 'import-columns' },
    columns.map((column) =>
      h(
        'li',
        { class: column.column === 'ignore' ? 'unused' : '' },
        h('span', {}, h('code', {}, column.letters), ' ', h('strong', {}, column.title)),
        choice(column),
      ),
    ),
  );
}

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
