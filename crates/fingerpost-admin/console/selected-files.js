// Files of the selected records: exports, and sheets of labels.
import { again, get, Problem, query, token } from './api.js';
import { button, checkbox, dialog, download, field, h, input, notice, put, select } from './dom.js';
import { result } from './in-parts.js';
import { besideField, SYMBOLS } from './label.js';
import { bytes, t } from './texts.js';
import { isMany } from './words.js';

/** Saves the file that the server makes of keys, with a button that stops both. Returns whether it was saved. */
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

/** The parts of a file; `showProgress` gets the number of bytes so far. */
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

/** Saves the records of keys in a format that the user chooses. */
export async function exportAll(keys, place) {
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

/** Saves a sheet of labels of keys, with the layout that the user chooses. */
export async function labels(keys, place) {
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

/** The form for the layout of a sheet. `fewer` says whether some selected keys have no label. */
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
  const beside = besideField('sheet-beside', symbol.control);
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
      beside: beside.value(),
      paper: paper.control.value,
      width: width.control.value,
      height: height.control.value,
      text: text.control.checked,
    });
  };
  return h(
    'form',
    { on: { submit } },
    h('div', { class: 'grid' }, symbol.root, beside.root, paper.root, width.root, height.root),
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
