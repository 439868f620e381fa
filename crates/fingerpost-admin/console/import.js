// Import with a dry run first, and export.
import { api, get, query, sentence } from './api.js';
import { busy, button, download, field, h, heading, notice, plural, put, table } from './dom.js';
import { keyOf } from './server.js';
import { may } from './session.js';

/** Lines of one request; records of one product are never parted. */
const SLICE = 500;
const FAULTS_SHOWN = 200;

export async function transfer() {
  return [heading('Import and export'), may('editor') ? importing() : null, exporting()];
}

function importing() {
  const file = field({ label: 'File', hint: 'Records (JSON Lines or a JSON array), or a GS1 linkset.', control: h('input', { type: 'file', id: 'import-file', name: 'file', accept: '.json,.jsonl,.ndjson,application/json' }) });
  const progress = h('progress', { max: 1, value: 0, id: 'import-progress', 'aria-label': 'Progress' });
  const said = h('p', { role: 'status', id: 'import-said' });
  const report = h('div', { id: 'import-report' });
  let stop;
  const cancel = button('Stop', () => stop?.abort(), { id: 'import-stop' });
  const running = h('div', { class: 'running', hidden: true }, progress, cancel);
  const run = async (items, dryRun) => {
    stop = new AbortController();
    running.hidden = false;
    progress.value = 0;
    const total = emptyReport(items.count);
    let spoken = 0;
    try {
      for (const slice of items.slices()) {
        const { data } = await api('POST', `/v1/batch${query({ mode: 'each', dryRun: dryRun || undefined })}`, { body: slice.map((item) => item.text).join('\n'), type: 'application/jsonl', signal: stop.signal });
        gather(total, data, slice);
        progress.value = total.done / items.count;
        if (Date.now() - spoken > 1500) { spoken = Date.now(); put(said, `${total.done.toLocaleString()} of ${plural(items.count, 'record')} ${dryRun ? 'checked' : 'sent'}.`); }
      }
    } catch (error) {
      if (error.name !== 'AbortError') total.error = error.message;
      total.stopped = true;
    }
    running.hidden = true;
    put(said, '');
    return total;
  };
  const check = button('Check the file', () => busy(check, async () => {
    put(report);
    file.fault();
    const chosen = file.control.files[0];
    if (!chosen) { file.fault('Choose a file first.'); return; }
    put(said, 'Reading the file …');
    let items;
    try { items = await readFile(chosen); } catch (error) { put(said, ''); file.fault(error.message); return; }
    const result = await run(items, true);
    put(report, tell(result, true, chosen.name), result.stopped || result.refused === result.total ? null : h('div', { class: 'actions' },
      go(`Import ${plural(result.total - result.refused, 'record')}`, async (control) => {
        await busy(control, async () => { const done = await run(items, false); put(report, tell(done, false, chosen.name)); report.querySelector('h3').focus(); });
      })));
    report.querySelector('h3').focus();
  }), { kind: 'primary', id: 'import-check' });
  file.control.addEventListener('change', () => { put(report); file.fault(); });
  return h('section', { 'aria-labelledby': 'import' }, h('h2', { id: 'import' }, 'Import'), h('p', { class: 'soft' }, 'The file is checked first; nothing is changed until you say so. A record in the file replaces what its key held before.'),
    file.root, h('div', { class: 'actions' }, check), running, said, report);
}

function go(text, action) {
  const control = button(text, () => action(control), { kind: 'primary', id: 'import-go' });
  return control;
}

// ---- reading -------------------------------------------------------------------------------------------------------

/** What a file holds: how many records, and slices of them to send, of one primary key each or several whole ones. */
async function readFile(file) {
  const text = (await file.text()).replace(/^\uFEFF/, '');
  if (!text.trim()) throw new Error('The file is empty.');
  let whole;
  try { whole = JSON.parse(text); } catch (error) { if (/^\s*\[/.test(text)) throw new Error(`This is not JSON: ${error.message}`); }
  if (Array.isArray(whole?.linkset)) whole = whole.linkset.map(fromContext);
  const items = Array.isArray(whole) ? whole.map((one, at) => item(at + 1, JSON.stringify(one), one))
    : whole ? [item(1, JSON.stringify(whole), whole)] : text.split(/\r?\n/).map((line, at) => item(at + 1, line)).filter((one) => one.text.trim());
  // Bare keys go before what stands below them; otherwise the order of the file is kept.
  const groups = new Map();
  for (const one of items) groups.set(one.group, [...groups.get(one.group) ?? [], one]);
  return { count: items.length, slices: () => slices([...groups.values()]) };
}

/** A context object of a GS1 linkset as a record. */
function fromContext({ anchor, itemDescription, ...relations }) {
  const links = Object.entries(relations).filter(([, targets]) => Array.isArray(targets))
    .flatMap(([linkType, targets]) => targets.map(({ href, title, type, hreflang, context }) => ({ linkType, href, title, type, hreflang, context })));
  return { anchor: String(anchor ?? '').replace(/^https?:\/\/[^/]*/i, ''), itemDescription, links };
}

function item(line, text, value) {
  let read = value;
  if (!read) try { read = JSON.parse(text); } catch { /* the server says what is wrong */ }
  const anchor = (read?.put ?? read)?.anchor ?? read?.delete;
  return { line, text, anchor, group: String(anchor ?? `line ${line}`).split('/').slice(0, 3).join('/') };
}

function* slices(groups) {
  let slice = [];
  for (const group of groups) {
    if (slice.length && slice.length + group.length > SLICE) { yield slice; slice = []; }
    slice.push(...group);
  }
  if (slice.length) yield slice;
}

// ---- the report ----------------------------------------------------------------------------------------------------

const COUNTS = { created: 'new', replaced: 'changed', unchanged: 'unchanged', deleted: 'deleted', proposed: 'for approval', refused: 'refused' };

/** What a dry run says would happen, as the count that it goes into. */
const WOULD = { create: 'created', replace: 'replaced', nothing: 'unchanged', delete: 'deleted', propose: 'proposed' };

const emptyReport = (total) => ({ total, done: 0, faults: [], ...Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0])) });

function gather(total, data, slice) {
  total.done += slice.length;
  for (const name of Object.keys(COUNTS)) total[name] += data[name] ?? 0;
  for (const one of data.items ?? []) if (one.would) total[WOULD[one.would]] += 1;
  for (const one of data.items ?? []) {
    const from = slice[one.line - 1];
    for (const error of one.errors ?? []) total.faults.push({ line: from?.line ?? one.line, key: one.key ?? from?.anchor, pointer: error.pointer, id: error.id, detail: error.detail });
    if (one.status === 'refused' && !one.errors?.length) total.faults.push({ line: from?.line ?? one.line, key: one.key ?? from?.anchor, detail: one.detail ?? one.code ?? 'refused' });
  }
}

function tell(total, dryRun, name) {
  const counts = Object.entries(COUNTS).filter(([key]) => total[key] > 0);
  const title = total.error ? 'It stopped' : total.stopped ? 'Stopped' : dryRun ? (total.refused ? 'Some records cannot be imported' : 'All records are valid') : 'Imported';
  return [h('h3', { tabindex: '-1' }, title), h('p', { class: 'soft' }, name, dryRun ? ': nothing has been changed yet.' : ''),
    total.error && notice('bad', h('p', {}, total.error, dryRun ? '' : ' Records sent before remain imported.')),
    h('ul', { class: 'counts', id: 'import-counts' }, counts.map(([key, word]) => h('li', { class: key }, h('strong', {}, total[key].toLocaleString()), ` ${word}`))),
    total.faults.length > 0 && [table('What is wrong', [{ title: 'Line', class: 'number', cell: (row) => String(row.line) }, { title: 'Key', cell: (row) => (row.key ? h('code', {}, keyOf(row)) : '') },
      { title: 'Where', cell: (row) => h('code', {}, row.pointer ?? '') }, { title: 'What is wrong', cell: (row) => sentence(row.detail) }], total.faults.slice(0, FAULTS_SHOWN)).root,
    total.faults.length > FAULTS_SHOWN && h('p', { class: 'soft' }, `and ${total.faults.length - FAULTS_SHOWN} more, in the report`)],
    h('div', { class: 'actions' }, button('Save the report', () => download('import-report.json', 'application/json', [JSON.stringify({ file: name, dryRun, ...total }, null, 2)]), { kind: 'quiet', id: 'import-save-report' }))];
}

// ---- export --------------------------------------------------------------------------------------------------------

function exporting() {
  const said = h('p', { role: 'status', id: 'export-said' });
  const start = button('Export all records', () => busy(start, async () => {
    const lines = [];
    let after;
    do {
      const { data } = await get(`/v1/levels${query({ limit: 1000, after })}`);
      for (const level of data.levels) lines.push(`${JSON.stringify(level.record)}\n`);
      after = data.next;
      put(said, `${plural(lines.length, 'record')} so far …`);
    } while (after);
    download('records.jsonl', 'application/jsonl', lines);
    put(said, `${plural(lines.length, 'record')} exported.`);
  }), { id: 'export' });
  return h('section', { 'aria-labelledby': 'export-title' }, h('h2', { id: 'export-title' }, 'Export'), h('p', { class: 'soft' }, 'Every record that you may read, one per line (JSON Lines). The import takes it back.'), h('div', { class: 'actions' }, start), said);
}
