// Changes that wait for a second person.
import { all, get, post, sentence } from './api.js';
import { again, busy, button, field, h, heading, notice, put, tell, when } from './dom.js';
import { differenceTable } from './history.js';
import { keyOf, level } from './server.js';
import { may, session } from './session.js';
import { elementString, keyInWords, who } from './words.js';

export async function approvals() {
  const proposals = await all('proposals', { state: 'open' });
  return [heading('Approvals'), h('p', { class: 'soft' }, 'In organisations with approval, a second person must approve every change. Nobody can approve their own.'),
    proposals.length ? h('ul', { class: 'cards', id: 'proposals' }, proposals.map(card)) : h('p', { id: 'no-proposals' }, 'Nothing is waiting.')];
}

const isOwn = (proposal) => proposal.by.actor === `user:${session().user.id}`;

function card(proposal) {
  const body = h('div', { class: 'card-body', hidden: true, id: `proposal-${proposal.id}` });
  const { keys } = proposal;
  const toggle = h('button', { type: 'button', class: 'card-toggle', 'aria-expanded': 'false', 'aria-controls': body.id, on: { click: () => busy(toggle, open) } },
    h('span', { class: 'card-line' }, h('span', { class: 'card-title' }, keys.length === 1 ? keyInWords(keys[0].replace(/^\//, '')) : `${keys.length} records`),
      h('span', { class: 'card-target' }, isOwn(proposal) ? 'you' : who(proposal.by), ' · ', when(proposal.at))));
  async function open() {
    if (body.hidden && !body.firstChild) put(body, await detail(proposal));
    body.hidden = !body.hidden;
    toggle.setAttribute('aria-expanded', String(!body.hidden));
  }
  return h('li', { class: 'card' }, h('div', { class: 'card-head' }, toggle), body);
}

async function detail({ id }) {
  const { data: proposal } = await get(`/v1/proposals/${id}`);
  const parts = await Promise.all(proposal.changes.slice(0, 50).map(async (change) => {
    const key = keyOf(change);
    const now = await level(key);
    const moved = now && change.base !== now.revision;
    return h('section', {}, h('h2', {}, h('span', { class: 'key' }, elementString(key)), change.record ? (now ? '' : 'new') : 'to be deleted'),
      moved && notice('bad', h('p', {}, 'The record has changed since this request.')), differenceTable(now?.record, change.record ?? undefined));
  }));
  return [parts, proposal.changes.length > 50 && h('p', {}, `and ${proposal.changes.length - 50} more records`), decide(proposal)];
}

function decide(proposal) {
  const own = isOwn(proposal);
  if (!own && !may('approver')) return notice('plain', h('p', {}, 'A user with permission to approve must approve this.'));
  const reason = field({ label: own ? 'Why it is taken back' : 'Reason, if you reject it', control: h('textarea', { rows: 2, id: `reason-${proposal.id}` }), optional: true });
  const act = (verb, body, said) => (event) => busy(event.currentTarget, async () => {
    reason.fault();
    await post(`/v1/proposals/${proposal.id}/${verb}`, body());
    tell(said);
    again();
  }, (error) => { reason.fault(error.errors?.length ? error.errors.map((one) => sentence(one.detail)).join(' ') : error.message); return true; });
  const why = () => (reason.control.value.trim() ? { reason: reason.control.value.trim() } : {});
  return [own && notice('plain', h('p', {}, 'This is your own change: another user must approve it. You can withdraw it.')), reason.root,
    h('div', { class: 'actions' }, own ? null : button('Approve', act('approve', () => undefined, 'Approved. The change is published.'), { kind: 'primary', id: `approve-${proposal.id}` }),
      button(own ? 'Take it back' : 'Reject', act('reject', why, own ? 'Taken back.' : 'Rejected.'), { id: `reject-${proposal.id}` }))];
}
