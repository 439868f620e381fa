// Import of a file, with a check first. The server reads the file; this shows what it reports.
import { foldedFault, get, Problem, sentence } from './api.js';
import { columnTable, guessed, remember, remembered } from './columns.js';
import {
  acting,
  button,
  download,
  field,
  h,
  heading,
  notice,
  put,
  errorText,
  table,
} from './dom.js';
import { exporting, templates } from './export.js';
import { differenceTable } from './history.js';
import { differences } from './model.js';
import { keyOf } from './server.js';
import { may } from './session.js';
import { upload } from './upload.js';
import { number, t } from './texts.js';
import { undoButton } from './undo.js';
import { elementString, keyInWords } from './words.js';

const FAULTS_SHOWN = 200;
const FAULTS_KEPT = 10000;
const REPLACED_SHOWN = 50;
/** The id of two rows that have one key and are about different products. */
const CONFLICT = 'spreadsheet-conflict';
/** Room for mappings in an address. */
const QUERY_BYTES = 6000;

export async function transfer() {
  return [heading(t('frame.transfer')), may('editor') ? importing() : null, exporting()];
}

function importing() {
  const file = field({
    label: t('transfer.file'),
    hint: t('transfer.file_hint'),
    control: h('input', { type: 'file', id: 'import-file', name: 'file' }),
  });
  const progress = meter();
  const report = h('div', { id: 'import-report' });
  let corrections = new Map();
  let mergeRows = false;
  let keepRest = false;
  const check = acting(t('transfer.check'), () => run(true), {
    kind: 'primary',
    id: 'import-check',
  });

  async function run(dryRun) {
    const chosen = file.control.files[0];
    put(report);
    file.fault();
    if (!chosen) {
      file.fault(t('transfer.choose_first'));
      return;
    }
    const total = await send(chosen, { dryRun, corrections, mergeRows, keepRest }, progress);
    const columns = total.sheet?.columns?.length
      ? [
          h('h3', { id: 'columns-title' }, t('transfer.columns')),
          h('p', { class: 'soft' }, total.sheet.description),
          columnTable(total.sheet, (title, meaning) => {
            corrections.set(title, meaning);
            again();
          }),
        ]
      : null;
    const action =
      dryRun && !total.error && !total.stopped && total.totals.accepted > 0
        ? acting(t('transfer.go', { count: total.totals.accepted }), () => run(false), {
            kind: 'primary',
            id: 'import-go',
          })
        : null;
    // What is lost is said before the button.
    const [losing, ...replaced] = replacing(total, keepRest, () => {
      keepRest = !keepRest;
      return run(true);
    });
    put(
      report,
      losing,
      resultView(total, dryRun, chosen.name, action),
      replaced,
      total.refused.some((one) => one.faults.some((fault) => fault.id === CONFLICT))
        ? notice(
            'bad',
            h('p', {}, t('transfer.conflict')),
            acting(
              t('transfer.merge_rows'),
              () => {
                mergeRows = true;
                return run(true);
              },
              { id: 'import-merge' },
            ),
          )
        : null,
      dryRun || total.error ? columns : null,
    );
    const again = () => {
      const repeat = acting(t('transfer.again'), () => run(true), {
        kind: 'primary',
        id: 'import-again',
      });
      const focused = document.activeElement;
      put(
        report,
        h('h3', { tabindex: '-1' }, t('transfer.columns_changed')),
        columns.slice(2),
        h('div', { class: 'actions' }, repeat),
      );
      focused.focus();
    };
    if (dryRun && !total.error && corrections.size) remember(corrections);
    // Who imports has confirmed what was guessed.
    const confirmed = !dryRun && !total.error && !total.stopped && total.sheet;
    if (confirmed) remember(new Map(guessed(total.sheet.columns)));
    report.querySelector('h3')?.focus();
  }

  file.control.addEventListener('change', () => {
    put(report);
    file.fault();
    corrections = new Map();
    mergeRows = false;
    keepRest = false;
  });
  const section = h(
    'section',
    { 'aria-labelledby': 'import' },
    h('h2', { id: 'import' }, t('transfer.heading')),
    h('p', { class: 'soft' }, t('transfer.lead')),
    templates(),
    file.root,
    h('div', { class: 'actions' }, check),
    progress.root,
    report,
  );
  section.addEventListener('dragover', (event) => event.preventDefault());
  section.addEventListener('drop', (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    file.control.files = event.dataTransfer.files;
    file.control.dispatchEvent(new Event('change'));
  });
  return section;
}

function unusedAddresses(columns) {
  const unused = columns.filter((column) => column.hasUnusedAddresses);
  const names = unused
    .map(({ letters, title }) => `${letters} ${title}`)
    .join(t('common.list_comma'));
  return unused.length
    ? notice(
        'bad',
        h('p', {}, t('transfer.unused_addresses', { count: unused.length, columns: names })),
      )
    : null;
}

/** What existing records gain and lose, those that lose something first, with the choice to keep the rest. */
function replacing({ replaces, totals }, keepRest, choose) {
  const rows = replaces.map((one) => ({
    ...one,
    loses: differences(one.before, one.after).some((row) => row.before && !row.after),
  }));
  rows.sort((a, b) => b.loses - a.loses);
  const count = rows.filter((row) => row.loses).length;
  if (!rows.length) return [null];
  const choice = keepRest ? t('transfer.replace_whole') : t('transfer.keep_rest');
  return [
    count > 0 && notice('bad', h('p', { id: 'import-losing' }, t('transfer.losing', { count }))),
    h('h3', {}, t('transfer.replacing')),
    (keepRest || count > 0) &&
      h('div', { class: 'actions' }, acting(choice, choose, { id: 'import-keep' })),
    rows.slice(0, REPLACED_SHOWN).map((row) => {
      const key = keyOf(row);
      return h(
        'details',
        { open: row.loses && count <= 3, class: 'replaced' },
        h(
          'summary',
          {},
          row.before.itemDescription || keyInWords(key),
          ' ',
          h('span', { class: 'key' }, elementString(key)),
          row.loses && h('span', { class: 'tag bad' }, t('transfer.loses')),
        ),
        differenceTable(row.before, row.after),
      );
    }),
    totals.replaced > REPLACED_SHOWN &&
      h('p', { class: 'soft' }, t('common.and_more', { count: totals.replaced - REPLACED_SHOWN })),
  ];
}

// ---- sending -------------------------------------------------------------------------------------------------------

const NONE = {
  accepted: 0,
  created: 0,
  replaced: 0,
  unchanged: 0,
  proposed: 0,
  superseded: 0,
  refused: 0,
  warnings: 0,
};

/** Sends a file and gathers what is reported of it. */
async function send(chosen, options, progress) {
  const total = {
    totals: { ...NONE },
    refused: [],
    warned: [],
    superseded: [],
    replaces: [],
    proposals: 0,
    stored: 0,
    omitted: 0,
  };
  const stop = new AbortController();
  progress.begin(chosen.size, options.dryRun, () => stop.abort());
  try {
    const { data } = await get('/v1/configuration');
    if (chosen.size > data.maxImport)
      throw new Error(t('transfer.larger', { size: bytes(data.maxImport) }));
    const done = await upload(address(options), chosen, {
      signal: stop.signal,
      onSend: progress.sent,
      onEvent: (name, event) => {
        if (name === 'progress') {
          progress.worked(event);
          total.writing ||= event.phase === 'writing';
        } else if (name === 'sheet') total.sheet = event;
        else if (name === 'committed') total.stored = event.accepted;
        else if (name === 'proposed') total.proposals += 1;
        else total[name]?.push(event);
      },
    });
    Object.assign(total, done);
  } catch (error) {
    total.stopped = true;
    if (error.name !== 'AbortError') {
      total.error = errorText(error);
      total.hasReport = error instanceof Problem;
      if (error.body?.columns)
        total.sheet = { columns: error.body.columns, columnNames: error.body.columnNames };
    }
  }
  progress.end();
  return total;
}

function address({ dryRun, corrections, mergeRows, keepRest }) {
  const search = new URLSearchParams({ faults: FAULTS_KEPT });
  if (dryRun) search.set('dryRun', 'true');
  if (keepRest) search.set('keepRest', 'true');
  if (mergeRows) search.set('mergeRows', 'true');
  for (const [title, meaning] of corrections) search.append('column', `${title}=${meaning}`);
  for (const [title, meaning] of remembered()) {
    if (!corrections.has(title) && search.toString().length < QUERY_BYTES)
      search.append('remembered', `${title}=${meaning}`);
  }
  return `/v1/imports?${search}`;
}

/** The bar, with its rate and the time left, and the button that stops. */
function meter() {
  const bar = h('progress', {
    max: 1,
    value: 0,
    id: 'import-progress',
    'aria-label': t('transfer.progress'),
  });
  const stage = h('p', { role: 'status', id: 'import-said' });
  const rate = h('p', { class: 'soft', id: 'import-rate' });
  let stop;
  const running = h(
    'div',
    { hidden: true },
    h(
      'div',
      { class: 'running' },
      bar,
      button(t('transfer.stop'), () => stop?.(), { id: 'import-stop' }),
    ),
    rate,
  );
  let phase;
  let since;
  let size;
  let working;
  const show = (name, done, all, words) => {
    if (phase !== name) {
      phase = name;
      since = performance.now();
      put(stage, t('transfer.doing', { what: name }));
    }
    const seconds = (performance.now() - since) / 1000;
    bar.value = all ? done / all : 0;
    const left =
      seconds > 1 && done > 0 && all > done
        ? `, ${t('transfer.left', { time: duration((seconds * (all - done)) / done) })}`
        : '';
    put(rate, words(seconds > 0.5 ? done / seconds : 0), left);
  };
  return {
    root: h('div', {}, running, stage),
    begin: (total, dryRun, onStop) => {
      stop = onStop;
      size = total;
      working = dryRun ? t('transfer.checking') : t('transfer.writing');
      phase = undefined;
      running.hidden = false;
      show(dryRun ? t('transfer.sending_check') : t('transfer.sending'), 0, total, () => '');
    },
    sent: (sent) =>
      show(
        t('transfer.sending'),
        sent,
        size,
        (speed) =>
          `${t('transfer.sent_of', { sent: bytes(sent), size: bytes(size) })}${speed ? `, ${bytes(speed)}/s` : ''}`,
      ),
    worked: (event) =>
      event.phase === 'reading'
        ? show(t('transfer.reading'), event.bytes, event.total, () =>
            t('transfer.records_read', { count: event.records }),
          )
        : show(
            working,
            event.written,
            event.records,
            (speed) =>
              `${t('transfer.written_of', { written: event.written, count: event.records })}${speed ? `, ${number(Math.round(speed))}/s` : ''}`,
          ),
    end: () => {
      running.hidden = true;
      put(stage);
    },
  };
}

function bytes(count) {
  const unit = count >= 1e6 ? ['MB', 1e6] : count >= 1e3 ? ['kB', 1e3] : [t('common.bytes'), 1];
  return `${number(count / unit[1], { maximumFractionDigits: count < 1e7 ? 1 : 0 })} ${unit[0]}`;
}

function duration(seconds) {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
}

// ---- the report ----------------------------------------------------------------------------------------------------

const COUNTS = {
  created: t('transfer.created'),
  replaced: t('transfer.replaced'),
  unchanged: t('transfer.unchanged'),
  proposed: t('transfer.waiting'),
  superseded: t('transfer.superseded'),
  refused: t('transfer.refused'),
};

function title(total, dryRun) {
  if (total.error) return dryRun ? t('transfer.cannot_check') : t('transfer.ended_early');
  if (total.stopped) return t('transfer.stopped');
  if (!dryRun) return t('transfer.imported');
  return total.totals.refused ? t('transfer.some_refused') : t('transfer.all_valid');
}

/** What is left of an import that ended early; the transaction that was running is not reported. */
function left({ stored, writing }) {
  if (!writing) return ` ${t('transfer.nothing_changed')}`;
  return stored > 0
    ? ` ${t('transfer.stored_stay', { count: stored })}`
    : ` ${t('transfer.few_stored')}`;
}

function resultView(total, dryRun, name, action) {
  const counts = Object.entries(COUNTS).filter(([key]) => total.totals[key] > 0);
  const stays = !dryRun && total.stopped && !total.hasReport && left(total);
  const faults = total.refused.flatMap((one) =>
    one.faults.map((fault) => ({ ...fault, line: one.line, key: one.anchor })),
  );
  return [
    h('h3', { tabindex: '-1' }, title(total, dryRun)),
    h(
      'p',
      { class: 'soft' },
      dryRun && !total.error ? t('transfer.nothing_yet', { file: name }) : name,
    ),
    total.error
      ? notice('bad', h('p', {}, total.error, stays))
      : total.stopped && stays && h('p', {}, stays),
    dryRun && total.sheet?.columns && unusedAddresses(total.sheet.columns),
    h(
      'ul',
      { class: 'counts', id: 'import-counts' },
      counts.map(([key, word]) =>
        h('li', { class: key }, h('strong', {}, number(total.totals[key])), ` ${word}`),
      ),
    ),
    total.proposals > 0 &&
      h(
        'p',
        {},
        t('transfer.to_approve', { link: h('a', { href: '#/approvals' }, t('frame.approvals')) }),
      ),
    faults.length > 0 && [
      table(
        t('transfer.what_wrong'),
        [
          {
            title: total.sheet ? t('transfer.row') : t('transfer.line'),
            class: 'number',
            cell: (row) => String(row.line),
          },
          {
            title: total.sheet ? t('transfer.cell') : t('common.where'),
            cell: (row) => h('code', {}, cellOf(row.pointer)),
          },
          { title: t('transfer.what_wrong'), cell: (row) => foldedFault(row) },
          ...(faults.some((row) => row.key)
            ? [
                {
                  title: t('transfer.key'),
                  cell: (row) => (row.key ? h('code', {}, keyOf(row)) : ''),
                },
              ]
            : []),
        ],
        faults.slice(0, FAULTS_SHOWN),
        { id: 'import-faults' },
      ).root,
      faults.length > FAULTS_SHOWN &&
        h(
          'p',
          { class: 'soft' },
          t('transfer.more_refused', { count: faults.length - FAULTS_SHOWN }),
        ),
    ],
    h(
      'div',
      { class: 'actions' },
      action,
      undoButton(total.changeSet),
      total.refused.length > 0 &&
        button(
          total.sheet ? t('transfer.save_rows') : t('transfer.save_records'),
          () => save(total),
          { id: 'import-save' },
        ),
    ),
  ];
}

/** `C7` of `sheet "Products", cell C7`; other places as they are. */
const cellOf = (pointer) => /cell ([A-Z]+\d+)$/.exec(pointer)?.[1] ?? pointer ?? '';

/** Saves records that can be corrected and imported; of a spreadsheet a list of its rows, for the original is what to correct. */
function save(total) {
  if (!total.sheet) {
    download(
      'refused.jsonl',
      'application/jsonl',
      total.refused.filter((one) => one.text).map((one) => `${one.text}\n`),
    );
    return;
  }
  const rows = total.refused.flatMap((one) =>
    one.faults.map((fault) => [
      one.line,
      cellOf(fault.pointer),
      one.anchor ?? '',
      sentence(fault.detail),
    ]),
  );
  const lines = [
    [t('transfer.row'), t('transfer.cell'), t('transfer.key'), t('transfer.what_wrong')],
    ...rows,
  ].map((row) => `${row.map(cell).join(',')}\r\n`);
  download('refused-rows.csv', 'text/csv', ['\uFEFF', ...lines]);
}

/** A cell of CSV, which no program takes for a formula. */
function cell(value) {
  const text = String(value);
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
