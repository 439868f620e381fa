// The list of records: search, filters, pages.
import { get, latest, query } from './api.js';
import { waiting } from './approvals.js';
import { busy, button, field, h, heading, input, icon, plural, put, select, table, when } from './dom.js';
import { drafts } from './drafts.js';
import { may, session } from './session.js';
import { elementString, isDefault, keyInWords, keyOptions, typeTitle, who } from './words.js';
import { check, keyOf, vocabulary } from './server.js';

const PAGE = 50;

export async function records(rest, search) {
  const only = latest();
  const results = h('div', { id: 'records', 'aria-live': 'off' });
  const count = h('p', { class: 'soft', id: 'count', role: 'status' });
  const filters = form(search, (values) => {
    history.replaceState(null, '', `#/records${query(values)}`);
    return show(values).then((key) => { if (key) location.hash = `#/record/${key}`; });
  });
  const show = async (values) => {
    const found = await only((signal) => searched(values, signal));
    fill(results, count, found.data, found.values);
    return found.key;
  };
  await show(filters.values());
  return [
    heading('Records', may('editor') && h('a', { class: 'button primary', href: '#/new', id: 'new-record' }, icon('plus'), h('span', {}, 'New record'))),
    toApprove(), pending(), filters.root, count, results,
  ];
}

/** The first page of what is searched. A text that names a key, as it stands on a package or comes from a scanner, finds its record (`key`) and those below. */
async function searched(values, signal) {
  const { valid, key } = values.text && !values.under ? await check(values.text, signal) : {};
  if (valid && key) {
    const narrowed = { ...values, text: '', under: String(key) };
    const data = await page(narrowed, undefined, signal);
    const own = keyOf({ key });
    if (data.levels.length) return { data, values: narrowed, key: data.levels.some((level) => keyOf(level) === own) ? own : undefined };
  }
  return { data: await page(values, undefined, signal), values };
}

async function page(values, after, signal) {
  return (await get(`/v1/levels${query({ ...values, after, limit: PAGE })}`, { signal })).data;
}

function fill(results, count, data, values) {
  const filtered = Object.values(values).some(Boolean);
  if (!data.levels.length && !data.next) {
    put(count, filtered ? 'Nothing found.' : '');
    put(results, filtered ? null : welcome());
    return;
  }
  const list = table('Records', COLUMNS, data.levels, { id: 'record-list' });
  let shown = data.levels.length;
  let next = data.next;
  const say = () => put(count, plural(shown, 'record'), next ? ', and more' : '');
  const more = button('Show more', () => busy(more, async () => {
    const further = await page(values, next);
    list.add(further.levels);
    shown += further.levels.length;
    next = further.next;
    more.hidden = !next;
    say();
  }), { id: 'more' });
  more.hidden = !next;
  say();
  put(results, list.root, h('div', { class: 'actions' }, more));
}

const COLUMNS = [
  { title: 'What', class: 'main', cell: (level) => [h('a', { href: `#/record/${keyOf(level)}` }, level.record?.itemDescription || keyInWords(keyOf(level))), h('span', { class: 'key' }, elementString(keyOf(level)))] },
  { title: 'A scan opens', cell: (level) => target(level.record) },
  { title: 'Links', class: 'number', cell: (level) => String(level.record?.links?.length ?? '') },
  { title: 'Changed', cell: (level) => [when(level.at), level.by && h('span', { class: 'soft block' }, who(level.by))] },
];

function target(record) {
  const link = record?.links?.find((one) => isDefault(one.linkType) && !one.validFrom && !one.validUntil);
  return link ? h('span', { class: 'address' }, link.href.replace(/^https?:\/\//, '')) : h('span', { class: 'soft' }, 'the page of the level above');
}

function form(search, run) {
  const text = h('input', { type: 'search', id: 'search', name: 'text', autocomplete: 'off', value: search.get('text') ?? '' });
  const make = (name, label, control) => { control.name = name; if (search.get(name)) control.value = name === 'changedSince' ? search.get(name).slice(0, 10) : search.get(name); return field({ label, control }); };
  const types = select({ id: 'filter-link-type' }, [['', 'any']]);
  vocabulary().then(({ linkTypes }) => {
    types.append(...linkTypes.map((term) => h('option', { value: term.id }, typeTitle(term.id))));
    types.value = search.get('linkType') ?? '';
  });
  const me = `user:${session().user.id}`;
  const people = select({ id: 'filter-author' }, [['', 'anybody'], [me, 'me'], ['local:import', 'an import on the command line']]);
  if (may('admin')) {
    get('/v1/users?limit=1000').then(({ data }) => {
      people.append(...data.users.filter((user) => `user:${user.id}` !== me).map((user) => h('option', { value: `user:${user.id}` }, user.name || user.login)));
      people.value = search.get('author') ?? '';
    });
  }
  const fields = [
    make('under', 'Key begins with', input({ id: 'filter-under', placeholder: '01/0950…' })),
    make('companyPrefix', 'GS1 Company Prefix', input({ id: 'filter-prefix', inputmode: 'numeric' })),
    make('keyType', 'Kind of key', select({ id: 'filter-key-type' }, [['', 'any'], ...keyOptions()])),
    make('linkType', 'Has a link of the type', types),
    make('targetHost', 'Leads to the site', input({ id: 'filter-host', placeholder: 'www.example.com' })),
    make('author', 'Changed by', people),
    make('changedSince', 'Changed since', input({ id: 'filter-since', type: 'date' })),
  ];
  const values = () => {
    const all = { text: text.value.trim() };
    for (const { control } of fields) all[control.name] = control.value.trim();
    // The options of these come later than the first search.
    if (types.length === 1) all.linkType = search.get('linkType') ?? '';
    if (!all.author && people.length === 3) all.author = search.get('author') ?? '';
    if (all.changedSince) all.changedSince = new Date(`${all.changedSince}T00:00`).toISOString();
    return all;
  };
  const set = fields.filter(({ control }) => search.get(control.name)).length;
  const submit = button('Search', undefined, { type: 'submit', icon: 'search', id: 'search-button' });
  const root = h('form', { class: 'search', role: 'search', on: { submit: (event) => { event.preventDefault(); busy(submit, () => run(values())); } } },
    h('div', { class: 'bar' }, h('label', { for: 'search', class: 'unseen' }, 'Search records'), text, submit),
    h('details', { open: set > 0 }, h('summary', { id: 'filters' }, 'Filters', set ? ` (${set})` : ''), h('div', { class: 'grid' }, fields.map((one) => one.root)),
      h('div', { class: 'actions' }, button('Apply', undefined, { type: 'submit' }), h('a', { class: 'button quiet', href: '#/records' }, 'Clear'))));
  text.placeholder = 'Name, number, address …';
  return { root, values };
}

/** Says that changes wait for this user's decision, as soon as that is known. */
function toApprove() {
  const place = h('div', { id: 'to-approve' });
  waiting().then((count) => { if (count > 0) put(place, h('div', { class: 'notice plain' }, h('p', {}, `${plural(count, 'change')} ${count === 1 ? 'waits' : 'wait'} for your approval. `, h('a', { href: '#/approvals' }, count === 1 ? 'Look at it' : 'Look at them')))); }).catch(() => {});
  return place;
}

function pending() {
  const waiting = drafts();
  return waiting.length > 0 && h('div', { class: 'notice plain' }, h('p', {}, 'Not saved yet: ', waiting.map(({ key, name }, at) => [at > 0 && ', ', h('a', { href: key === 'new' ? '#/new' : `#/record/${key}` }, name)])));
}

function welcome() {
  return h('section', { class: 'welcome' },
    h('h2', {}, 'Nothing is registered yet'),
    h('p', {}, 'A record says where a scan leads. You need two things: the number under the barcode, and the address of a page.'),
    h('ol', {}, h('li', {}, h('strong', {}, 'Register a product. '), 'Type its number, enter the page that a scan opens.'),
      h('li', {}, h('strong', {}, 'Add what you like. '), 'A page in French, the recipe, the ingredients, a page for one batch.'),
      h('li', {}, h('strong', {}, 'Try a scan. '), 'See what a phone in Québec gets, and why, before anybody scans.')),
    h('div', { class: 'actions' }, may('editor') ? h('a', { class: 'button primary', href: '#/new' }, icon('plus'), h('span', {}, 'Register the first product')) : null, h('a', { class: 'button', href: '#/import' }, 'Import a file')));
}
