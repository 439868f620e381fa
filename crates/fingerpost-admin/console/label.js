// What to print on a package: the address of a record, its symbol as a file, and advice on size and address.
import { get, latest, query, sentence } from './api.js';
import {
  acting,
  button,
  checkbox,
  english,
  fetchFile,
  field,
  h,
  input,
  notice,
  put,
  errorText,
  select,
  notify,
} from './dom.js';
import { number, t } from './texts.js';

/** The symbols that a package can have. */
export const SYMBOLS = [
  ['qr', t('label.qr')],
  ['datamatrix', t('label.datamatrix')],
  ['gs1-datamatrix', t('label.gs1_datamatrix')],
  ['ean-13', 'EAN-13'],
  ['ean-8', 'EAN-8'],
  ['upc-a', 'UPC-A'],
  ['itf-14', 'ITF-14'],
  ['gs1-128', 'GS1-128'],
];
/** How many of them have two dimensions; the others can be beside one of these. */
const MATRIX = 3;
/** Widths of a module in mm: the least, the usual and the greatest. */
const WIDTHS = {
  matrix: [0.396, 0.495, 0.99],
  ean: [0.264, 0.33, 0.66],
  carton: [0.495, 0.495, 1.016],
};
const isMatrix = (symbol) => SYMBOLS.findIndex(([value]) => value === symbol) < MATRIX;
const widths = (symbol) => {
  if (isMatrix(symbol)) return WIDTHS.matrix;
  return symbol === 'itf-14' || symbol === 'gs1-128' ? WIDTHS.carton : WIDTHS.ean;
};

/** The field for a symbol beside another one, which is hidden beside a linear symbol. */
export function besideField(id, symbol) {
  const beside = field({
    label: t('label.beside'),
    control: select({ id }, [['', t('label.alone')], ...SYMBOLS.slice(MATRIX)]),
  });
  symbol.addEventListener('change', () => {
    beside.root.hidden = !isMatrix(symbol.value);
  });
  return {
    root: beside.root,
    control: beside.control,
    value: () => (beside.root.hidden ? '' : beside.control.value),
  };
}
/** Dots per inch of a PNG: those of label printers, and of offices. */
const RESOLUTIONS = [203, 300, 600, 1200];
const FORMATS = [
  ['svg', t('label.svg')],
  ['pdf', t('label.pdf')],
  ['png', t('label.png')],
];

/** The panel of a record, closed until somebody opens it. */
export function onThePackage(key) {
  const body = h('div', {});
  let drawn = false;
  return h(
    'section',
    { 'aria-labelledby': 'package' },
    h('h2', { id: 'package' }, t('label.heading')),
    h(
      'details',
      {
        on: {
          toggle: (event) => {
            if (event.target.open && !drawn) {
              drawn = true;
              panel(key, body);
            }
          },
        },
      },
      h('summary', { id: 'package-open' }, t('label.open')),
      body,
    ),
  );
}

function panel(key, body) {
  const symbol = field({
    label: t('label.symbol'),
    control: select({ id: 'package-symbol' }, SYMBOLS),
  });
  const beside = besideField('package-beside', symbol.control);
  const hint = h('span', {});
  const width = field({
    label: t('label.width'),
    hint,
    control: input({
      id: 'package-width',
      type: 'number',
      min: 0.1,
      max: 10,
      step: 'any',
      inputmode: 'decimal',
    }),
  });
  const usual = () => {
    const [least, target, greatest] = widths(symbol.control.value);
    put(hint, t('label.width_hint', { least: number(least), greatest: number(greatest) }));
    width.control.value = target;
  };
  usual();
  symbol.control.addEventListener('change', usual);
  const dots = field({
    label: t('label.resolution'),
    hint: t('label.resolution_hint'),
    control: select(
      { id: 'package-dpi', value: '300' },
      RESOLUTIONS.map((dpi) => [String(dpi), t('label.dpi', { number: dpi })]),
    ),
  });
  // Only a lot or an item expires.
  const expiry =
    /\/(10|21)\//.test(`/${key}`) &&
    field({
      label: t('label.expiry'),
      hint: t('label.expiry_hint'),
      control: input({ id: 'package-expiry', type: 'date' }),
      optional: true,
    });
  const upper = checkbox(t('label.upper'), { id: 'package-upper' });
  const text = checkbox(t('label.numbers'), { id: 'package-text', checked: true });
  const image = h('img', { id: 'package-image', class: 'printed' });
  const advised = h('div', { id: 'package-said', role: 'status' });
  const content = h('div', {});
  const newest = latest();
  const asked = (format) =>
    `/v1/label${query({ key, symbol: symbol.control.value, beside: beside.value(), format, xDimension: width.control.value, text: text.control.checked, expiry: expiry ? expiry.control.value : '', address: upper.control.checked && !upper.root.hidden ? 'upper-case' : '' })}`;
  const draw = async () => {
    upper.root.hidden = symbol.control.value !== 'qr';
    const isWide = width.control.checkValidity() && width.control.value;
    width.fault(isWide ? '' : t('label.range'));
    if (!isWide) return;
    try {
      const { data } = await newest((signal) => get(asked('json'), { signal }));
      image.alt = `${[data.symbol, data.beside]
        .filter(Boolean)
        .map((drawn) => SYMBOLS.find(([value]) => value === drawn)[1])
        .join(', ')}: ${data.content.replaceAll('\u001d', ' ')}`;
      image.src = asked('svg');
      image.hidden = false;
      put(content, address(data));
      put(advised, advice(data));
    } catch (error) {
      if (error.name === 'AbortError') return;
      image.hidden = true;
      put(advised, notice('bad', h('p', {}, errorText(error))));
    }
  };
  for (const control of [
    symbol.control,
    beside.control,
    width.control,
    upper.control,
    text.control,
    expiry && expiry.control,
  ].filter(Boolean))
    control.addEventListener('change', draw);
  const save = ([format, title]) => {
    // A sign-in that is due comes first, and what cannot be drawn is said here instead of in a file.
    const control = acting(
      title,
      async () => {
        await get(asked('json'));
        fetchFile(`${asked(format)}${format === 'png' ? `&dpi=${dots.control.value}` : ''}`);
      },
      { id: `package-${format}` },
    );
    return control;
  };
  put(
    body,
    content,
    h(
      'div',
      { class: 'grid' },
      symbol.root,
      beside.root,
      width.root,
      dots.root,
      expiry && expiry.root,
    ),
    upper.root,
    text.root,
    image,
    advised,
    h('div', { class: 'actions' }, FORMATS.map(save)),
  );
  draw();
}

function address({ content, symbol }) {
  if (symbol !== 'qr' && symbol !== 'datamatrix') return null;
  const copy = button(
    t('common.copy'),
    async () => {
      try {
        await navigator.clipboard.writeText(content);
        notify(t('common.copied'));
      } catch {
        notify(t('common.no_copying'), { kind: 'bad' });
      }
    },
    { icon: 'copy', kind: 'quiet', id: 'package-copy' },
  );
  return h(
    'div',
    { class: 'beside' },
    h('code', { class: 'address', id: 'package-address' }, content),
    copy,
  );
}

const millimetres = (length) =>
  t('label.millimetres', { length: number(length, { maximumFractionDigits: 1 }) });

function advice(data) {
  const upper = data.shorter.find((one) => one.address === 'upper-case');
  const size = t(isMatrix(data.symbol) ? 'label.size' : 'label.size_linear', {
    width: millimetres(data.symbolWidth),
    height: millimetres(data.symbolHeight),
    zone: millimetres(data.quietZone),
    columns: data.columns,
    rows: data.rows,
  });
  return [
    h(
      'p',
      { class: 'soft' },
      size,
      data.scanningDistance && [
        ' ',
        t('label.distance', { distance: Math.round(data.scanningDistance / 10) }),
      ],
    ),
    upper &&
      h(
        'p',
        { class: 'soft' },
        t('label.upper_size', { modules: upper.columns, width: millimetres(upper.symbolWidth) }),
      ),
    data.warnings.map((one) =>
      notice('bad', h('p', {}, english(`${sentence(one.detail)} ${sentence(one.hint)}`))),
    ),
  ];
}
