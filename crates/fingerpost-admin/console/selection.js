// What is selected in a list, and what is done with all of it. Of records: delete, recall, labels, export.
import { again, api, faultText, get, post, Problem, query, token } from './api.js';
import {
  button,
  checkbox,
  confirm,
  dialog,
  download,
  english,
  field,
  h,
  input,
  notice,
  put,
  errorText,
  select,
} from './dom.js';
import { SYMBOLS } from './label.js';
import { mayIn, rights } from './session.js';
import { keyOf } from './server.js';
import { bytes, t } from './texts.js';
import { elementString, isMany } from './words.js';

/** Most records of one action. */
export const MOST = 10000;

/** Records in one request, so that progress is seen and others can work between. */
const AT_ONCE = 500;

/** Refused records that a result lists; all of them are in the file. */
const LISTED = 20;

/** What is selected in a list whose boxes have `data-key`: a map of keys to revisions, a box for all that are shown, and a bar with actions. */
export class Chosen {
  constructor(results, acts, chosen = new Map()) {
    this.results = results;
    this.chosen = chosen;
    this.chosenText = h('strong', { id: 'selected', role: 'status' });
    this.bar = h(
      'div',
      {
        class: 'foot selected',
        id: 'selected-bar',
        hidden: true,
        role: 'group',
        'aria-label': t('selection.what'),
      },
      this.chosenText,
      acts,
      button(t('selection.clear'), () => this.clear(), { id: 'select-none', kind: 'quiet' }),
    );
    this.all = checkbox(t('selection.all_shown'), { id: 'select-shown' });
    this.all.control.addEventListener('change', () =>
      this.choose(this.boxes(), this.all.control.checked),
    );
    results.addEventListener('change', (event) => {
      if (event.target.dataset.key) this.choose([event.target], event.target.checked);
    });
  }

  /** A box for an item. */
  box(key, label, revision) {
    return h('input', {
      type: 'checkbox',
      'aria-label': label,
      checked: this.chosen.has(String(key)),
      data: { key, revision },
    });
  }

  boxes() {
    return [...this.results.querySelectorAll('input[data-key]')];
  }

  choose(boxes, yes) {
    for (const box of boxes) {
      box.checked = yes;
      if (yes) this.chosen.set(box.dataset.key, Number(box.dataset.revision));
      else this.chosen.delete(box.dataset.key);
    }
    this.chose();
  }

  clear() {
    this.chosen.clear();
    for (const box of this.boxes()) box.checked = false;
    this.chose();
  }

  chose() {
    this.draw();
  }

  draw() {
    const boxes = this.boxes();
    const count = boxes.filter((box) => box.checked).length;
    this.all.root.hidden = boxes.length === 0;
    this.all.control.checked = boxes.length > 0 && count === boxes.length;
    this.all.control.indeterminate = count > 0 && count < boxes.length;
    this.bar.hidden = this.chosen.size === 0;
    put(this.chosenText, t('selection.count', { count: this.chosen.size }));
  }
}

/** Saves a table as a file for spreadsheets. */
export function saveTable(name, rows) {
  download(name, 'text/csv', [
    '\uFEFF',
    ...rows.map(
      (row) =>
        `${row
          .map(
            (cell) =>
              `"${String(cell ?? '')
                .replace(/^[=+\-@\t\r]/, "'$&")
                .replaceAll('"', '""')}"`,
          )
          .join()}\r\n`,
    ),
  ]);
}

/** The actions on a selection of records, as buttons. `keys` gives what is selected, as Map of keys to revisions; `done` draws the list again. */
export function actions(keys, place, done) {
  const editor = rights().some((right) => mayIn(right, 'editor'));
  const run = (control, work) => async () => {
    if (control.getAttribute('aria-busy') === 'true') return;
    control.setAttribute('aria-busy', 'true');
    try {
      await work(keys());
    } catch (error) {
      if (error.name !== 'AbortError') put(place, notice('bad', h('p', {}, errorText(error))));
    } finally {
      control.removeAttribute('aria-busy');
    }
  };
  const make = (text, id, sign, work, kind) => {
    const control = button(text, undefined, { id, icon: sign, kind });
    control.addEventListener('click', run(control, work));
    return control;
  };
  return [
    make(t('export.heading'), 'selected-export', 'transfer', (all) =>
      exportAll([...all.keys()], place),
    ),
    make(t('selection.labels'), 'selected-labels', 'copy', (all) => labels([...all.keys()], place)),
    editor &&
      make(t('recall.recall'), 'selected-recall', 'warning', (all) => {
        keep([...all.keys()]);
        location.hash = '#/recall/selection';
      }),
    editor &&
      make(t('common.delete'), 'selected-delete', 'bin', (all) => removeAll(all, place, done)),
  ];
}

// ---- what a recall is about, while one goes there and when the page is loaded again ------------------------------------

const KEPT = 'selection';
function keep(keys) {
  sessionStorage.setItem(KEPT, JSON.stringify(keys));
}
export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? '[]');
  } catch {
    return [];
  }
}

// ---- progress and results ----------------------------------------------------------------------------------------------

/** Does something with parts of a list, with a bar and a button that stops after the present part. Gives whether all was done. */
export async function byParts(place, title, all, work, size = AT_ONCE) {
  const bar = h('progress', { max: all.length, value: 0, 'aria-label': title });
  const line = h('p', { role: 'status' });
  let stopped = false;
  const stop = button(
    t('transfer.stop'),
    () => {
      stopped = true;
      stop.disabled = true;
    },
    { id: 'selected-stop' },
  );
  const showProgress = (done) => {
    bar.value = done;
    put(line, t('selection.progress', { what: title, done, count: all.length }));
  };
  put(place, notice('plain', h('div', { class: 'running' }, bar, stop), line));
  place.scrollIntoView({ block: 'nearest' });
  for (let at = 0; at < all.length; at += size) {
    showProgress(at);
    if (stopped) return { done: at, stopped };
    await work(all.slice(at, at + size), at);
  }
  return { done: all.length, stopped: false };
}

/** What happened, with what was refused and why. `refused`: [{key, why}]. */
export function result(place, good, refused) {
  const lines = refused
    .slice(0, LISTED)
    .map(({ key, why }) => h('li', {}, h('span', { class: 'key' }, elementString(key)), ' ', why));
  const saved = () =>
    saveTable('refused.csv', [
      [t('transfer.key'), t('transfer.what_wrong')],
      ...refused.map(({ key, why }) => [`/${key}`, h('p', {}, why).textContent]),
    ]);
  const summary = notice(
    refused.length ? 'bad' : 'good',
    good.map((text) => h('p', {}, text)),
    refused.length > 0 && [
      h('p', {}, t('selection.refused', { count: refused.length })),
      h('ul', { id: 'selected-refused' }, lines),
      refused.length > LISTED &&
        h('p', {}, t('common.and_more', { count: refused.length - LISTED })),
      h(
        'div',
        { class: 'actions' },
        button(t('selection.save_list'), saved, { id: 'save-refused' }),
      ),
    ],
  );
  summary.id = 'selected-result';
  summary.tabIndex = -1;
  put(place, summary);
  summary.focus();
}

// ---- the actions -------------------------------------------------------------------------------------------------------

async function removeAll(all, place, done) {
  const count = all.size;
  if (
    !(await confirm(
      t('selection.delete_question', { count }),
      [t('selection.delete_lead'), t('selection.delete_products')],
      t('selection.delete', { count }),
    ))
  )
    return;
  // Batches and items come before their product, which cannot be deleted while it has some.
  const rows = [...all].sort(([a], [b]) => (a < b ? 1 : -1));
  const total = { deleted: 0, proposed: 0 };
  const refused = [];
  const { done: reached, stopped } = await byParts(
    place,
    t('selection.deleting'),
    rows,
    async (part) => {
      const body = part
        .map(([key, revision]) => JSON.stringify({ delete: `/${key}`, ifMatch: revision }))
        .join('\n');
      const { data } = await api('POST', '/v1/batch?mode=each', {
        body,
        type: 'application/jsonl',
      });
      total.deleted += data.deleted;
      total.proposed += data.proposed;
      for (const item of data.items)
        if (item.code)
          refused.push({
            key: item.key ? keyOf(item) : part[item.line - 1][0],
            why:
              REFUSED[item.code] ??
              (item.errors?.[0] ? faultText(item.errors[0]) : english(item.code)),
          });
    },
  );
  await done();
  result(
    place,
    [
      total.deleted > 0 && t('selection.deleted', { count: total.deleted }),
      total.proposed > 0 && t('selection.deletion_waits', { count: total.proposed }),
      stopped && t('selection.stopped', { count: reached }),
      total.deleted + total.proposed === 0 && t('selection.nothing_deleted'),
    ].filter(Boolean),
    refused,
  );
}

const REFUSED = {
  'precondition-failed': t('problems.precondition-failed'),
  'not-found': t('selection.gone'),
  forbidden: t('selection.forbidden'),
};

/** Saves a file that is made of what is posted, with a button that stops it; the server ends its work too. Gives whether it was saved. */
async function posted(path, keys, name, place, title) {
  const control = new AbortController();
  const line = h('p', { role: 'status' }, `${title} …`);
  put(
    place,
    notice(
      'plain',
      h(
        'div',
        { class: 'running' },
        h('progress', { 'aria-label': title }),
        button(t('transfer.stop'), () => control.abort(), { id: 'selected-stop' }),
      ),
      line,
    ),
  );
  place.scrollIntoView({ block: 'nearest' });
  try {
    const { type, parts } = await received(path, keys, control.signal, (count) =>
      put(line, `${title}: ${bytes(count)}`),
    );
    put(place);
    download(name, type, parts);
    return true;
  } catch (error) {
    put(
      place,
      control.signal.aborted && notice('plain', h('p', { role: 'status' }, t('transfer.stopped'))),
    );
    if (control.signal.aborted) return false;
    throw error;
  }
}

/** The parts of a file; `showProgress` is told how many bytes came so far. */
async function received(path, keys, signal, showProgress) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(path, {
      method: 'POST',
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
      headers: { 'content-type': 'application/json', 'x-csrf-token': token() ?? '' },
      body: JSON.stringify({ keys: keys.map((key) => `/${key}`) }),
    });
    if (response.ok) {
      const parts = [];
      const reader = response.body.getReader();
      let count = 0;
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        showProgress((count += part.value.length));
      }
      return { type: response.headers.get('content-type'), parts };
    }
    const problem = new Problem(
      response.status,
      await response.json().catch(() => ({})),
      response.headers,
    );
    if (attempt > 1 || !(await again(problem))) throw problem;
  }
}

async function exportAll(keys, place) {
  const format = await dialog(t('selection.export', { count: keys.length }), (close) => {
    const layout = field({
      label: t('export.layout'),
      control: select({ id: 'selected-format' }, [
        ['xlsx', t('export.workbook')],
        ['csv', 'CSV'],
        ['jsonl', 'JSON Lines'],
        ['json', 'JSON'],
      ]),
    });
    return [
      layout.root,
      h(
        'div',
        { class: 'actions' },
        button(t('export.heading'), () => close(layout.control.value), {
          kind: 'primary',
          id: 'confirm',
        }),
        button(t('common.cancel'), () => close(), { kind: 'quiet' }),
      ),
    ];
  });
  if (!format) return;
  if (
    await posted(
      `/v1/export${query({ format })}`,
      keys,
      `fingerpost.${format}`,
      place,
      t('export.heading'),
    )
  )
    result(place, [t('selection.exported', { count: keys.length })], []);
}

async function labels(keys, place) {
  const printed = keys.filter((key) => !isMany(key));
  if (printed.length === 0) {
    put(place, notice('bad', h('p', {}, t('selection.no_labels'))));
    return;
  }
  const chosen = await dialog(
    t('selection.sheet', { count: printed.length }),
    (close) => sheet(printed.length < keys.length, close),
    { id: 'sheet' },
  );
  if (!chosen) return;
  if (
    await posted(
      `/v1/label/sheet${query(chosen)}`,
      printed,
      'labels.pdf',
      place,
      t('selection.labels'),
    )
  )
    result(place, [t('selection.labels_saved', { count: printed.length })], []);
}

function sheet(fewer, close) {
  const side = (id, label, value) =>
    field({
      label,
      control: input({
        id,
        type: 'number',
        min: 5,
        max: 300,
        step: 'any',
        value,
        inputmode: 'decimal',
        required: true,
      }),
    });
  const symbol = field({
    label: t('label.symbol'),
    control: select({ id: 'sheet-symbol' }, SYMBOLS),
  });
  const paper = field({
    label: t('selection.paper'),
    control: select({ id: 'sheet-paper' }, [
      ['a4', 'A4'],
      ['letter', t('selection.letter')],
    ]),
  });
  const width = side('sheet-width', t('selection.width'), '63.5');
  const height = side('sheet-height', t('selection.height'), '38.1');
  const text = checkbox(t('label.numbers'), { id: 'sheet-text', checked: true });
  const root = h('div', { id: 'sheet-root' });
  get('/v1/configuration')
    .then(({ data }) => {
      if (data.resolverRootIsDefault)
        put(root, notice('bad', h('p', {}, t('selection.default_root'))));
    })
    .catch(() => {});
  const submit = (event) => {
    event.preventDefault();
    close({
      symbol: symbol.control.value,
      paper: paper.control.value,
      width: width.control.value,
      height: height.control.value,
      text: text.control.checked,
    });
  };
  return h(
    'form',
    { on: { submit } },
    h('div', { class: 'grid' }, symbol.root, paper.root, width.root, height.root),
    text.root,
    fewer && h('p', { class: 'soft' }, t('selection.left_out')),
    root,
    h(
      'div',
      { class: 'actions' },
      button(t('selection.save_pdf'), undefined, {
        kind: 'primary',
        type: 'submit',
        id: 'confirm',
      }),
      button(t('common.cancel'), () => close(), { kind: 'quiet' }),
    ),
  );
}

/** Recalls all levels by parts. `post`ed in one request each: a part is recalled as a whole, or not at all. */
export async function recallAll(keys, notices, place) {
  const total = { recalled: 0, proposed: false };
  const refused = [];
  await byParts(place, t('selection.recalling'), keys, async (part) => {
    try {
      const { status } = await post('/v1/recalls', { keys: part.map((key) => `/${key}`), notices });
      if (status === 202) total.proposed = true;
      total.recalled += part.length;
    } catch (error) {
      if (!error.errors?.length) throw error;
      const named = new Map(
        error.errors.map((one) => [
          Number(/^\/(\d+)/.exec(one.pointer ?? '')?.[1] ?? 0) - 1,
          faultText(one),
        ]),
      );
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
