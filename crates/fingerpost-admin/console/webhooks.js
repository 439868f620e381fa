// Webhooks: where events are sent, whether they arrive, and the deliveries that failed.
import { all, get, patch, post, remove } from './api.js';
import {
  acting,
  again,
  button,
  checkbox,
  confirm,
  dialog,
  english,
  field,
  h,
  input,
  notify,
  put,
  select,
  table,
  when,
} from './dom.js';
import { t } from './texts.js';
import { ask, nameOf, organisationsOrNone, page, scopes, secret } from './accounts.js';

/** The kinds of events; the last two concern the installation only. */
const KINDS = [
  'record.created',
  'record.changed',
  'record.deleted',
  'record.recalled',
  'proposal.waiting',
  'link.broken',
  'certificate.failed',
  'backup.failed',
];
const kindText = (kind) => t(`webhooks.${kind.replace('.', '_')}`);

export async function webhooks() {
  const [list, organisations] = await Promise.all([all('webhooks'), organisationsOrNone()]);
  return page(
    t('webhooks.heading'),
    t('webhooks.lead'),
    button(t('webhooks.create'), () => edit(organisations), {
      kind: 'primary',
      icon: 'plus',
      id: 'new-webhook',
    }),
    list.length
      ? table(t('webhooks.heading'), columns(organisations), list, { id: 'webhook-list' }).root
      : h('p', {}, t('common.none_yet')),
  );
}

const columns = (organisations) => [
  {
    title: t('people.purpose'),
    class: 'main',
    cell: (one) => h('div', {}, one.label, h('span', { class: 'key' }, one.url)),
  },
  {
    title: t('people.counts_in'),
    cell: (one) => [
      nameOf(organisations, one.organisation),
      one.prefixes.length > 0 && h('span', { class: 'soft block' }, one.prefixes.join(' ')),
    ],
  },
  {
    title: t('webhooks.events'),
    cell: (one) =>
      one.kinds.length ? one.kinds.map((kind) => h('div', {}, kindText(kind))) : t('webhooks.all'),
  },
  { title: t('health.state'), cell: stateOf },
  { title: t('common.actions'), cell: (one) => actions(one, organisations) },
];

function stateOf({ paused, state, previousUntil }) {
  const { delivered, failingSince, deadLetters, dropped } = state;
  const text = paused ? 'paused' : failingSince ? 'failing' : 'ok';
  const detail = (words) => h('span', { class: 'soft block' }, words);
  return [
    h('span', { class: failingSince && !paused ? 'tag bad' : 'tag' }, t(`webhooks.${text}`)),
    failingSince && detail([t('health.since'), ' ', when(failingSince)]),
    delivered && detail([t('webhooks.delivered'), ' ', when(delivered)]),
    deadLetters > 0 && detail(t('webhooks.dead', { count: deadLetters })),
    dropped > 0 && detail(t('webhooks.dropped', { count: dropped })),
    Date.parse(previousUntil) > Date.now() &&
      detail(t('people.old_secret', { time: when(previousUntil) })),
  ];
}

function actions(one, organisations) {
  const at = `/v1/webhooks/${one.id}`;
  const act = (name, words, run) =>
    acting(words, run, {
      kind: 'quiet',
      id: `${name}-${one.id}`,
      label: `${words}: ${one.label}`,
    });
  return [
    act('test', t('webhooks.test'), async () => {
      await post(`${at}/test`);
      notify(t('webhooks.tested'));
    }),
    act('log', t('webhooks.log'), () => log(one)),
    act('edit', t('common.change'), () => edit(organisations, one)),
    act('pause', t(one.paused ? 'webhooks.resume' : 'webhooks.pause'), async () => {
      await patch(at, { paused: !one.paused });
      again();
    }),
    act('rotate', t('people.rotate'), async () => {
      const title = t('people.rotate_question', { name: one.label });
      const sure = await confirm(title, t('webhooks.rotate'), t('people.rotate_verb'), 'primary');
      if (!sure) return;
      const { data } = await post(`${at}/rotate`);
      await secret(t('people.new_secret'), t('people.copy_now'), data.secret);
      again();
    }),
    act('delete', t('common.delete'), async () => {
      const title = t('people.delete_question', { name: one.label });
      if (!(await confirm(title, t('webhooks.delete'), t('common.delete')))) return;
      await remove(at);
      notify(t('common.deleted'));
      again();
    }),
  ];
}

/** A form for a new webhook, or for another one. */
async function edit(organisations, one) {
  const label = field({
    label: t('people.key_label'),
    control: input({ id: 'webhook-label', required: true, value: one?.label ?? '' }),
  });
  const url = field({
    label: t('webhooks.address'),
    hint: t('webhooks.address_hint'),
    control: input({ id: 'webhook-url', type: 'url', required: true, value: one?.url ?? '' }),
    wide: true,
  });
  const scope = field({
    label: t('people.counts_in'),
    control: select({ id: 'webhook-organisation', disabled: Boolean(one) }, scopes(organisations)),
  });
  if (one) scope.control.value = one.organisation ?? '';
  const prefixes = field({
    label: t('people.prefixes'),
    hint: t('people.gs1_prefixes_hint'),
    control: input({ id: 'webhook-prefixes', value: one?.prefixes.join(' ') ?? '' }),
    optional: true,
  });
  const kinds = KINDS.map((kind) => ({
    kind,
    ...checkbox(kindText(kind), {
      id: `kind-${kind.replace('.', '-')}`,
      checked: one?.kinds.includes(kind),
    }),
  }));
  const batched = checkbox(t('webhooks.batched'), {
    id: 'webhook-batched',
    checked: one?.mode === 'batched',
  });
  const made = await ask(
    one?.label ?? t('webhooks.create'),
    [
      { member: 'label', field: label },
      { member: 'url', field: url },
      { member: 'organisation', field: scope },
      { member: 'prefixes', field: prefixes },
    ],
    t(one ? 'common.save' : 'people.make'),
    async () => {
      const members = {
        label: label.control.value.trim(),
        url: url.control.value.trim(),
        prefixes: prefixes.control.value.split(/[\s,]+/).filter(Boolean),
        kinds: kinds.filter(({ control }) => control.checked).map(({ kind }) => kind),
        mode: batched.control.checked ? 'batched' : 'structured',
      };
      if (one) return (await patch(`/v1/webhooks/${one.id}`, members)).data;
      return (await post('/v1/webhooks', { ...members, organisation: scope.control.value || null }))
        .data;
    },
    h(
      'fieldset',
      {},
      h('legend', {}, t('webhooks.events')),
      h('p', { class: 'soft' }, t('webhooks.events_hint')),
      kinds.map(({ root }) => root),
      batched.root,
    ),
  );
  if (made?.secret) await secret(t('people.new_secret'), t('people.copy_now'), made.secret);
  if (made) again();
}

/** The last deliveries, and the events that were given up. */
async function log(one) {
  const { data } = await get(`/v1/webhooks/${one.id}/deliveries`);
  const about = ({ kind, subject }) =>
    h(
      'div',
      {},
      kind === 'test' ? t('webhooks.test') : kindText(kind),
      subject && h('span', { class: 'key' }, subject),
    );
  const attempts = [
    { title: t('common.when'), cell: ({ at }) => when(at) },
    { title: t('webhooks.events'), cell: about },
    { title: t('webhooks.number'), cell: ({ events }) => String(events) },
    {
      title: t('health.state'),
      cell: ({ error, status }) =>
        error
          ? [h('span', { class: 'tag bad' }, status ?? t('webhooks.failing')), ' ', english(error)]
          : status,
    },
  ];
  const given = [
    { title: t('common.when'), cell: ({ at }) => when(at) },
    { title: t('webhooks.events'), cell: about },
  ];
  await dialog(
    one.label,
    (close) => {
      const replay = acting(
        t('webhooks.replay'),
        async () => {
          await post(`/v1/webhooks/${one.id}/replay`);
          close();
          again();
        },
        { id: 'replay', kind: 'primary' },
      );
      const actionsBelow = h('div', { class: 'actions' });
      put(
        actionsBelow,
        data.deadLetters.length > 0 && replay,
        button(t('common.close'), () => close(), { kind: 'quiet', id: 'log-done' }),
      );
      return [
        data.deliveries.length
          ? table(t('webhooks.log'), attempts, data.deliveries, { id: 'deliveries' }).root
          : h('p', {}, t('common.none_yet')),
        data.deadLetters.length > 0 &&
          table(t('webhooks.dead_heading'), given, data.deadLetters, { id: 'dead-letters' }).root,
        actionsBelow,
      ];
    },
    { wide: true, id: 'webhook-log' },
  );
}
