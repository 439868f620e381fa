// The audit log: who did what, and whether the chain is whole.
import { get, query } from './api.js';
import { busy, button, english, h, heading, notice, put, table, when } from './dom.js';
import { VIA } from './words.js';
import { raw, t } from './texts.js';


/** `key.created` in words: "Key created". */
function inWords(action = '') {
  const own = raw('audit', action.replace('.', '-'));
  if (own) return own;
  const text = action.replace(/[.-]/g, ' ');
  return english(text.charAt(0).toUpperCase() + text.slice(1));
}

const COLUMNS = [
  { title: t('audit.number'), class: 'number', cell: ({ seq }) => String(seq) }, { title: t('common.when'), cell: ({ record }) => when(record.at) },
  { title: t('common.who'), cell: ({ record, personal }) => [personal?.name ?? record.actor, record.details?.via && h('span', { class: 'soft block' }, VIA[record.details.via] ?? record.details.via)] },
  { title: t('common.what'), cell: ({ record }) => [inWords(record.action), record.changes > 0 && ` (${t('audit.changes', { count: record.changes })})`] },
  { title: t('audit.about'), cell: ({ record }) => [record.subject && h('code', {}, record.subject), details(record.details)] },
];

function details(all) {
  const told = Object.entries(all ?? {}).filter(([name]) => !['via', 'organisations'].includes(name)).map(([name, value]) => t('difference.member', { link: name, member: typeof value === 'string' ? value : JSON.stringify(value) }));
  return told.length > 0 && h('span', { class: 'soft block' }, english(told.join(', ')));
}

export async function audit() {
  const page = async (from) => (await get(`/v1/audit${query({ order: 'newest', from, limit: 100 })}`)).data;
  const first = await page();
  let { next } = first;
  const list = table(t('frame.audit'), COLUMNS, first.records, { id: 'audit' });
  const more = button(t('common.more'), () => busy(more, async () => {
    const further = await page(next);
    list.add(further.records);
    next = further.next;
    more.hidden = !next;
  }), { id: 'more' });
  more.hidden = !next;
  const result = h('div', { role: 'status', id: 'verified' });
  const verify = button(t('audit.verify'), () => busy(verify, async () => {
    const { data } = await get('/v1/audit/verify');
    const faults = data.faults ?? [];
    put(result, notice(faults.length ? 'bad' : 'good', h('p', {}, faults.length ? t('audit.tampered') : t('audit.whole', { count: data.records ?? 0 })), faults.length > 0 && h('ul', {}, faults.map((fault) => h('li', {}, english(fault)))),
      data.head && h('p', { class: 'soft' }, t('audit.head', { head: h('code', {}, typeof data.head === 'string' ? data.head : `${data.head.seq}:${data.head.hash}`) }))));
  }), { id: 'verify' });
  return [heading(t('frame.audit'), verify), h('p', { class: 'soft' }, t('audit.lead')), result, list.root, h('div', { class: 'actions' }, more)];
}
