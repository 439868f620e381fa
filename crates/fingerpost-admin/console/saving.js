// Saves the record of an editor, or checks it on the server.
import { replaced } from './approvals.js';
import { api } from './api.js';
import { again, busy, h, notice, notify, put } from './dom.js';
import { resolveConflict } from './conflict.js';
import { drop, keep } from './drafts.js';
import { remarks } from './faults.js';
import { fromRecord } from './model.js';
import { level } from './server.js';
import { t } from './texts.js';
import { isVariant } from './words.js';

/** Saves the record of an editor, or only checks it. */
export function save(editor, dryRun = false) {
  return busy(dryRun ? editor.checkButton : editor.saveButton, async () => {
    editor.faults.clear();
    await editor.keyField?.settled();
    const key = editor.anchor();
    if (!key) {
      editor.faults.show(
        [
          {
            pointer: '/anchor',
            own: true,
            detail:
              editor.keyField.failure() ??
              (editor.keyField.text().trim() ? t('record.key_invalid') : t('record.key_needed')),
          },
        ],
        [],
      );
      return;
    }
    const { record, ids } = editor.build();
    const unfinished = withoutLanguage(record);
    if (unfinished.length) {
      editor.faults.show(unfinished, ids);
      return;
    }
    const answer = await send(editor, key, record, ids, dryRun);
    if (!answer) return;
    if (dryRun) {
      passed(editor, answer.data, ids);
      return;
    }
    drop(editor.draftKey);
    if (editor.replaces) await replaced(editor.replaces);
    done(editor, key, answer);
  });
}

/** Faults of pages for a language that have none, nor anything else to choose them by: they would never open. */
const withoutLanguage = (record) =>
  record.links.flatMap((link, at) =>
    isVariant(link.linkType) && !link.hreflang && !link.context && !link.type
      ? [{ pointer: `/links/${at}/hreflang`, own: true, detail: t('link.choose_language') }]
      : [],
  );

async function send(editor, key, record, ids, dryRun) {
  try {
    return await api('PUT', `/v1/levels/${key}${dryRun ? '?dryRun=true' : ''}`, {
      json: record,
      etag: editor.stored && editor.etag,
      headers: editor.stored ? {} : { 'if-none-match': '*' },
    });
  } catch (error) {
    if (error.status === 412) await conflict(editor, key, record);
    else if (error.errors?.length || [400, 409, 413, 422].includes(error.status))
      editor.faults.show(
        error.errors?.length ? error.errors : [{ pointer: '', own: true, detail: error.message }],
        ids,
      );
    else if (error.status === 403)
      editor.faults.show(
        [
          {
            pointer: editor.stored ? '' : '/anchor',
            own: true,
            detail: editor.stored ? t('record.may_not_change') : t('record.may_not_register'),
          },
        ],
        ids,
      );
    else throw error;
    return undefined;
  }
}

/** Shows that a check found no fault. */
function passed(editor, data, ids) {
  const warnings = data?.warnings ?? [];
  put(
    editor.top,
    notice(
      'good',
      h('p', {}, warnings.length ? t('record.can_be_saved') : t('record.nothing_wrong')),
      remarks(warnings),
    ),
  );
  editor.faults.beside(warnings, ids);
  editor.top.scrollIntoView({ block: 'nearest' });
}

/** Goes to the saved record, or to the approvals that it waits for. */
function done(editor, key, { status, data }) {
  const how = status === 202 || data?.status === 'proposed' ? 'proposed' : 'yes';
  const warnings = data?.warnings ?? [];
  const target = `#/record/${key}?saved=${how}`;
  notify(how === 'proposed' ? t('common.for_approval') : t('common.saved'));
  if (how === 'proposed' && !editor.stored) {
    location.hash = '#/approvals';
    return;
  }
  if (location.hash === target) again();
  else location.replace(target);
  if (warnings.length)
    setTimeout(
      () =>
        document
          .getElementById('messages')
          ?.append(notice('plain', h('p', {}, t('record.remarks')), remarks(warnings))),
      400,
    );
}

/** Asks which changes to keep, if others have changed the record meanwhile. */
async function conflict(editor, key, mine) {
  const now = await level(key);
  if (!editor.stored && now) {
    editor.faults.show(
      [{ pointer: '/anchor', own: true, detail: t('record.meanwhile'), link: `#/record/${key}` }],
      [],
    );
    return;
  }
  const chosen = await resolveConflict({
    base: editor.base,
    mine,
    theirs: now?.record,
    by: now?.by,
    at: now?.at,
  });
  if (!chosen) {
    notify(t('record.not_saved'), { kind: 'bad' });
    return;
  }
  if (chosen.record === now?.record) {
    drop(editor.draftKey);
    again();
    return;
  }
  const state = fromRecord(chosen.record);
  keep(key, {
    ...state,
    base: now?.record ?? { links: [] },
    etag: now?.etag,
    key,
    record: chosen.record,
  });
  again();
  notify(t('record.put_together'));
}
