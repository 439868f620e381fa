// What to print on a package: the address of a record, its symbol as a file, and advice on size and address.
import { get, latest, query, sentence } from './api.js';
import { busy, button, checkbox, field, fetchFile, h, input, notice, put, select, tell } from './dom.js';

const SYMBOLS = [['qr', 'QR Code with the address'], ['datamatrix', 'Data Matrix with the address'], ['gs1-datamatrix', 'GS1 DataMatrix with the numbers']];
const FORMATS = [['svg', 'SVG for designers'], ['pdf', 'PDF for print'], ['png', 'PNG for label printers']];

/** The panel of a record, closed until somebody opens it. */
export function onThePackage(key) {
  const body = h('div', {});
  let drawn = false;
  return h('section', { 'aria-labelledby': 'package' }, h('h2', { id: 'package' }, 'On the package'),
    h('details', { on: { toggle: (event) => { if (event.target.open && !drawn) { drawn = true; panel(key, body); } } } }, h('summary', { id: 'package-open' }, 'Symbol to print, with its address'), body));
}

function panel(key, body) {
  const symbol = field({ label: 'Symbol', control: select({ id: 'package-symbol' }, SYMBOLS) });
  const width = field({ label: 'Width of a module in mm', hint: '0.396 to 0.99 for checkouts', control: input({ id: 'package-width', type: 'number', min: 0.1, max: 10, step: 'any', value: '0.495', inputmode: 'decimal' }) });
  const upper = checkbox('Host in upper case: the same address in a smaller QR Code', { id: 'package-upper' });
  const text = checkbox('Numbers below the symbol', { id: 'package-text', checked: true });
  const image = h('img', { id: 'package-image', class: 'printed' });
  const said = h('div', { id: 'package-said', role: 'status' });
  const content = h('div', {});
  const newest = latest();
  const asked = (format) => `/v1/label${query({ key, symbol: symbol.control.value, format, xDimension: width.control.value, text: text.control.checked, address: upper.control.checked && !upper.root.hidden ? 'upper-case' : '' })}`;
  const draw = async () => {
    upper.root.hidden = symbol.control.value !== 'qr';
    const isWide = width.control.checkValidity() && width.control.value;
    width.fault(isWide ? '' : 'Enter 0.1 to 10 mm.');
    if (!isWide) return;
    try {
      const { data } = await newest((signal) => get(asked('json'), { signal }));
      image.alt = `${SYMBOLS.find(([value]) => value === data.symbol)[1]}: ${data.content.replaceAll('\u001d', ' ')}`;
      image.src = asked('svg');
      image.hidden = false;
      put(content, address(data));
      put(said, advice(data));
    } catch (error) {
      if (error.name === 'AbortError') return;
      image.hidden = true;
      put(said, notice('bad', h('p', {}, error.message)));
    }
  };
  for (const control of [symbol.control, width.control, upper.control, text.control]) control.addEventListener('change', draw);
  const save = ([format, title]) => {
    // A sign-in that is due comes first, and what cannot be drawn is said here instead of in a file.
    const control = button(title, () => busy(control, async () => { await get(asked('json')); fetchFile(asked(format)); }), { id: `package-${format}` });
    return control;
  };
  put(body, content, h('div', { class: 'grid' }, symbol.root, width.root), upper.root, text.root, image, said, h('div', { class: 'actions' }, FORMATS.map(save)));
  draw();
}

function address({ content, symbol }) {
  if (symbol === 'gs1-datamatrix') return null;
  const copy = button('Copy', async () => {
    try { await navigator.clipboard.writeText(content); tell('Copied.'); } catch { tell('The browser does not allow copying. Select the address instead.', { kind: 'bad' }); }
  }, { icon: 'copy', kind: 'quiet', id: 'package-copy' });
  return h('div', { class: 'beside' }, h('code', { class: 'address', id: 'package-address' }, content), copy);
}

const millimetres = (number) => `${number.toLocaleString(undefined, { maximumFractionDigits: 1 })} mm`;

function advice(data) {
  const upper = data.shorter.find((one) => one.address === 'upper-case');
  const size = `${millimetres(data.symbolWidth)} wide with its quiet zone of ${millimetres(data.quietZone)}, which has to stay free. ${data.columns} × ${data.rows} modules.`;
  return [h('p', { class: 'soft' }, size, data.scanningDistance && ` A phone reads it from about ${Math.round(data.scanningDistance / 10)} cm, ten times its width as a rule of thumb.`),
    upper && h('p', { class: 'soft' }, `With the host in upper case it has ${upper.columns} × ${upper.columns} modules and is ${millimetres(upper.symbolWidth)} wide.`),
    data.warnings.map((one) => notice('bad', h('p', {}, `${sentence(one.detail)} ${sentence(one.hint)}`)))];
}
