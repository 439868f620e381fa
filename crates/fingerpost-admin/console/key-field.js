// The key of a new record: takes anything that names a thing, says at once what it is, and where it is wrong.
import { checkText, latest } from './api.js';
import { field, h, icon, input, put, errorText } from './dom.js';
import { check } from './server.js';
import {
  composed,
  identifierName,
  isMany,
  meaningText,
  parts,
  qualifiersOf,
  rangeInWords,
} from './words.js';
import { raw, t } from './texts.js';

const WAIT = 180;

/** The part of a text that a byte span means, as [before, inside, after]; an empty span shows the place. */
export function cut(text, span) {
  const bytes = new TextEncoder().encode(text);
  const read = (from, until) => new TextDecoder().decode(bytes.slice(from, until));
  const start = Math.min(span.start, bytes.length);
  const end = Math.min(Math.max(span.end, start), bytes.length);
  return [read(0, start), read(start, end), read(end)];
}

/** `changed()` is called whenever the key or the text is another one. */
export function keyField({ text = '', qualifiers = {}, changed }) {
  const control = input({
    id: 'key',
    name: 'key',
    value: text,
    class: 'mono',
    'aria-describedby': 'key-hint',
  });
  const main = field({
    label: t('record.key'),
    hint: t('record.key_hint'),
    control,
    id: 'key',
    wide: true,
  });
  const echo = h('p', { class: 'echo', id: 'key-fault', hidden: true });
  const found = h('div', { class: 'found', id: 'key-found', role: 'status' });
  const narrower = h(
    'details',
    {
      class: 'more',
      id: 'qualifiers',
      hidden: true,
      open: Object.values(qualifiers).some(Boolean),
    },
    h('summary', {}, t('record.qualifiers')),
    h(
      'p',
      { class: 'soft' },
      t('record.qualifiers_hint', {
        any: t('record.any_value'),
        range: rangeInWords('A100', 'A199'),
      }),
    ),
    h('div', { class: 'grid' }),
  );
  const only = latest();
  let state = { key: undefined };
  let boxes = {};
  let order = [];
  let bare;
  let timer;
  let settled = Promise.resolve();

  main.root.insertBefore(echo, main.error);

  const path = () => {
    const filled = order
      .map((ai) => [ai, boxes[ai].control.value.trim()])
      .filter(([, value]) => value);
    return bare && filled.length ? composed(bare, filled) : undefined;
  };

  function soon() {
    clearTimeout(timer);
    settled = new Promise((done) => {
      timer = setTimeout(() => look().catch(failed).finally(done), WAIT);
    });
  }

  /** Without an answer nothing is known about the number, so it is not called wrong. */
  function failed(error) {
    if (error.name === 'AbortError') return;
    state = { key: undefined, failure: error.message };
    control.classList.remove('right');
    put(found);
    main.fault(errorText(error));
    changed();
  }

  async function look() {
    const typed = control.value.trim();
    if (!typed) {
      bare = undefined;
      offer();
      return showResult({ key: undefined });
    }
    const first = await only((signal) => check(typed, signal));
    const single = first.valid && parts(first.key).length === 1 && !isMany(first.key);
    bare = single ? first.key : undefined;
    offer(first.valid ? first : undefined);
    const narrowed = path();
    if (!narrowed) return showResult(first, typed);
    const second = await only((signal) => check(narrowed, signal));
    return showResult(second, narrowed, true);
  }

  /** Shows fields for the qualifiers that the key may have. */
  function offer() {
    const ai = bare?.split('/')[0];
    const possible = qualifiersOf(ai);
    narrower.hidden = possible.length === 0;
    if (possible.join() === order.join()) return;
    const before = boxes;
    boxes = {};
    order = possible;
    for (const one of possible) {
      const box = input({
        id: `qualifier-${one}`,
        name: `qualifier-${one}`,
        value: before[one]?.control.value ?? qualifiers[one] ?? '',
      });
      box.addEventListener('input', soon);
      boxes[one] = field({ label: identifierName(one), hint: `AI (${one})`, control: box });
    }
    put(
      narrower.querySelector('.grid'),
      order.map((ai) => boxes[ai].root),
    );
  }

  function showResult(result, typed = '', composed = false) {
    state = result.valid ? result : { key: undefined, detail: result.detail };
    for (const box of Object.values(boxes)) box.fault();
    main.fault();
    echo.hidden = true;
    put(found);
    if (result.valid) {
      control.classList.add('right');
      const meanings = (result.parts ?? [])
        .map((part) => [part, meaningText(part.meaning)])
        .filter(([, meaning]) => meaning);
      const { gtin } = result;
      const known = [gtin && meaningText(gtin.meaning), gtin?.medicine].filter(Boolean);
      put(
        found,
        gtin?.restricted &&
          h(
            'p',
            { class: 'error', id: 'restricted' },
            icon('warning'),
            h('span', {}, t('record.restricted')),
          ),
        known.length > 0 && h('p', { class: 'soft', id: 'gtin-meaning' }, known.join(' · ')),
        result.writable === false &&
          h(
            'p',
            { class: 'error', id: 'not-yours' },
            icon('warning'),
            h('span', {}, t('record.not_yours')),
          ),
        meanings.map(([part, meaning]) =>
          h(
            'p',
            { class: 'soft meaning', data: { ai: part.ai } },
            `${raw('identifiers', part.ai) ?? part.title} (${part.ai}): `,
            h('strong', {}, meaning),
          ),
        ),
        h(
          'p',
          { class: 'good' },
          icon('check'),
          h(
            'span',
            {},
            parts(result.key).map(([ai, value], at) => [
              at > 0 && ' · ',
              h(at === 0 ? 'strong' : 'span', {}, `${identifierName(ai)} `),
              h('code', {}, value),
            ]),
          ),
        ),
      );
    } else {
      control.classList.remove('right');
      if (typed) complain(result, typed, composed);
    }
    changed();
    return undefined;
  }

  function complain(result, typed, composed) {
    const message = [checkText(result)].flat();
    const box = composed && boxes[result.ai ?? /\((\d{2,4})\)/.exec(result.detail)?.[1]];
    if (box) {
      box.fault(...message);
      narrower.open = true;
      return;
    }
    main.fault(...message);
    if (!result.span || composed) return;
    const [before, inside, after] = cut(typed, result.span);
    echo.hidden = false;
    put(
      echo,
      h('span', { class: 'unseen' }, `${t('record.fault_marked')} `),
      before,
      h('mark', { class: inside ? '' : 'gap' }, inside || '\u00a0'),
      after,
    );
  }

  control.addEventListener('input', soon);
  control.addEventListener('change', soon);
  const root = h('div', { class: 'key-field wide' }, main.root, found, narrower);
  if (text) soon();
  return {
    root,
    control,
    fault: main.fault,
    key: () => state.key && String(state.key).replace(/^\//, ''),
    text: () => control.value,
    qualifiers: () =>
      Object.fromEntries(Object.entries(boxes).map(([ai, box]) => [ai, box.control.value.trim()])),
    /** Resolves when the last check is through; one that got no answer is repeated. */
    settled: async () => {
      await settled;
      if (state.failure) {
        soon();
        await settled;
      }
    },
    failure: () => state.failure,
  };
}
