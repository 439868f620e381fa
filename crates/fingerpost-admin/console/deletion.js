// Deletes a record, with those below it if there are any.
import { again, button, confirm, h, notice, notify, put } from './dom.js';
import { all, api, remove } from './api.js';
import { drop } from './drafts.js';
import { isRecalled, levelList } from './recall.js';
import { keyOf } from './server.js';
import { t } from './texts.js';
import { elementString, keyInWords, parts } from './words.js';

/** Records that the question before a deletion lists. */
const LISTED = 20;

/** Deletes the stored record of an editor, after a question. */
export async function deleteRecord(editor) {
  const { key, stored, etag } = editor;
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
    const { status } =
      below.length > 0
        ? await removeAll(key, stored, below)
        : await remove(`/v1/levels/${key}`, { etag });
    drop(editor.draftKey);
    notify(status === 202 ? t('record.deletion_waits') : t('common.deleted'));
    location.hash = '#/records';
  } catch (error) {
    if (error.status === 412)
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
function removeAll(key, stored, below) {
  const rows = [
    ...below.map((one) => ({ delete: `/${keyOf(one)}`, ifMatch: one.revision })),
    { delete: `/${key}`, ifMatch: stored.revision },
  ];
  return api('POST', '/v1/batch', {
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
    type: 'application/jsonl',
  });
}
