// Builds the page. Everything that a person or a file wrote goes in as text; there is no way to hand markup to this module.
import { dateTime, t } from './texts.js';

const PROPERTIES = new Set([
  'value',
  'checked',
  'disabled',
  'hidden',
  'selected',
  'indeterminate',
  'open',
  'multiple',
  'required',
  'readOnly',
]);
const SVG = 'http://www.w3.org/2000/svg';

/** An element. `on: {click: f}` listens; other members are properties or attributes; children are nodes or text. */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An element of a drawing. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null) continue;
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === 'data') {
      Object.assign(node.dataset, value);
    } else if (PROPERTIES.has(name)) {
      // After the children of a <select>, or its value finds no option.
      if (!(node instanceof HTMLSelectElement && name === 'value')) node[name] = value;
    } else if (value === true) {
      node.setAttribute(name, '');
    } else if (value !== false) {
      node.setAttribute(name, String(value));
    }
  }
  append(node, children);
  if (node instanceof HTMLSelectElement && props?.value !== undefined) node.value = props.value;
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === '') continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** Replaces what a node holds. */
export function put(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

let numbers = 0;
export function unique(name) {
  numbers += 1;
  return `${name}-${numbers}`;
}

// ---- icons ---------------------------------------------------------------------------------------------------------

const ICONS = {
  menu: 'M3 6h18M3 12h18M3 18h18',
  records: 'M5 4h14v16H5zM9 9h6M9 13h6M9 17h3',
  phone:
    'M8 2.5h8a1.5 1.5 0 0 1 1.5 1.5v16a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 20V4A1.5 1.5 0 0 1 8 2.5zM11 18.5h2',
  transfer: 'M7 4v13M3.5 13.5 7 17l3.5-3.5M17 20V7M13.5 10.5 17 7l3.5 3.5',
  check: 'M4.5 12.5l5 5 10-11',
  key: 'M14.5 9.5a4.5 4.5 0 1 1-2-3.75A4.5 4.5 0 0 1 14.5 9.5zM14 11l7 7M18 15l-2 2',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.2 3.2 0 0 1 0 6M18 14.5c2.2.8 3.5 2.6 3.5 5.5',
  house: 'M4 20V8l8-5 8 5v12zM9.5 20v-6h5v6',
  log: 'M12 7v5l3 2M12 3a9 9 0 1 1-8.5 6M3 4v5h5',
  chart: 'M4 4v16h16M8 15l4-5 3 3 5-7',
  plus: 'M12 5v14M5 12h14',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  pencil: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20.5 20.5',
  warning: 'M12 3.5 22 20H2zM12 10v4.5M12 17v.5',
  clock: 'M12 7v5.5l3.5 2M12 3a9 9 0 1 0 .01 0z',
  arrow: 'M4 12h15M13 6l6 6-6 6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  close: 'M6 6l12 12M18 6 6 18',
};

export function icon(name) {
  return svg(
    'svg',
    {
      class: name === 'arrow' ? 'icon flip' : 'icon',
      viewBox: '0 0 24 24',
      width: 20,
      height: 20,
      'aria-hidden': 'true',
      focusable: 'false',
    },
    svg('path', {
      d: ICONS[name],
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': 1.8,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }),
  );
}

// ---- controls ------------------------------------------------------------------------------------------------------

/** A button. `kind`: undefined (plain), "primary", "quiet", "danger". */
export function button(
  text,
  action,
  {
    kind,
    icon: sign,
    id,
    label,
    type = 'button',
    disabled,
    name,
    describedby,
    expanded,
    controls,
  } = {},
) {
  return h(
    'button',
    {
      type,
      id,
      name,
      class: `button ${kind ?? ''}`,
      disabled,
      'aria-label': label,
      'aria-describedby': describedby,
      'aria-expanded': expanded === undefined ? undefined : String(expanded),
      'aria-controls': controls,
      on: action ? { click: action } : undefined,
    },
    sign && icon(sign),
    text && h('span', {}, text),
  );
}

/** A labelled control with a hint and a place for its faults. The control is any input, select or textarea. */
export function field({ label, hint, control, id, wide, optional, class: extra }) {
  const own = id ?? control.id ?? unique('field');
  control.id = own;
  const error = h('p', { id: `${own}-error`, class: 'error', hidden: true });
  const help = hint && h('p', { id: `${own}-hint`, class: 'hint' }, hint);
  const described = () =>
    [help && `${own}-hint`, !error.hidden && `${own}-error`].filter(Boolean).join(' ');
  const describe = () =>
    described()
      ? control.setAttribute('aria-describedby', described())
      : control.removeAttribute('aria-describedby');
  const root = h(
    'div',
    { class: `field ${wide ? 'wide' : ''} ${extra ?? ''}` },
    h(
      'label',
      { for: own },
      label,
      optional && h('span', { class: 'optional' }, ` ${t('common.optional')}`),
    ),
    help,
    control,
    error,
  );
  describe();
  return {
    root,
    control,
    error,
    /** Shows what is wrong (text or nodes), or nothing. */
    fault(...message) {
      const none = message.flat().every((part) => !part);
      error.hidden = none;
      put(error, none ? null : [icon('warning'), h('span', {}, ...message)]);
      if (none) control.removeAttribute('aria-invalid');
      else control.setAttribute('aria-invalid', 'true');
      describe();
    },
  };
}

export function input(props) {
  return h('input', {
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    ...props,
  });
}

export function select(props, options) {
  return h(
    'select',
    props,
    options.map((option) =>
      option.group
        ? h(
            'optgroup',
            { label: option.group },
            option.options.map(([value, text]) => h('option', { value }, text)),
          )
        : h('option', { value: option[0] }, option[1]),
    ),
  );
}

export function checkbox(label, props) {
  const id = props.id ?? unique('check');
  const box = h('input', { type: 'checkbox', ...props, id });
  return { root: h('div', { class: 'check' }, box, h('label', { for: id }, label)), control: box };
}

// ---- dialogs, notes, tables ----------------------------------------------------------------------------------------

/** A modal dialog; the browser keeps the focus in it and gives it back. Resolves to the value given to `close`. */
export function dialog(title, build, { wide, id, locked } = {}) {
  const before = document.activeElement;
  const heading = unique('dialog');
  return new Promise((resolve) => {
    let value;
    const close = (result) => {
      value = result;
      box.close();
    };
    const box = h('dialog', { class: wide ? 'wide' : '', 'aria-labelledby': heading, id });
    box.append(h('h2', { id: heading }, title));
    append(box, [build(close)]);
    box.addEventListener('cancel', (event) => {
      if (locked) event.preventDefault();
    });
    box.addEventListener('close', () => {
      box.remove();
      if (before && before.isConnected && document.activeElement === document.body) before.focus();
      resolve(value);
    });
    document.body.append(box);
    box.showModal();
  });
}

/** Asks before something that is hard to take back. */
export function confirm(title, text, verb, kind = 'danger') {
  return dialog(title, (close) => [
    [text].flat().map((part) => (part instanceof Node ? part : h('p', {}, part))),
    h(
      'div',
      { class: 'actions' },
      button(verb, () => close(true), { kind, id: 'confirm' }),
      button(t('common.cancel'), () => close(false), { kind: 'quiet' }),
    ),
  ]);
}

/** A short message at the foot of the page, read aloud by screen readers. */
export function notify(text, { kind = 'good', action } = {}) {
  const region = document.getElementById('status');
  const note = h(
    'div',
    { class: `toast ${kind}` },
    icon(kind === 'good' ? 'check' : 'warning'),
    h('p', {}, text),
    action,
  );
  note.shown = Date.now();
  put(region, note);
  const end = () => {
    if (note.isConnected && !note.contains(document.activeElement)) note.remove();
  };
  // Its time begins when somebody is there, so that who looked away still reads it.
  for (const event of ['pointermove', 'pointerdown', 'keydown'])
    addEventListener(event, () => setTimeout(end, action ? 12000 : 6000), { once: true });
}

/** Removes the message of an earlier view. One that came with the change of views stays. */
export function forgetMessages(began) {
  for (const note of [...document.getElementById('status').children])
    if (note.shown < began - 2000) note.remove();
}

export function notice(kind, ...children) {
  return h(
    'div',
    { class: `notice ${kind}` },
    kind === 'plain' ? null : icon(kind === 'good' ? 'check' : 'warning'),
    h('div', {}, ...children),
  );
}

/** A table that turns into cards on a phone. `columns`: [{title, cell(row), class}]. */
export function table(caption, columns, rows, { id } = {}) {
  const line = (row) =>
    h(
      'tr',
      { role: 'row', class: row.rowClass },
      columns.map((column, at) =>
        h(
          at === 0 ? 'th' : 'td',
          {
            role: at === 0 ? 'rowheader' : 'cell',
            scope: at === 0 ? 'row' : undefined,
            class: column.class,
            data: { label: column.title },
          },
          column.cell(row),
        ),
      ),
    );
  const body = h('tbody', { role: 'rowgroup' }, rows.map(line));
  const root = h(
    'table',
    { role: 'table', id },
    h('caption', { class: 'unseen' }, caption),
    h(
      'thead',
      { role: 'rowgroup' },
      h(
        'tr',
        { role: 'row' },
        columns.map((column) =>
          h('th', { role: 'columnheader', scope: 'col', class: column.class }, column.title),
        ),
      ),
    ),
    body,
  );
  return { root, add: (more) => body.append(...more.map(line)) };
}

/** What an error says: its message, and what the server said in English if that is not the same. */
export function errorText(error) {
  return error.english ? [error.message, ' ', english(error.english)] : error.message;
}

/** A text of the server that has no translation. */
export const english = (text) => h('span', { lang: 'en', dir: 'ltr', class: 'english' }, text);

/** Runs an action with the button busy; its error is shown by `notify` unless `onError` takes it. */
export async function busy(control, action, onError) {
  if (control.getAttribute('aria-busy') === 'true') return undefined;
  control.setAttribute('aria-busy', 'true');
  try {
    return await action();
  } catch (error) {
    if (error.name === 'AbortError') return undefined;
    if (!(onError && onError(error))) notify(errorText(error), { kind: 'bad' });
    return undefined;
  } finally {
    control.removeAttribute('aria-busy');
  }
}

/** A button that is busy while its action runs. */
export function acting(text, action, props) {
  const control = button(text, () => busy(control, action), props);
  return control;
}

/** An instant in the reader's own time zone; the exact one is its title. */
export function when(instant) {
  if (!instant) return h('span', { class: 'soft when' }, t('common.never'));
  const date = new Date(instant);
  const text = Number.isNaN(date.getTime()) ? String(instant) : dateTime(date);
  return h('time', { datetime: instant, title: instant }, text);
}

/** Renders the current view again. */
export const again = () => window.dispatchEvent(new HashChangeEvent('hashchange'));

/** Hands a text to the person as a file. */
export function download(name, type, parts) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  fetchFile(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 60000);
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

/** Has the browser save what is at an address, under its own name unless one is given. */
export function fetchFile(address, name = '') {
  const anchor = h('a', { href: address, download: name, hidden: true });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}

/** The heading of a view, which takes the focus when one gets there. */
export function heading(text, ...beside) {
  return h(
    'div',
    { class: 'heading' },
    h('h1', { tabindex: '-1' }, text),
    beside.length ? h('div', { class: 'beside' }, ...beside) : null,
  );
}
