// The audit log: who did what, and whether the chain is whole.
import { get, query } from './api.js';
import { busy, button, h, heading, notice, plural, put, table, when } from './dom.js';
import { VIA } from './words.js';

const WORDS = {
  'links.write': 'Changed records', 'session.created': 'Signed in', 'session.refused': 'Sign-in refused', 'session.ended': 'Signed out', 'person.erased': 'Erased a person', 'history.pruned': 'Pruned the history',
};

/** `key.created` in words: "Key created". */
function inWords(action = '') {
  const text = WORDS[action] ?? action.replace(/[.-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const COLUMNS = [
  { title: 'No.', class: 'number', cell: ({ seq }) => String(seq) }, { title: 'When', cell: ({ record }) => when(record.at) },
  { title: 'Who', cell: ({ record, personal }) => [personal?.name ?? record.actor, record.details?.via && h('span', { class: 'soft block' }, VIA[record.details.via] ?? record.details.via)] },
  { title: 'What', cell: ({ record }) => [inWords(record.action), record.changes > 0 && ` (${plural(record.changes, 'change')})`] },
  { title: 'About', cell: ({ record }) => [record.subject && h('code', {}, record.subject), details(record.details)] },
];

function details(all) {
  const told = Object.entries(all ?? {}).filter(([name]) => !['via', 'organisations'].includes(name)).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return told.length > 0 && h('span', { class: 'soft block' }, told.join(', '));
}

export async function audit() {
  const page = async (from) => (await get(`/v1/audit${query({ order: 'newest', from, limit: 100 })}`)).data;
  const first = await page();
  let { next } = first;
  const list = table('Audit log', COLUMNS, first.records, { id: 'audit' });
  const more = button('Show more', () => busy(more, async () => {
    const further = await page(next);
    list.add(further.records);
    next = further.next;
    more.hidden = !next;
  }), { id: 'more' });
  more.hidden = !next;
  const result = h('div', { role: 'status', id: 'verified' });
  const verify = button('Verify the log', () => busy(verify, async () => {
    const { data } = await get('/v1/audit/verify');
    const faults = data.faults ?? [];
    put(result, notice(faults.length ? 'bad' : 'good', h('p', {}, faults.length ? 'The log was tampered with:' : `The chain is whole: ${plural(data.records ?? 0, 'entry', 'entries')} verified.`), faults.length > 0 && h('ul', {}, faults.map((fault) => h('li', {}, fault))),
      data.head && h('p', { class: 'soft' }, 'Head, to be noted elsewhere: ', h('code', {}, typeof data.head === 'string' ? data.head : `${data.head.seq}:${data.head.hash}`))));
  }), { id: 'verify' });
  return [heading('Audit log', verify), h('p', { class: 'soft' }, 'Every change, with who and when. Each entry holds a hash of the one before, so that nothing can be altered unseen.'), result, list.root, h('div', { class: 'actions' }, more)];
}
