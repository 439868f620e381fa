// What is selected in a list of records, and what is done with all of it: delete, recall, labels, export.
import { again, api, get, post, Problem, query, sentence, token } from './api.js';
import { button, checkbox, confirm, dialog, download, field, h, input, notice, plural, put, select } from './dom.js';
import { mayIn, rights } from './session.js';
import { keyOf } from './server.js';
import { elementString, isMany } from './words.js';

/** Most records of one action. */
export const MOST = 10000;

/** Records in one request, so that progress is seen and others can work between. */
const AT_ONCE = 500;

/** Refused records that a result lists; all of them are in the file. */
const LISTED = 20;

/** The actions on a selection, as buttons. `keys` gives what is selected, as Map of keys to revisions; `done` draws the list again. */
export function actions(keys, place, done) {
  const editor = rights().some((right) => mayIn(right, 'editor'));
  const run = (control, work) => async () => {
    if (control.getAttribute('aria-busy') === 'true') return;
    control.setAttribute('aria-busy', 'true');
    try { await work(keys()); } catch (error) { if (error.name !== 'AbortError') put(place, notice('bad', h('p', {}, error.message))); } finally { control.removeAttribute('aria-busy'); }
  };
  const make = (text, id, sign, work, kind) => {
    const control = button(text, undefined, { id, icon: sign, kind });
    control.addEventListener('click', run(control, work));
    return control;
  };
  return [
    make('Export', 'selected-export', 'transfer', (all) => exportAll([...all.keys()], place)),
    make('Labels', 'selected-labels', 'copy', (all) => labels([...all.keys()], place)),
    editor && make('Recall', 'selected-recall', 'warning', (all) => { keep([...all.keys()]); location.hash = '#/recall/selection'; }),
    editor && make('Delete', 'selected-delete', 'bin', (all) => removeAll(all, place, done)),
  ];
}

// ---- what a recall is about, while one goes there and when the page is loaded again ------------------------------------

const KEPT = 'selection';
function keep(keys) { sessionStorage.setItem(KEPT, JSON.stringify(keys)); }
export function kept() { try { return JSON.parse(sessionStorage.getItem(KEPT) ?? '[]'); } catch { return []; } }

// ---- progress and results ----------------------------------------------------------------------------------------------

/** Does something with parts of a list, with a bar and a button that stops after the present part. Gives whether all was done. */
export async function byParts(place, title, all, work, size = AT_ONCE) {
  const bar = h('progress', { max: all.length, value: 0, 'aria-label': title });
  const said = h('p', { role: 'status' });
  let stopped = false;
  const stop = button('Stop', () => { stopped = true; stop.disabled = true; }, { id: 'selected-stop' });
  const say = (done) => { bar.value = done; put(said, `${title}: ${done.toLocaleString()} of ${all.length.toLocaleString()}`); };
  put(place, h('div', { class: 'notice plain' }, h('div', { class: 'running' }, bar, stop), said));
  for (let at = 0; at < all.length; at += size) {
    say(at);
    if (stopped) return { done: at, stopped };
    await work(all.slice(at, at + size), at);
  }
  return { done: all.length, stopped: false };
}

/** What happened, with what was refused and why. `refused`: [{key, why}]. */
export function result(place, good, refused) {
  const lines = refused.slice(0, LISTED).map(({ key, why }) => h('li', {}, h('span', { class: 'key' }, elementString(key)), ' ', sentence(why)));
  const saved = () => download('refused.csv', 'text/csv', ['\uFEFFKey,Why\r\n', ...refused.map(({ key, why }) => `"/${key}","${why.replaceAll('"', '""')}"\r\n`)]);
  const told = notice(refused.length ? 'bad' : 'good', good.map((text) => h('p', {}, text)),
    refused.length > 0 && [h('p', {}, `${plural(refused.length, 'record')} refused:`), h('ul', { id: 'selected-refused' }, lines), refused.length > LISTED && h('p', {}, `and ${(refused.length - LISTED).toLocaleString()} more`),
      h('div', { class: 'actions' }, button('Save the list', saved, { id: 'save-refused' }))]);
  told.id = 'selected-result';
  told.tabIndex = -1;
  put(place, told);
  told.focus();
}

// ---- the actions -------------------------------------------------------------------------------------------------------

async function removeAll(all, place, done) {
  const count = plural(all.size, 'record');
  if (!await confirm(`Delete ${count}?`, ['Scans of them will find nothing here. Their history stays, and each can be restored from there.', 'A product is deleted only together with its batches and items.'], `Delete ${count}`)) return;
  // Batches and items come before their product, which cannot be deleted while it has some.
  const rows = [...all].sort(([a], [b]) => (a < b ? 1 : -1));
  const total = { deleted: 0, proposed: 0 };
  const refused = [];
  const { done: reached, stopped } = await byParts(place, 'Deleting', rows, async (part) => {
    const body = part.map(([key, revision]) => JSON.stringify({ delete: `/${key}`, ifMatch: revision })).join('\n');
    const { data } = await api('POST', '/v1/batch?mode=each', { body, type: 'application/jsonl' });
    total.deleted += data.deleted;
    total.proposed += data.proposed;
    for (const item of data.items) if (item.code) refused.push({ key: item.key ? keyOf(item) : part[item.line - 1][0], why: REFUSED[item.code] ?? item.errors?.[0]?.detail ?? item.code });
  });
  await done();
  result(place, [total.deleted > 0 && `${plural(total.deleted, 'record')} deleted.`, total.proposed > 0 && `The deletion of ${plural(total.proposed, 'record')} waits for approval.`,
    stopped && `Stopped after ${plural(reached, 'record')}.`, total.deleted + total.proposed === 0 && 'Nothing was deleted.'].filter(Boolean), refused);
}

const REFUSED = { 'precondition-failed': 'It was changed in the meantime.', 'not-found': 'It is not registered any more.', forbidden: 'You may not change it.' };

/** A file that is made of what is posted. */
async function posted(path, keys, name) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(path, { method: 'POST', credentials: 'same-origin', cache: 'no-store', headers: { 'content-type': 'application/json', 'x-csrf-token': token() ?? '' }, body: JSON.stringify({ keys: keys.map((key) => `/${key}`) }) });
    if (response.ok) { download(name, response.headers.get('content-type'), [await response.blob()]); return; }
    const problem = new Problem(response.status, await response.json().catch(() => ({})), response.headers);
    if (attempt > 1 || !await again(problem)) throw problem;
  }
}

async function exportAll(keys, place) {
  const format = await dialog(`Export ${plural(keys.length, 'record')}`, (close) => {
    const layout = field({ label: 'Layout', control: select({ id: 'selected-format' }, [['xlsx', 'Workbook (XLSX)'], ['csv', 'CSV'], ['jsonl', 'JSON Lines'], ['json', 'JSON']]) });
    return [layout.root, h('div', { class: 'actions' }, button('Export', () => close(layout.control.value), { kind: 'primary', id: 'confirm' }), button('Cancel', () => close(), { kind: 'quiet' }))];
  });
  if (!format) return;
  await posted(`/v1/export${query({ format })}`, keys, `fingerpost.${format}`);
  result(place, [`${plural(keys.length, 'record')} exported.`], []);
}

async function labels(keys, place) {
  const printed = keys.filter((key) => !isMany(key));
  if (printed.length === 0) { put(place, notice('bad', h('p', {}, 'Records for ranges or any value have no label of their own.'))); return; }
  const chosen = await dialog(`A sheet with ${plural(printed.length, 'label')}`, (close) => sheet(printed.length < keys.length, close), { id: 'sheet' });
  if (!chosen) return;
  await posted(`/v1/label/sheet${query(chosen)}`, printed, 'labels.pdf');
  result(place, [`${plural(printed.length, 'label')} saved. Print without scaling (“actual size”).`], []);
}

function sheet(fewer, close) {
  const side = (id, label, value) => field({ label, control: input({ id, type: 'number', min: 5, max: 300, step: 'any', value, inputmode: 'decimal', required: true }) });
  const symbol = field({ label: 'Symbol', control: select({ id: 'sheet-symbol' }, [['qr', 'QR Code with the address'], ['datamatrix', 'Data Matrix with the address'], ['gs1-datamatrix', 'GS1 DataMatrix with the numbers']]) });
  const paper = field({ label: 'Paper', control: select({ id: 'sheet-paper' }, [['a4', 'A4'], ['letter', 'Letter']]) });
  const width = side('sheet-width', 'Width of a label in mm', '63.5');
  const height = side('sheet-height', 'Height of a label in mm', '38.1');
  const text = checkbox('Numbers below the symbol', { id: 'sheet-text', checked: true });
  const root = h('div', { id: 'sheet-root' });
  get('/v1/configuration').then(({ data }) => { if (data.resolverRootIsDefault) put(root, notice('bad', h('p', {}, 'The addresses begin with a default for examples: nobody can open them. Set resolver_root first.'))); }).catch(() => {});
  const submit = (event) => {
    event.preventDefault();
    close({ symbol: symbol.control.value, paper: paper.control.value, width: width.control.value, height: height.control.value, text: text.control.checked });
  };
  return h('form', { on: { submit } }, h('div', { class: 'grid' }, symbol.root, paper.root, width.root, height.root), text.root,
    fewer && h('p', { class: 'soft' }, 'Records for ranges or any value have no label of their own and are left out.'), root,
    h('div', { class: 'actions' }, button('Save as PDF', undefined, { kind: 'primary', type: 'submit', id: 'confirm' }), button('Cancel', () => close(), { kind: 'quiet' })));
}

/** Recalls all levels by parts. `post`ed in one request each: a part is recalled as a whole, or not at all. */
export async function recallAll(keys, notices, place) {
  const total = { recalled: 0, proposed: false };
  const refused = [];
  await byParts(place, 'Recalling', keys, async (part) => {
    try {
      const { status } = await post('/v1/recalls', { keys: part.map((key) => `/${key}`), notices });
      if (status === 202) total.proposed = true;
      total.recalled += part.length;
    } catch (error) {
      if (!error.errors?.length) throw error;
      const named = new Map(error.errors.map((one) => [Number(/^\/(\d+)/.exec(one.pointer ?? '')?.[1] ?? 0) - 1, one.detail]));
      // The others of this part are sent without those.
      const rest = part.filter((key, at) => !named.has(at));
      for (const [at, why] of named) if (part[at]) refused.push({ key: part[at], why });
      if (rest.length === part.length) throw error;
      if (rest.length === 0) return;
      const { status } = await post('/v1/recalls', { keys: rest.map((key) => `/${key}`), notices });
      if (status === 202) total.proposed = true;
      total.recalled += rest.length;
    }
  });
  return { ...total, refused };
}
