// Two people changed one record: shows what each did, and lets the second choose.
import { button, dialog, h, put, when } from './dom.js';
import { merge, merged } from './model.js';
import { who } from './words.js';
import { t } from './texts.js';

/** Gives {record} as chosen, or undefined. `theirs` is undefined when the other one deleted it. */
export function resolveConflict({ base, mine, theirs, by, at }) {
  const other = by ? who(by) : t('conflict.somebody');
  if (!theirs) return deleted(mine);
  const pieces = merge({ links: [], ...base }, mine, theirs);
  return dialog(
    t('conflict.heading'),
    (close) => {
      const choices = new Map();
      const open = pieces.filter((piece) => !piece.kept);
      for (const piece of open)
        if (piece.by !== 'clash') choices.set(piece, piece.by === 'theirs' ? 'theirs' : 'mine');
      const take = button(
        t('conflict.merge'),
        () => close({ record: merged(mine.anchor, pieces, (piece) => choices.get(piece)) }),
        { kind: 'primary', id: 'merge' },
      );
      const need = h('p', { class: 'soft', role: 'status' });
      const ready = () => {
        const left = open.filter((piece) => !choices.has(piece)).length;
        take.disabled = left > 0;
        put(need, left ? t('conflict.choose', { count: left }) : '');
      };
      ready();
      return [
        h(
          'p',
          {},
          at
            ? t('conflict.lead', { name: h('strong', {}, other), time: when(at) })
            : t('conflict.lead_meanwhile', { name: h('strong', {}, other) }),
        ),
        h(
          'div',
          { class: 'pieces' },
          open.map((piece) => row(piece, other, choices, ready)),
        ),
        need,
        h(
          'div',
          { class: 'actions' },
          take,
          button(t('conflict.mine'), () => close({ record: mine }), { id: 'keep-mine' }),
          button(t('conflict.theirs'), () => close({ record: theirs }), { id: 'take-theirs' }),
          button(t('conflict.not_now'), () => close(), { kind: 'quiet', id: 'not-now' }),
        ),
      ];
    },
    { wide: true, id: 'conflict' },
  );
}

function row(piece, other, choices, ready) {
  const name = `piece-${choices.size}-${Math.random().toString(36).slice(2)}`;
  const option = (side, whose, text, base) => {
    const id = `${name}-${side}`;
    return h(
      'div',
      { class: 'check' },
      h('input', {
        type: 'radio',
        name,
        id,
        checked: choices.get(piece) === side,
        on: {
          change: () => {
            choices.set(piece, side);
            ready();
          },
        },
      }),
      h(
        'label',
        { for: id },
        h('strong', {}, `${whose}: `),
        text === base
          ? t('conflict.unchanged', { text: text || t('conflict.nothing') })
          : text || h('span', { class: 'soft' }, t('conflict.removed_or_empty')),
      ),
    );
  };
  if (piece.by === 'both')
    return h(
      'fieldset',
      {},
      h('legend', {}, piece.what),
      h('p', {}, t('conflict.alike', { text: piece.mineText || t('conflict.removed') })),
    );
  return h(
    'fieldset',
    { class: piece.by === 'clash' ? 'clash' : '' },
    h('legend', {}, piece.what),
    piece.base ? h('p', { class: 'soft' }, t('conflict.before', { text: piece.base })) : null,
    option('mine', t('conflict.you'), piece.mineText, piece.base),
    option('theirs', other, piece.theirsText, piece.base),
  );
}

function deleted(mine) {
  return dialog(
    t('conflict.deleted_heading'),
    (close) => [
      h('p', {}, t('conflict.deleted_lead')),
      h(
        'div',
        { class: 'actions' },
        button(t('conflict.register_again'), () => close({ record: mine }), { kind: 'primary' }),
        button(t('conflict.not_now'), () => close(), { kind: 'quiet' }),
      ),
    ],
    { id: 'conflict' },
  );
}
