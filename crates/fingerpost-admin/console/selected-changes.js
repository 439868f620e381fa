// Deletes or recalls the selected records.
import { api, faultText, post } from './api.js';
import { confirm, english } from './dom.js';
import { byParts, result } from './in-parts.js';
import { keyOf } from './server.js';
import { t } from './texts.js';

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
  const refused = [];
  const { done: reached, stopped } = await byParts(
    place,
    t('selection.deleting'),
    rows,
    async (part) => {
      const body = part
        .map(([key, revision]) => JSON.stringify({ delete: `/${key}`, ifMatch: revision }))
        .join('\n');
      const { data } = await api('POST', '/v1/batch?mode=each', {
        body,
        type: 'application/jsonl',
      });
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
  );
}

/** Recalls records in parts; each part is recalled as a whole, or not at all. */
export async function recallAll(keys, notices, place) {
  const total = { recalled: 0, proposed: false };
  const refused = [];
  await byParts(place, t('selection.recalling'), keys, async (part) => {
    try {
      const { status } = await post('/v1/recalls', { keys: part.map((key) => `/${key}`), notices });
      if (status === 202) total.proposed = true;
      total.recalled += part.length;
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
      const { status } = await post('/v1/recalls', { keys: rest.map((key) => `/${key}`), notices });
      if (status === 202) total.proposed = true;
      total.recalled += rest.length;
    }
  });
  return { ...total, refused };
}
