// Import of a file, with a check first. The server reads the file; this shows what it reports.
import { Problem, get, sentence } from './api.js';
import { columnTable, remember, remembered } from './columns.js';
import { busy, button, download, field, h, heading, notice, plural, put, table } from './dom.js';
import { exporting, templates } from './export.js';
import { keyOf } from './server.js';
import { may } from './session.js';
import { upload } from './upload.js';

const FAULTS_SHOWN = 200;
const FAULTS_KEPT = 10000;
/** Room for mappings in an address. */
const QUERY_BYTES = 6000;

export async function transfer() {
  return [heading('Import and export'), may('editor') ? importing() : null, exporting()];
}

function importing() {
  const file = field({ label: 'File', hint: 'A spreadsheet (XLSX or CSV), records (JSON or JSON Lines), or a GS1 linkset. Choose it, or drop it here.', control: h('input', { type: 'file', id: 'import-file', name: 'file' }) });
  const progress = meter();
  const report = h('div', { id: 'import-report' });
  let corrections = new Map();
  const check = button('Check the file', () => busy(check, () => run(true)), { kind: 'primary', id: 'import-check' });

  async function run(dryRun) {
    const chosen = file.control.files[0];
    put(report);
    file.fault();
    if (!chosen) { file.fault('Choose a file first.'); return; }
    const total = await send(chosen, dryRun, corrections, progress);
    const columns = total.sheet?.columns?.length ? [h('h3', { id: 'columns-title' }, 'How the columns are understood'),
      h('p', { class: 'soft' }, total.sheet.description), columnTable(total.sheet, (title, meaning) => { corrections.set(title, meaning); again(); })] : null;
    const action = dryRun && !total.error && !total.stopped && total.totals.accepted > 0
      ? go(`Import ${plural(total.totals.accepted, 'record')}`, () => run(false)) : null;
    put(report, tell(total, dryRun, chosen.name, action), dryRun || total.error ? columns : null);
    const again = () => {
      const repeat = go('Check again with these columns', () => run(true), 'import-again');
      const focused = document.activeElement;
      put(report, h('h3', { tabindex: '-1' }, 'The columns were changed'), columns.slice(2), h('div', { class: 'actions' }, repeat));
      focused.focus();
    };
    if (dryRun && !total.error && corrections.size) remember(corrections);
    report.querySelector('h3')?.focus();
  }

  file.control.addEventListener('change', () => { put(report); file.fault(); corrections = new Map(); });
  const section = h('section', { 'aria-labelledby': 'import' }, h('h2', { id: 'import' }, 'Import'), h('p', { class: 'soft' }, 'The file is checked first; nothing is changed until you say so. A record in the file replaces what its key held before.'),
    templates(), file.root, h('div', { class: 'actions' }, check), progress.root, report);
  section.addEventListener('dragover', (event) => event.preventDefault());
  section.addEventListener('drop', (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    file.control.files = event.dataTransfer.files;
    file.control.dispatchEvent(new Event('change'));
  });
  return section;
}

function go(text, action, id = 'import-go') {
  const control = button(text, () => busy(control, action), { kind: 'primary', id });
  return control;
}

// ---- sending -------------------------------------------------------------------------------------------------------

const NONE = { accepted: 0, created: 0, replaced: 0, unchanged: 0, proposed: 0, superseded: 0, refused: 0, warnings: 0 };

/** Sends a file and gathers what is reported of it. */
async function send(chosen, dryRun, corrections, progress) {
  const total = { totals: { ...NONE }, refused: [], warned: [], superseded: [], proposals: 0, stored: 0, omitted: 0 };
  const stop = new AbortController();
  progress.begin(chosen.size, dryRun, () => stop.abort());
  try {
    const { data } = await get('/v1/configuration');
    if (chosen.size > data.maxImport) throw new Error(`The file is larger than ${bytes(data.maxImport)}. Import it in parts, or on the server with fingerpost import.`);
    const done = await upload(address(dryRun, corrections), chosen, {
      signal: stop.signal,
      onSend: progress.sent,
      onEvent: (name, event) => {
        if (name === 'progress') { progress.worked(event); total.writing ||= event.phase === 'writing'; }
        else if (name === 'sheet') total.sheet = event;
        else if (name === 'committed') total.stored = event.accepted;
        else if (name === 'proposed') total.proposals += 1;
        else total[name]?.push(event);
      },
    });
    Object.assign(total, { totals: done.totals, omitted: done.omitted });
  } catch (error) {
    total.stopped = true;
    if (error.name !== 'AbortError') {
      total.error = error.message;
      total.told = error instanceof Problem;
      if (error.body?.columns) total.sheet = { columns: error.body.columns, columnNames: error.body.columnNames };
    }
  }
  progress.end();
  return total;
}

function address(dryRun, corrections) {
  const search = new URLSearchParams({ faults: FAULTS_KEPT });
  if (dryRun) search.set('dryRun', 'true');
  for (const [title, meaning] of corrections) search.append('column', `${title}=${meaning}`);
  for (const [title, meaning] of remembered()) {
    if (!corrections.has(title) && search.toString().length < QUERY_BYTES) search.append('remembered', `${title}=${meaning}`);
  }
  return `/v1/imports?${search}`;
}

/** The bar, with its rate and the time left, and the button that stops. */
function meter() {
  const bar = h('progress', { max: 1, value: 0, id: 'import-progress', 'aria-label': 'Progress' });
  const said = h('p', { role: 'status', id: 'import-said' });
  const rate = h('p', { class: 'soft', id: 'import-rate' });
  let stop;
  const running = h('div', { hidden: true }, h('div', { class: 'running' }, bar, button('Stop', () => stop?.(), { id: 'import-stop' })), rate);
  let phase;
  let since;
  let size;
  const show = (name, done, all, words) => {
    if (phase !== name) { phase = name; since = performance.now(); put(said, `${name} …`); }
    const seconds = (performance.now() - since) / 1000;
    bar.value = all ? done / all : 0;
    const left = seconds > 1 && done > 0 && all > done ? `, ${duration(seconds * (all - done) / done)} left` : '';
    put(rate, words(seconds > 0.5 ? done / seconds : 0), left);
  };
  return {
    root: h('div', {}, running, said),
    begin: (total, dryRun, onStop) => { stop = onStop; size = total; phase = undefined; running.hidden = false; show(dryRun ? 'Sending the file to check it' : 'Sending the file', 0, total, () => ''); },
    sent: (sent) => show('Sending the file', sent, size, (speed) => `${bytes(sent)} of ${bytes(size)}${speed ? `, ${bytes(speed)}/s` : ''}`),
    worked: (event) => (event.phase === 'reading'
      ? show('Reading', event.bytes, event.total, () => `${plural(event.records, 'record')} read`)
      : show('Writing', event.written, event.records, (speed) => `${event.written.toLocaleString()} of ${plural(event.records, 'record')}${speed ? `, ${Math.round(speed).toLocaleString()}/s` : ''}`)),
    end: () => { running.hidden = true; put(said); },
  };
}

function bytes(count) {
  const unit = count >= 1e6 ? ['MB', 1e6] : count >= 1e3 ? ['kB', 1e3] : ['bytes', 1];
  return `${(count / unit[1]).toLocaleString(undefined, { maximumFractionDigits: count < 1e7 ? 1 : 0 })} ${unit[0]}`;
}

function duration(seconds) {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
}

// ---- the report ----------------------------------------------------------------------------------------------------

const COUNTS = { created: 'new', replaced: 'changed', unchanged: 'unchanged', proposed: 'for approval', superseded: 'repeated later', refused: 'refused' };

function title(total, dryRun) {
  if (total.error) return dryRun ? 'The file cannot be checked' : 'The import ended early';
  if (total.stopped) return 'Stopped';
  if (!dryRun) return 'Imported';
  return total.totals.refused ? 'Some records cannot be imported' : 'All records are valid';
}

/** What is left of an import that ended early; the transaction that was running is not reported. */
function left({ stored, writing }) {
  if (!writing) return ' Nothing was changed.';
  return stored > 0 ? ` ${stored.toLocaleString()} records or a few more were imported and stay. Import the file again for the rest.`
    : ' A few records may have been imported. Import the file again for the rest.';
}

function tell(total, dryRun, name, action) {
  const counts = Object.entries(COUNTS).filter(([key]) => total.totals[key] > 0);
  const stays = !dryRun && total.stopped && !total.told && left(total);
  const faults = total.refused.flatMap((one) => one.faults.map((fault) => ({ ...fault, line: one.line, key: one.anchor })));
  return [h('h3', { tabindex: '-1' }, title(total, dryRun)), h('p', { class: 'soft' }, name, dryRun && !total.error ? ': nothing has been changed yet.' : ''),
    total.error ? notice('bad', h('p', {}, total.error, stays)) : total.stopped && stays && h('p', {}, stays),
    h('ul', { class: 'counts', id: 'import-counts' }, counts.map(([key, word]) => h('li', { class: key }, h('strong', {}, total.totals[key].toLocaleString()), ` ${word}`))),
    total.proposals > 0 && h('p', {}, 'Another person has to approve them: ', h('a', { href: '#/approvals' }, 'Approvals'), '.'),
    faults.length > 0 && [table('What is wrong', [{ title: total.sheet ? 'Row' : 'Line', class: 'number', cell: (row) => String(row.line) },
      { title: total.sheet ? 'Cell' : 'Where', cell: (row) => h('code', {}, cellOf(row.pointer)) }, { title: 'What is wrong', cell: (row) => sentence(row.detail) },
      ...(faults.some((row) => row.key) ? [{ title: 'Key', cell: (row) => (row.key ? h('code', {}, keyOf(row)) : '') }] : [])], faults.slice(0, FAULTS_SHOWN), { id: 'import-faults' }).root,
    faults.length > FAULTS_SHOWN && h('p', { class: 'soft' }, `and ${(faults.length - FAULTS_SHOWN).toLocaleString()} more, in the file of refused records`)],
    h('div', { class: 'actions' }, action, total.refused.length > 0 && button(total.sheet ? 'Save the refused rows' : 'Save the refused records', () => save(total), { id: 'import-save' }))];
}

/** `C7` of `sheet "Products", cell C7`; other places as they are. */
const cellOf = (pointer) => /cell ([A-Z]+\d+)$/.exec(pointer)?.[1] ?? pointer ?? '';

/** Saves records that can be corrected and imported; of a spreadsheet a list of its rows, for the original is what to correct. */
function save(total) {
  if (!total.sheet) {
    download('refused.jsonl', 'application/jsonl', total.refused.filter((one) => one.text).map((one) => `${one.text}\n`));
    return;
  }
  const rows = total.refused.flatMap((one) => one.faults.map((fault) => [one.line, cellOf(fault.pointer), one.anchor ?? '', sentence(fault.detail)]));
  const lines = [['Row', 'Cell', 'Key', 'What is wrong'], ...rows].map((row) => `${row.map(cell).join(',')}\r\n`);
  download('refused-rows.csv', 'text/csv', ['\uFEFF', ...lines]);
}

/** A cell of CSV, which no program takes for a formula. */
function cell(value) {
  const text = String(value);
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
