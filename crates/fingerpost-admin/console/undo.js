// Deletes and recalls records, ends recalls, and undoes each of these, an import or a bulk change as a whole.
import {
  acting,
  again,
  button,
  confirm,
  english,
  h,
  heading,
  notice,
  notify,
  put,
  table,
  when,
} from './dom.js';
import { all, api, faultText, get, post, query } from './api.js';
import { drop } from './drafts.js';
import { isRecalled, levelList } from './recall.js';
import { keyOf } from './server.js';
import { listed, number, t } from './texts.js';
import { elementString, keyInWords, parts, who } from './words.js';
import { byParts, refusedList, result } from './in-parts.js';
import { may } from './session.js';

/** The button that undoes a change set, beside the message that reports it; null without a set. */
export const undoButton = (set, done = again, text = t('undo.undo')) =>
  set && may('editor') ? acting(text, () => undo(set, done), { id: `undo-${set}` }) : null;

async function undo(set, done) {
  const path = `/v1/change-sets/${set}/undo?mode=`;
  let refused = [];
  let mode = 'atomic';
  try {
    refused = (await post(`${path}atomic&dryRun=true`)).data.items.filter((item) => item.code);
    if (refused.length) mode = 'each';
  } catch (error) {
    // Too much for one transaction.
    if (error.status !== 413) throw error;
    mode = 'each';
  }
  if (refused.length && !(await leaving(refused))) return;
  const { data } = await post(path + mode);
  const left = data.refused && ` ${t('undo.left', { count: data.refused })}`;
  notify([data.proposed ? t('undo.waits') : t('undo.done'), left || ''], {
    action: undoButton(data.changeSet, done),
  });
  done();
}

/** Asks whether the records that cannot be undone may stay as they are. */
const leaving = (refused) =>
  confirm(t('undo.rest'), h('div', {}, refusedList(refused.map(reason))), t('undo.others'));

const reason = (item) => ({
  key: keyOf(item),
  why:
    item.code === 'precondition-failed'
      ? t('problems.precondition-failed')
      : faultText(item.errors[0]),
});

const COUNTS = [
  ['created', t('transfer.created')],
  ['replaced', t('transfer.replaced')],
  ['deleted', t('undo.deleted')],
];

/** What a change set is: "Import: 12 new, 3 changed". */
function inWords(set) {
  const counts = COUNTS.filter(([name]) => set[name]).map(
    ([name, word]) => `${number(set[name])} ${word}`,
  );
  const isDeletion = set.kind === 'batch' && !set.created && !set.replaced;
  return `${t(`undo.${isDeletion ? 'deletion' : set.kind}`)}: ${listed(counts)}`;
}

/** `#/changes`: the change sets, the newest first. */
export async function changeSets() {
  const { changeSets: sets } = (await get('/v1/change-sets?limit=200')).data;
  return [
    heading(t('undo.heading')),
    h('p', { class: 'soft' }, t('undo.lead')),
    sets.length
      ? table(
          t('undo.heading'),
          [
            { title: t('common.what'), class: 'main', cell: inWords },
            { title: t('common.when'), cell: (set) => when(set.at) },
            { title: t('common.who'), cell: (set) => who(set.by) },
            {
              title: t('common.actions'),
              cell: (set) =>
                set.undoneBy ? h('span', { class: 'tag' }, t('undo.done')) : undoButton(set.id),
            },
          ],
          sets,
          { id: 'change-sets' },
        ).root
      : h('p', {}, t('common.none_yet')),
  ];
}

/** The way to undo all of a change set of which a state of a record is a part. */
export const partOf = (id) => {
  const place = h('span', {});
  get(`/v1/change-sets/${id}`)
    .then(({ data }) => {
      if (data.created + data.replaced + data.deleted > 1 && !data.undoneBy)
        place.append(undoButton(id, again, t('undo.whole', { what: inWords(data) })) ?? '');
    })
    .catch(() => {});
  return place;
};

/** Ends recalls after a question. Gives "ended" or "waits"; nothing if the answer was no. */
export async function endRecalls(keys, place = h('div', {})) {
  const count = keys.length;
  const verb = count > 1 ? t('recall.end_all') : t('recall.end');
  const question = count > 1 ? t('recall.end_all_question', { count }) : t('recall.end_question');
  if (!(await confirm(question, t('recall.end_lead'), verb, 'primary'))) return undefined;
  let set;
  let waits;
  await byParts(place, verb, keys, async (part) => {
    const body = { keys: part.map((key) => `/${key}`) };
    const { data, status } = await post(`/v1/recalls/end${query({ changeSet: set })}`, body);
    set = data.changeSet ?? set;
    waits ||= status === 202;
  });
  notify(waits ? t('recall.end_waits') : t('recall.ended'), { action: undoButton(set) });
  return waits ? 'waits' : 'ended';
}

/** `#/recalls`: what is recalled, since when and by whom. */
export async function recallBoard() {
  const recalls = await all('recalls');
  const place = h('div', {});
  const ending = (text, id, keys) =>
    acting(text, async () => (await endRecalls(keys, place)) && again(), { id });
  const columns = [
    {
      title: t('common.what'),
      class: 'main',
      cell: (one) => [...levelList(undefined, [one]).firstChild.childNodes],
    },
    { title: t('recall.since'), cell: (one) => when(one.since) },
    { title: t('common.who'), cell: (one) => (one.recalledBy ? who(one.recalledBy) : '') },
  ];
  if (may('editor'))
    columns.push({
      title: t('common.actions'),
      cell: (one) => ending(t('recall.end'), `end-${keyOf(one)}`, [keyOf(one)]),
    });
  return [
    heading(
      t('recall.board'),
      may('editor') &&
        recalls.length > 1 &&
        ending(t('recall.end_all'), 'end-all', recalls.map(keyOf)),
    ),
    place,
    recalls.length
      ? table(t('recall.board'), columns, recalls, { id: 'recalls' }).root
      : h('p', { id: 'no-recalls' }, t('recall.none')),
  ];
}

/** Records that the question before a deletion lists. */
const LISTED = 20;

/** Deletes the stored record of an editor, after a question. */
export async function deleteRecord(editor) {
  const { key, stored } = editor;
  // A product can be deleted only with its batches and items, which need its default link (RES-2.5.9-1).
  const under = parts(key).length === 1 ? await all('levels', { under: key }) : [];
  const below = under.filter((one) => keyOf(one) !== key);
  const recalled = [...below, stored].filter((one) => isRecalled(one.record));
  if (recalled.length > 0) {
    showRecalls(editor.top, recalled);
    return;
  }
  const listed = below
    .slice(0, LISTED)
    .map((one) =>
      h(
        'li',
        {},
        one.record?.itemDescription || keyInWords(keyOf(one)),
        ' ',
        h('span', { class: 'key' }, elementString(keyOf(one))),
      ),
    );
  const question = [
    t('record.delete_lead', { name: keyInWords(key) }),
    below.length > 0 &&
      h(
        'div',
        {},
        t('record.below'),
        h('ul', { id: 'below' }, listed),
        below.length > LISTED && `${t('common.and_more', { count: below.length - LISTED })}.`,
      ),
  ].filter(Boolean);
  if (
    !(await confirm(
      t('record.delete_question'),
      question,
      below.length > 0 ? t('record.delete_all', { count: below.length + 1 }) : t('common.delete'),
    ))
  )
    return;
  try {
    const { data, status } = await removeWith(key, stored, below);
    drop(editor.draftKey);
    notify(status === 202 ? t('record.deletion_waits') : t('common.deleted'), {
      action: undoButton(data.changeSet),
    });
    location.hash = '#/records';
  } catch (error) {
    if (error.errors?.some((fault) => fault.id === 'ifMatch'))
      notify(t('record.changed_meanwhile'), {
        kind: 'bad',
        action: button(t('common.show'), () => again()),
      });
    else
      editor.faults.show(
        error.errors?.length ? error.errors : [{ pointer: '', own: true, detail: error.message }],
        [],
      );
  }
}

/** Says which recalls have to end before a deletion. */
function showRecalls(top, recalled) {
  put(
    top,
    notice('bad', h('p', {}, t('record.delete_recalled')), levelList('running-recalls', recalled)),
  );
  top.scrollIntoView({ block: 'nearest' });
  top.querySelector('a').focus();
}

/** Deletes a record and those below it, all or none. */
function removeWith(key, stored, below) {
  const rows = [
    ...below.map((one) => ({ delete: `/${keyOf(one)}`, ifMatch: one.revision })),
    { delete: `/${key}`, ifMatch: stored.revision },
  ];
  return api('POST', '/v1/batch', {
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
    type: 'application/jsonl',
  });
}

/** Why a record is not deleted, by the code of the server. */
const REFUSED = {
  'precondition-failed': t('problems.precondition-failed'),
  'not-found': t('selection.gone'),
  forbidden: t('selection.forbidden'),
};

/** Deletes records after a question. `all` maps keys to revisions; `done` draws the list again. */
export async function removeAll(all, place, done) {
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
  let set;
  const refused = [];
  const { done: reached, stopped } = await byParts(
    place,
    t('selection.deleting'),
    rows,
    async (part) => {
      const body = part
        .map(([key, revision]) => JSON.stringify({ delete: `/${key}`, ifMatch: revision }))
        .join('\n');
      const { data } = await api('POST', `/v1/batch${query({ mode: 'each', changeSet: set })}`, {
        body,
        type: 'application/jsonl',
      });
      set = data.changeSet ?? set;
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
    undoButton(set, done),
  );
}

/** Recalls records in parts; each part is recalled as a whole, or not at all. */
export async function recallAll(keys, notices, place) {
  const total = { recalled: 0, proposed: false };
  const refused = [];
  const send = async (part) => {
    const body = { keys: part.map((key) => `/${key}`), notices };
    const { data, status } = await post(`/v1/recalls${query({ changeSet: total.set })}`, body);
    if (status === 202) total.proposed = true;
    total.set = data.changeSet ?? total.set;
    total.recalled += part.length;
  };
  await byParts(place, t('selection.recalling'), keys, async (part) => {
    try {
      await send(part);
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
      await send(rest);
    }
  });
  return { ...total, refused };
}
