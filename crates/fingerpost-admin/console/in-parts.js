// An action on many items: its progress, part by part, and its result.
import { button, h, notice, put, saveTable } from './dom.js';
import { t } from './texts.js';
import { elementString } from './words.js';

/** Items in one request, so that progress is seen and others can work between. */
const AT_ONCE = 500;

/** Refused items that a result lists; all of them are in the file. */
const LISTED = 20;

/** Calls `work` with parts of a list, with a progress bar and a button that stops after the current part. Returns how many items are done, and whether it was stopped. */
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

/** Lists what was refused and why: [{key, why}]. */
export const refusedList = (refused) => [
  h(
    'ul',
    { id: 'selected-refused' },
    refused
      .slice(0, LISTED)
      .map(({ key, why }) =>
        h('li', {}, h('span', { class: 'key' }, elementString(key)), ' ', why),
      ),
  ),
  refused.length > LISTED && h('p', {}, t('common.and_more', { count: refused.length - LISTED })),
];

/** Shows what was done, and what was refused and why. */
export function result(place, good, refused, undo) {
  const saved = () =>
    saveTable('refused.csv', [
      [t('transfer.key'), t('transfer.what_wrong')],
      ...refused.map(({ key, why }) => [`/${key}`, h('p', {}, why).textContent]),
    ]);
  const summary = notice(
    refused.length ? 'bad' : 'good',
    good.map((text) => h('p', {}, text)),
    undo && h('div', { class: 'actions' }, undo),
    refused.length > 0 && [
      h('p', {}, t('selection.refused', { count: refused.length })),
      refusedList(refused),
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
