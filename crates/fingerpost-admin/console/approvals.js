// Changes that wait for a second person, and those that were decided.
import { all, faultText, get, post, query } from './api.js';
import {
  again,
  busy,
  button,
  dialog,
  field,
  h,
  heading,
  icon,
  notice,
  put,
  errorText,
  notify,
  when,
} from './dom.js';
import { keep } from './drafts.js';
import { fromRecord } from './model.js';
import { differenceTable } from './history.js';
import { byParts, result } from './in-parts.js';
import { see } from './rejections.js';
import { Chosen } from './selection.js';
import { keyOf, level } from './server.js';
import { may, session } from './session.js';
import { elementString, keyInWords, who } from './words.js';
import { t } from './texts.js';

const STATES = [
  { state: 'open', title: t('approvals.open'), none: t('approvals.no_open') },
  { state: 'rejected', title: t('approvals.rejected'), none: t('approvals.no_rejected') },
  { state: 'approved', title: t('approvals.approved'), none: t('approvals.no_approved') },
];

export async function approvals(rest, search) {
  const shown = STATES.find(({ state }) => state === search.get('state')) ?? STATES[0];
  if (shown.state === 'rejected') see();
  const tabs = STATES.map((one) =>
    h(
      'a',
      {
        href: `#/approvals${query({ state: one.state })}`,
        id: `state-${one.state}`,
        'aria-current': one === shown ? 'page' : undefined,
      },
      one.title,
    ),
  );
  const [count, outcome, list] = [
    h('p', { class: 'soft', id: 'count', role: 'status' }),
    h('div', {}),
    h('div', {}),
  ];
  const acts =
    may('approver') &&
    [['approve', 'primary'], ['reject']].map(([verb, kind]) =>
      button(
        t(`approvals.${verb}`),
        (event) => busy(event.currentTarget, () => decideAll(chosen, outcome, verb, draw)),
        { id: `selected-${verb}`, kind },
      ),
    );
  const chosen = new Chosen(list, acts);
  const draw = async () => {
    const proposals = (await all('proposals', { state: shown.state })).reverse();
    chosen.known = new Map(proposals.map((one) => [one.id, one]));
    put(count, proposals.length > 0 && t('audit.changes', { count: proposals.length }));
    put(
      list,
      proposals.length
        ? h(
            'ul',
            { class: 'cards', id: 'proposals' },
            proposals.map((one) =>
              card(one, proposals, 'li', one.state === 'open' && may('approver') && chosen),
            ),
          )
        : h('p', { id: 'no-proposals' }, shown.none),
    );
    chosen.clear();
  };
  await draw();
  return [
    heading(t('frame.approvals')),
    h('p', { class: 'soft' }, t('approvals.lead')),
    h('nav', { class: 'tabs', 'aria-label': t('approvals.state') }, tabs),
    count,
    outcome,
    chosen.all.root,
    list,
    chosen.bar,
  ];
}

/** Decides all that are selected, one after the other. */
async function decideAll(chosen, place, verb, draw) {
  const { known } = chosen;
  const ids = [...chosen.chosen.keys()];
  const body = await dialog(
    `${t(`approvals.${verb}`)}: ${t('audit.changes', { count: ids.length })}`,
    (close) => {
      const reason =
        verb === 'reject' &&
        field({
          label: t('approvals.why_reject'),
          control: h('textarea', { rows: 2, id: 'selected-reason' }),
          optional: true,
        });
      return [
        reason && reason.root,
        h(
          'div',
          { class: 'actions' },
          button(
            t(`approvals.${verb}`),
            () =>
              close(
                reason && reason.control.value.trim()
                  ? { reason: reason.control.value.trim() }
                  : {},
              ),
            { kind: 'primary', id: 'confirm' },
          ),
          button(t('common.cancel'), () => close(), { kind: 'quiet' }),
        ),
      ];
    },
  );
  if (!body) return;
  const refused = [];
  const { done, stopped } = await byParts(
    place,
    t(`approvals.${verb}`),
    ids,
    async ([id]) => {
      try {
        await post(`/v1/proposals/${id}/${verb}`, verb === 'reject' ? body : undefined);
      } catch (error) {
        if (!error.status || error.status >= 500) throw error;
        refused.push({
          key: keyOf(known.get(id).keys[0]),
          why: error.errors?.length ? faultText(error.errors[0]) : errorText(error),
        });
      }
    },
    1,
  );
  await draw();
  window.dispatchEvent(new Event('decided'));
  result(
    place,
    [
      t(verb === 'approve' ? 'approvals.approved_count' : 'approvals.rejected_count', {
        count: done - refused.length,
      }),
      stopped && t('selection.stopped', { count: done }),
    ].filter(Boolean),
    refused,
  );
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
  return open.map((one) =>
    notice(
      'plain',
      h(
        'p',
        {},
        isOwn(one)
          ? t('approvals.waiting_own', { time: when(one.at) })
          : t('approvals.waiting_other', { name: who(one.by), time: when(one.at) }),
      ),
      card(one, open, 'div'),
    ),
  );
}

const isOwn = (proposal) => proposal.by.actor === `user:${session().user.id}`;

function card(proposal, others, tag = 'li', chosen = undefined) {
  const body = h('div', { class: 'card-body', hidden: true, id: `proposal-${proposal.id}` });
  const { keys } = proposal;
  const rivals =
    proposal.state === 'open' &&
    others.some((other) => other !== proposal && other.keys.some((key) => keys.includes(key)));
  const toggle = h(
    'button',
    {
      type: 'button',
      class: 'card-toggle',
      'aria-expanded': 'false',
      'aria-controls': body.id,
      on: { click: () => busy(toggle, open) },
    },
    icon('down'),
    h(
      'span',
      { class: 'card-line' },
      h(
        'span',
        { class: 'card-title' },
        keys.length === 1
          ? proposal.item || keyInWords(keyOf(keys[0]))
          : t('common.record_count', { count: keys.length }),
        keys.length === 1 &&
          proposal.item &&
          h('span', { class: 'soft' }, ` ${keyInWords(keyOf(keys[0]))}`),
        keys.length > 1 && proposal.item && h('span', { class: 'soft' }, ` ${proposal.item} …`),
      ),
      rivals && h('span', { class: 'tag' }, t('approvals.rival')),
      h(
        'span',
        { class: 'card-target' },
        isOwn(proposal) ? t('conflict.you') : who(proposal.by),
        ' · ',
        when(proposal.at),
      ),
    ),
  );
  async function open() {
    if (body.hidden && !body.firstChild) put(body, await detail(proposal));
    body.hidden = !body.hidden;
    toggle.setAttribute('aria-expanded', String(!body.hidden));
  }
  const name = keyInWords(keyOf(keys[0]));
  return h(
    tag,
    { class: 'card' },
    h(
      'div',
      { class: 'card-head' },
      chosen && chosen.box(proposal.id, t('selection.select', { name, key: who(proposal.by) })),
      toggle,
    ),
    body,
  );
}

async function detail({ id }) {
  const { data: proposal } = await get(`/v1/proposals/${id}`);
  const { state } = proposal;
  const isOpen = state === 'open';
  const parts = await Promise.all(
    proposal.changes.slice(0, 50).map(async (change) => {
      const key = keyOf(change);
      const now = await level(key);
      const moved = isOpen && (now?.revision ?? null) !== change.base;
      return h(
        'section',
        {},
        h(
          'h2',
          {},
          h(
            'a',
            { href: now ? `#/record/${key}` : `#/new/${key}` },
            h('span', { class: 'key' }, elementString(key)),
          ),
          ' ',
          change.record ? (now ? '' : t('common.new')) : t('approvals.to_delete'),
        ),
        moved && notice('bad', h('p', {}, t('approvals.moved'))),
        state === 'approved' ? null : differenceTable(now?.record, change.record ?? undefined),
        state === 'approved' ? null : edit(proposal, change, now),
      );
    }),
  );
  return [
    decided(proposal),
    parts,
    proposal.changes.length > 50 &&
      h('p', {}, t('approvals.more_records', { count: proposal.changes.length - 50 })),
    isOpen && decide(proposal),
  ];
}

function decided(proposal) {
  if (proposal.state === 'open' || !proposal.decidedBy) return null;
  const key =
    proposal.state === 'approved'
      ? 'approved_by'
      : proposal.decidedBy.actor === proposal.by.actor
        ? 'withdrawn_by'
        : 'rejected_by';
  return h(
    'p',
    { id: `decided-${proposal.id}` },
    `${t(`approvals.${key}`, { name: who(proposal.decidedBy) })} · `,
    when(proposal.decidedAt),
    proposal.reason ? h('span', { class: 'block' }, `“${proposal.reason}”`) : null,
  );
}

/** Opens the proposed record in the editor, as unsaved changes of the present one. What another user proposed for it alone is replaced by what is saved. */
function edit(proposal, change, now) {
  if (!change.record || !may('editor')) return null;
  const key = keyOf(change);
  const replaces =
    proposal.state === 'open' &&
    !isOwn(proposal) &&
    may('approver') &&
    proposal.changes.length === 1
      ? proposal.id
      : undefined;
  const open = () => {
    const draft = {
      ...fromRecord(change.record),
      text: `/${key}`,
      base: now?.record,
      etag: now?.etag,
      replaces,
    };
    keep(now ? key : 'new', draft);
    location.hash = now ? `#/record/${key}` : `#/new/${key}`;
  };
  const text = replaces
    ? t('approvals.correct')
    : proposal.state === 'open'
      ? t('approvals.edit')
      : t('approvals.edit_again');
  return [
    h(
      'div',
      { class: 'actions' },
      button(text, open, { icon: 'pencil', id: `edit-${proposal.id}` }),
    ),
    replaces && h('p', { class: 'hint' }, t('approvals.correct_lead')),
  ];
}

/** Rejects what another version has replaced; it stays where somebody decided meanwhile. */
export async function replaced(id) {
  try {
    await post(`/v1/proposals/${id}/reject`, { reason: t('approvals.replaced') });
  } catch (error) {
    if (![404, 409].includes(error.status)) throw error;
  }
}

function decide(proposal) {
  const own = isOwn(proposal);
  if (!own && !may('approver')) return notice('plain', h('p', {}, t('approvals.need_approver')));
  const reason = field({
    label: own ? t('approvals.why_withdraw') : t('approvals.why_reject'),
    control: h('textarea', { rows: 2, id: `reason-${proposal.id}` }),
    optional: true,
  });
  const act = (verb, body, done) => (event) =>
    busy(
      event.currentTarget,
      async () => {
        reason.fault();
        await post(`/v1/proposals/${proposal.id}/${verb}`, body());
        notify(done);
        again();
      },
      (error) => {
        reason.fault(
          error.errors?.length
            ? error.errors.map((one) => [faultText(one), ' '])
            : errorText(error),
        );
        return true;
      },
    );
  const why = () => (reason.control.value.trim() ? { reason: reason.control.value.trim() } : {});
  return [
    own && notice('plain', h('p', {}, t('approvals.own'))),
    reason.root,
    h(
      'div',
      { class: 'actions' },
      own
        ? null
        : button(
            t('approvals.approve'),
            act('approve', () => undefined, t('approvals.approved_done')),
            { kind: 'primary', id: `approve-${proposal.id}` },
          ),
      button(
        own ? t('approvals.withdraw') : t('approvals.reject'),
        act('reject', why, own ? t('approvals.withdrawn_done') : t('approvals.rejected_done')),
        { id: `reject-${proposal.id}` },
      ),
    ),
  ];
}
