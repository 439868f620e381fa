// Changes that wait for a second person.
import { get, post } from './api.js';
import { busy, button, field, h, heading, notice, put, tell, when } from './dom.js';
import { differenceTable } from './history.js';
import { keyOf, level } from './server.js';
import { may, session } from './session.js';
import { elementString, keyInWords } from './words.js';

export async function approvals() {
  const { data } = await get('/v1/proposals');
  const proposals = (data.proposals ?? data.items ?? data).filter((one) => !one.state || one.state === 'open');
  return [heading('Approvals'), h('p', { class: 'soft' }, 'Organisations that ask for it have a second person release every change. Nobody releases their own.'),
    proposals.length ? h('ul', { class: 'cards', id: 'proposals' }, proposals.map(card)) : h('p', { id: 'no-proposals' }, 'Nothing is waiting.')];
}

function card(proposal) {
  const body = h('div', { class: 'card-body', hidden: true, id: `proposal-${proposal.id}` });
  const keys = changesOf(proposal);
  const toggle = h('button', { type: 'button', class: 'card-toggle', 'aria-expanded': 'false', 'aria-controls': body.id, on: { click: () => busy(toggle, open) } },
    h('span', { class: 'card-line' }, h('span', { class: 'card-title' }, keys.length === 1 ? keyInWords(keys[0].key) : `${keys.length} records`),
      h('span', { class: 'card-target' }, proposal.by?.name ?? proposal.by?.actor ?? proposal.by ?? proposal.actor ?? '', ' · ', when(proposal.at ?? proposal.created))));
  async function open() {
    if (body.hidden && !body.firstChild) put(body, await detail(proposal));
    body.hidden = !body.hidden;
    toggle.setAttribute('aria-expanded', String(!body.hidden));
  }
  return h('li', { class: 'card' }, h('div', { class: 'card-head' }, toggle), body);
}

/** What a proposal would do: [{key, record | undefined when it deletes}]. */
function changesOf(proposal) {
  const all = proposal.changes ?? proposal.levels ?? [proposal];
  return all.map((one) => ({ key: keyOf(one), record: one.record ?? one.put ?? one.after, deletes: one.delete === true || one.kind === 'delete' || one.action === 'delete' }));
}

async function detail(proposal) {
  const whole = (await get(`/v1/proposals/${proposal.id}`)).data;
  const changes = changesOf(whole.proposal ?? whole);
  const parts = await Promise.all(changes.slice(0, 50).map(async (change) => {
    const now = await level(change.key);
    return h('section', {}, h('h3', {}, h('span', { class: 'key' }, elementString(change.key)), change.deletes ? ': to be deleted' : now ? '' : ': new'), differenceTable(now?.record, change.deletes ? undefined : change.record));
  }));
  return [parts, changes.length > 50 && h('p', {}, `and ${changes.length - 50} more records`), decide(whole.proposal ?? whole)];
}

function decide(proposal) {
  const actor = proposal.by?.actor ?? proposal.by ?? proposal.actor ?? '';
  const own = actor === `user:${session().user.id}`;
  if (!may('approver')) return notice('plain', h('p', {}, 'Somebody with the right to approve has to release this.'));
  const note = field({ label: 'Note', hint: 'Shown with the decision.', control: h('textarea', { rows: 2, id: `note-${proposal.id}` }), optional: true });
  const act = (verb, said) => (event) => busy(event.currentTarget, async () => {
    note.fault();
    await post(`/v1/proposals/${proposal.id}/${verb}`, note.control.value.trim() ? { note: note.control.value.trim() } : {});
    tell(said);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  }, (error) => { note.fault(error.errors?.length ? error.errors.map((one) => one.detail).join(' ') : error.message); return true; });
  return [own && notice('plain', h('p', {}, 'This is your own change: somebody else has to release it. You may take it back.')), note.root,
    h('div', { class: 'actions' }, own ? null : button('Approve', act('approve', 'Approved. It counts from now on.'), { kind: 'primary', id: `approve-${proposal.id}` }), button(own ? 'Take it back' : 'Reject', act('reject', own ? 'Taken back.' : 'Rejected.'), { id: `reject-${proposal.id}` }))];
}
