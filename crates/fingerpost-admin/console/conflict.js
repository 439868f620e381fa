// Two people changed one record: shows what each did, and lets the second choose.
import { button, dialog, h, put, when } from './dom.js';
import { merge, merged } from './model.js';
import { who } from './words.js';

/** Gives {record} as chosen, or undefined. `theirs` is undefined when the other one deleted it. */
export function resolveConflict({ base, mine, theirs, by, at }) {
  const other = by ? who(by) : 'Somebody else';
  if (!theirs) return deleted(mine);
  const pieces = merge({ links: [], ...base }, mine, theirs);
  return dialog('Somebody else changed this record', (close) => {
    const choices = new Map();
    const open = pieces.filter((piece) => !piece.kept);
    for (const piece of open) if (piece.by !== 'clash') choices.set(piece, piece.by === 'theirs' ? 'theirs' : 'mine');
    const take = button('Put both together', () => close({ record: merged(mine.anchor, pieces, (piece) => choices.get(piece)) }), { kind: 'primary', id: 'merge' });
    const need = h('p', { class: 'soft', role: 'status' });
    const ready = () => {
      const left = open.filter((piece) => !choices.has(piece)).length;
      take.disabled = left > 0;
      put(need, left ? `Choose in ${left === 1 ? 'one place' : `${left} places`} where both of you changed the same.` : '');
    };
    ready();
    return [
      h('p', {}, h('strong', {}, other), ' saved another version ', at ? ['on ', when(at)] : 'meanwhile', '. This is what both of you changed since you opened it:'),
      h('div', { class: 'pieces' }, open.map((piece) => row(piece, other, choices, ready))), need,
      h('div', { class: 'actions' }, take,
        button('Keep only mine', () => close({ record: mine }), { id: 'keep-mine' }), button('Take only theirs', () => close({ record: theirs }), { id: 'take-theirs' }), button('Not now', () => close(), { kind: 'quiet', id: 'not-now' })),
    ];
  }, { wide: true, id: 'conflict' });
}

function row(piece, other, choices, ready) {
  const name = `piece-${choices.size}-${Math.random().toString(36).slice(2)}`;
  const option = (side, whose, text, base) => {
    const id = `${name}-${side}`;
    return h('div', { class: 'check' }, h('input', { type: 'radio', name, id, checked: choices.get(piece) === side, on: { change: () => { choices.set(piece, side); ready(); } } }),
      h('label', { for: id }, h('strong', {}, `${whose}: `), text === base ? [h('span', { class: 'soft' }, 'unchanged: '), text || 'nothing'] : text || h('span', { class: 'soft' }, 'removed or empty')));
  };
  if (piece.by === 'both') return h('fieldset', {}, h('legend', {}, piece.what), h('p', {}, 'Both of you changed it alike: ', piece.mineText || 'removed'));
  return h('fieldset', { class: piece.by === 'clash' ? 'clash' : '' }, h('legend', {}, piece.what), piece.base ? h('p', { class: 'soft' }, 'Before: ', piece.base) : null,
    option('mine', 'You', piece.mineText, piece.base), option('theirs', other, piece.theirsText, piece.base));
}

function deleted(mine) {
  return dialog('Somebody else deleted this record', (close) => [
    h('p', {}, 'While you were editing, the record was deleted. Your version is still here.'),
    h('div', { class: 'actions' }, button('Register it again with my version', () => close({ record: mine }), { kind: 'primary' }), button('Not now', () => close(), { kind: 'quiet' })),
  ], { id: 'conflict' });
}
