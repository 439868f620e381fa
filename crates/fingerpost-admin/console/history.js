// The revisions of a record: who, when, what changed; and back to one of them.
import { all, faultText, get, post } from './api.js';
import {
  acting,
  again,
  button,
  dialog,
  h,
  heading,
  icon,
  notice,
  put,
  errorText,
  table,
  notify,
  when,
} from './dom.js';
import { changes as changesOf } from './chart.js';
import { level } from './server.js';
import { may } from './session.js';
import { differences } from './model.js';
import { partOf } from './undo.js';
import { elementString, keyInWords, VIA, who } from './words.js';
import { t } from './texts.js';

export async function history(key) {
  const [states, present, changed] = await Promise.all([
    all(`history/${key}`, { page: 'before', items: 'states' }),
    level(key),
    changesOf({ under: `/${key}` }),
  ]);
  const list = h('ol', { class: 'history', id: 'history' });
  states.forEach((state, at) => list.append(entry(key, state, states[at + 1], at === 0, present)));
  return [
    h(
      'nav',
      { class: 'crumbs', 'aria-label': t('common.here') },
      h('a', { href: '#/records' }, t('frame.records')),
      ' / ',
      h('a', { href: `#/record/${key}` }, present?.record?.itemDescription || keyInWords(key)),
    ),
    heading(t('history.heading')),
    h('p', { class: 'soft' }, h('span', { class: 'key' }, elementString(key))),
    changed,
    states.length ? list : h('p', {}, t('history.none')),
  ];
}

const gone = (state) => state.deleted ?? state.kind === 'delete';

function entry(key, state, before, newest, present) {
  const body = h('div', {
    class: 'entry-body',
    hidden: true,
    id: `revision-${state.revision}-body`,
  });
  const show = acting(
    before ? t('history.what_changed') : t('history.what_held'),
    async () => {
      const open = body.hidden;
      if (open && !body.firstChild) put(body, await changes(key, state, before));
      body.hidden = !open;
      show.setAttribute('aria-expanded', String(open));
    },
    {
      kind: 'quiet',
      icon: 'down',
      expanded: false,
      controls: body.id,
      id: `changes-${state.revision}`,
    },
  );
  const restore =
    !newest &&
    !gone(state) &&
    may('editor') &&
    button(t('history.restore_this'), () => restoring(key, state, present), {
      id: `restore-${state.revision}`,
    });
  const by = !state.by
    ? ''
    : state.proposedBy
      ? `, ${t('history.by_two', { author: who(state.proposedBy), approver: who(state.by) })}`
      : ` ${t('history.by', { name: who(state.by) })}`;
  return h(
    'li',
    { class: gone(state) ? 'deleted' : '' },
    h('span', { class: 'mark' }, icon(gone(state) ? 'bin' : before ? 'pencil' : 'plus')),
    h(
      'div',
      { class: 'entry' },
      h(
        'h2',
        {},
        gone(state)
          ? t('history.deleted')
          : before && !gone(before)
            ? t('history.changed')
            : t('history.registered'),
        newest && !gone(state) && h('span', { class: 'tag now' }, t('common.current')),
      ),
      h(
        'p',
        { class: 'soft' },
        when(state.at),
        by,
        !/^local:/.test(state.by?.actor) && VIA[state.via] && ` ${VIA[state.via]}`,
        ` · ${t('history.revision', { number: state.revision })}`,
      ),
      h('div', { class: 'actions' }, show, restore, state.changeSet && partOf(state.changeSet)),
      body,
    ),
  );
}

async function stateAt(key, state) {
  if (!state || gone(state)) return undefined;
  if (state.record) return state.record;
  const { data } = await get(`/v1/states/${state.revision}/${key}`);
  return data.record ?? undefined;
}

async function changes(key, state, before) {
  const [from, to] = await Promise.all([stateAt(key, before), stateAt(key, state)]);
  return differenceTable(from, to);
}

/** Two records beside each other, in words. */
export function differenceTable(from, to) {
  const rows = differences(from, to);
  if (!rows.length) return h('p', { class: 'soft' }, t('history.nothing_different'));
  const side = (text, kind) => (text ? h(kind, {}, text) : h('span', { class: 'soft' }, '—'));
  return table(
    t('history.different'),
    [
      { title: t('common.what'), cell: (row) => row.what },
      { title: t('common.before'), cell: (row) => side(row.before, 'del') },
      { title: t('common.after'), cell: (row) => side(row.after, 'ins') },
    ],
    rows,
  ).root;
}

/** Asks before a state is restored, and restores it. `done` shows the result. */
async function restoring(key, state, present, done = again) {
  const record = await stateAt(key, state);
  const yes = await dialog(
    t('history.restore_question'),
    (close) => [
      h('p', {}, t('history.restore_lead', { time: when(state.at) })),
      notice('plain', h('p', {}, t('history.will_change'))),
      differenceTable(present?.record, record),
      h(
        'div',
        { class: 'actions' },
        button(t('history.restore'), () => close(true), { kind: 'primary', id: 'confirm' }),
        button(t('common.cancel'), () => close(false), { kind: 'quiet' }),
      ),
    ],
    { wide: true },
  );
  if (!yes) return;
  try {
    const { status } = await post(
      `/v1/restore/${key}?revision=${state.revision}`,
      undefined,
      present?.etag ? { etag: present.etag } : {},
    );
    notify(status === 202 ? t('common.for_approval') : t('history.restored'));
    done();
  } catch (error) {
    notify(error.errors?.[0] ? faultText(error.errors[0]) : errorText(error), { kind: 'bad' });
  }
}

/** Says who deleted a record and when, with the way back. `deleted` is the state that began with the deletion. */
export function deletedNotice(key, deleted) {
  const restore = async () => {
    const { data } = await get(`/v1/states/${deleted.revision - 1}/${key}`);
    await restoring(key, data, undefined, () => {
      location.hash = `#/record/${key}`;
    });
  };
  const back = acting(t('history.restore'), restore, { id: 'restore-deleted' });
  const values = {
    key: h('span', { class: 'key' }, elementString(key)),
    time: when(deleted.at),
    name: deleted.by ? who(deleted.by) : '',
  };
  return notice(
    'plain',
    h(
      'p',
      { id: 'deleted' },
      t(deleted.by ? 'history.was_deleted_by' : 'history.was_deleted', values),
    ),
    h(
      'div',
      { class: 'actions' },
      h('a', { class: 'button quiet', href: `#/history/${key}` }, t('history.heading')),
      may('editor') && back,
    ),
  );
}
