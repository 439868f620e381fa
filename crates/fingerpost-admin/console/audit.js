// The audit log: who did what, and whether the chain is whole.
import { get, query } from './api.js';
import { busy, button, h, heading, notice, plural, put, table, when } from './dom.js';
import { VIA } from './words.js';

const WORDS = {
  'links.write': 'Changed records', 'session.created': 'Signed in', 'session.refused': 'Sign-in refused', 'session.ended': 'Signed out', 'key.created': 'Made an API key', 'key.revoked': 'Revoked an API key', 'user.created': 'Made a user',
  'user.changed': 'Changed a user', 'person.erased': 'Erased a person', 'organisation.created': 'Made an organisation', 'organisation.changed': 'Changed an organisation', 'organisation.deleted': 'Deleted an organisation',
  'proposal.created': 'Asked for approval', 'proposal.approved': 'Approved a change', 'proposal.rejected': 'Rejected a change', 'history.pruned': 'Pruned the history', 'store.upgraded': 'Upgraded the store',
};

export async function audit() {
  const page = async (from) => (await get(`/v1/audit${query({ from, limit: 100 })}`)).data;
  const first = await page();
  let next = first.next;
  const list = table('Audit log', [
    { title: 'No.', class: 'number', cell: (one) => String(one.seq) }, { title: 'When', cell: (one) => when(one.at) },
    { title: 'Who', cell: (one) => [one.name ?? one.personal?.name ?? one.actor, VIA[one.via ?? one.details?.via] && h('span', { class: 'soft block' }, VIA[one.via ?? one.details?.via])] },
    { title: 'What', cell: (one) => [WORDS[one.action] ?? one.action, one.changes > 0 && ` (${plural(one.changes, 'change')})`] },
    { title: 'About', cell: (one) => [one.subject && h('code', {}, one.subject), one.details && h('span', { class: 'soft block' }, Object.entries(one.details).filter(([name]) => name !== 'via').map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', '))] },
  ], first.records ?? first.items ?? [], { id: 'audit' });
  const more = button('Show more', () => busy(more, async () => {
    const further = await page(next);
    list.add(further.records ?? further.items ?? []);
    next = further.next;
    more.hidden = !next;
  }), { id: 'more' });
  more.hidden = !next;
  const result = h('div', { role: 'status', id: 'verified' });
  const verify = button('Verify the log', () => busy(verify, async () => {
    const { data } = await get('/v1/audit/verify');
    const faults = data.faults ?? [];
    put(result, notice(faults.length ? 'bad' : 'good', h('p', {}, faults.length ? 'The log was tampered with:' : `The chain is whole: ${plural(data.records ?? 0, 'record')} verified.`), faults.length > 0 && h('ul', {}, faults.map((fault) => h('li', {}, fault))),
      data.head && h('p', { class: 'soft' }, 'Head: ', h('code', {}, typeof data.head === 'string' ? data.head : `${data.head.seq}:${data.head.hash}`))));
  }), { id: 'verify' });
  return [heading('Audit log', verify), h('p', { class: 'soft' }, 'Every change, with who and when. Each entry holds a hash of the one before, so that nothing can be altered unseen.'), result, list.root, h('div', { class: 'actions' }, more)];
}
