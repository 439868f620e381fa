// Changes that wait for a second person, and those that were decided.
import { all, get, post, query, sentence } from './api.js';
import { again, busy, button, field, h, heading, icon, notice, put, tell, when } from './dom.js';
import { keep } from './drafts.js';
import { differenceTable } from './history.js';
import { fromRecord } from './model.js';
import { keyOf, level } from './server.js';
import { may, session } from './session.js';
import { elementString, keyInWords, who } from './words.js';

const STATES = [
  { state: 'open', title: 'Waiting', none: 'Nothing is waiting.' },
  { state: 'rejected', title: 'Rejected', none: 'Nothing was rejected.' },
  { state: 'approved', title: 'Approved', none: 'Nothing was approved.' },
];

export async function approvals(rest, search) {
  const shown = STATES.find(({ state }) => state === search.get('state')) ?? STATES[0];
  const proposals = (await all('proposals', { state: shown.state })).reverse();
  const tabs = STATES.map((one) => h('a', { href: `#/approvals${query({ state: one.state })}`, id: `state-${one.state}`, 'aria-current': one === shown ? 'page' : undefined }, one.title));
  return [heading('Approvals'), h('p', { class: 'soft' }, 'In organisations with approval, a second person must approve every change. Nobody can approve their own.'),
    h('nav', { class: 'tabs', 'aria-label': 'State' }, tabs),
    proposals.length ? h('ul', { class: 'cards', id: 'proposals' }, proposals.map((one) => card(one, proposals))) : h('p', { id: 'no-proposals' }, shown.none)];
}

/** The number of changes that wait for this user's decision: those of others. At most 100 are counted. */
export async function waiting() {
  if (!may('approver')) return 0;
  const { data } = await get(`/v1/proposals${query({ state: 'open', limit: 100 })}`);
  return data.proposals.filter((one) => !isOwn(one)).length;
}

/** What waits for approval at a record, as notices. */
export async function waitingAt(key) {
  const open = await all('proposals', { state: 'open', key: `/${key}` });
  return open.map((one) => notice('plain', h('p', {}, `A change by ${isOwn(one) ? 'you' : who(one.by)} is waiting for approval since `, when(one.at), '.'), card(one, open, 'div')));
}

const isOwn = (proposal) => proposal.by.actor === `user:${session().user.id}`;

function card(proposal, others, tag = 'li') {
  const body = h('div', { class: 'card-body', hidden: true, id: `proposal-${proposal.id}` });
  const { keys } = proposal;
  const rivals = proposal.state === 'open' && others.some((other) => other !== proposal && other.keys.some((key) => keys.includes(key)));
  const toggle = h('button', { type: 'button', class: 'card-toggle', 'aria-expanded': 'false', 'aria-controls': body.id, on: { click: () => busy(toggle, open) } },
    icon('down'), h('span', { class: 'card-line' }, h('span', { class: 'card-title' }, keys.length === 1 ? keyInWords(keys[0].replace(/^\//, '')) : `${keys.length} records`),
      rivals && h('span', { class: 'tag' }, 'another change of the same record is waiting'),
      h('span', { class: 'card-target' }, isOwn(proposal) ? 'you' : who(proposal.by), ' · ', when(proposal.at))));
  async function open() {
    if (body.hidden && !body.firstChild) put(body, await detail(proposal));
    body.hidden = !body.hidden;
    toggle.setAttribute('aria-expanded', String(!body.hidden));
  }
  return h(tag, { class: 'card' }, h('div', { class: 'card-head' }, toggle), body);
}

async function detail({ id }) {
  const { data: proposal } = await get(`/v1/proposals/${id}`);
  const { state } = proposal;
  const isOpen = state === 'open';
  const parts = await Promise.all(proposal.changes.slice(0, 50).map(async (change) => {
    const key = keyOf(change);
    const now = await level(key);
    const moved = isOpen && (now?.revision ?? null) !== change.base;
    return h('section', {}, h('h2', {}, h('a', { href: now ? `#/record/${key}` : `#/new/${key}` }, h('span', { class: 'key' }, elementString(key))), ' ', change.record ? (now ? '' : 'new') : 'to be deleted'),
      moved && notice('bad', h('p', {}, 'The record was changed after this was proposed, so this cannot be approved. Open it for editing and send it again.')),
      state === 'approved' ? null : differenceTable(now?.record, change.record ?? undefined), state === 'approved' ? null : edit(proposal, change, now));
  }));
  return [decided(proposal), parts, proposal.changes.length > 50 && h('p', {}, `and ${proposal.changes.length - 50} more records`), isOpen && decide(proposal)];
}

function decided(proposal) {
  if (proposal.state === 'open' || !proposal.decidedBy) return null;
  const verb = proposal.state === 'approved' ? 'Approved' : proposal.decidedBy.actor === proposal.by.actor ? 'Withdrawn' : 'Rejected';
  return h('p', { id: `decided-${proposal.id}` }, `${verb} by ${who(proposal.decidedBy)} · `, when(proposal.decidedAt), proposal.reason ? h('span', { class: 'block' }, `“${proposal.reason}”`) : null);
}

/** Opens the proposed record in the editor, as unsaved changes of the present one. */
function edit(proposal, change, now) {
  if (!change.record || !may('editor')) return null;
  const key = keyOf(change);
  const open = () => {
    const draft = { ...fromRecord(change.record), text: `/${key}`, base: now?.record, etag: now?.etag };
    keep(now ? key : 'new', draft);
    location.hash = now ? `#/record/${key}` : `#/new/${key}`;
  };
  return h('div', { class: 'actions' }, button(proposal.state === 'open' ? 'Open it for editing' : 'Edit and send again', open, { icon: 'pencil', id: `edit-${proposal.id}` }));
}

function decide(proposal) {
  const own = isOwn(proposal);
  if (!own && !may('approver')) return notice('plain', h('p', {}, 'A user with permission to approve must approve this.'));
  const reason = field({ label: own ? 'Why you withdraw it' : 'Reason, if you reject it', control: h('textarea', { rows: 2, id: `reason-${proposal.id}` }), optional: true });
  const act = (verb, body, said) => (event) => busy(event.currentTarget, async () => {
    reason.fault();
    await post(`/v1/proposals/${proposal.id}/${verb}`, body());
    tell(said);
    again();
  }, (error) => { reason.fault(error.errors?.length ? error.errors.map((one) => sentence(one.detail)).join(' ') : error.message); return true; });
  const why = () => (reason.control.value.trim() ? { reason: reason.control.value.trim() } : {});
  return [own && notice('plain', h('p', {}, 'This is your own change: another user must approve it. You can withdraw it.')), reason.root,
    h('div', { class: 'actions' }, own ? null : button('Approve', act('approve', () => undefined, 'Approved. The change is published.'), { kind: 'primary', id: `approve-${proposal.id}` }),
      button(own ? 'Withdraw' : 'Reject', act('reject', why, own ? 'Withdrawn.' : 'Rejected.'), { id: `reject-${proposal.id}` }))];
}
