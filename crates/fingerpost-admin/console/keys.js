// API keys.
import { all, post, remove } from './api.js';
import {
  again,
  button,
  checkbox,
  confirm,
  field,
  h,
  input,
  errorText,
  select,
  table,
  notify,
  when,
} from './dom.js';
import { may } from './session.js';
import { listed, t } from './texts.js';
import { organisationsOrNone, nameOf, scopes, ask, page, secret } from './accounts.js';

const VERBS = [
  ['read', t('people.read'), 'reader'],
  ['write', t('people.write'), 'editor'],
  ['approve', t('people.approve'), 'approver'],
  ['admin', t('people.admin'), 'admin'],
];

export async function keys() {
  const [list, organisations] = await Promise.all([all('keys'), organisationsOrNone()]);
  const live = (key) => !key.revoked && !(key.expires && Date.parse(key.expires) < Date.now());
  const rows = [...list].sort((a, b) => live(b) - live(a));
  return page(
    t('frame.keys'),
    t('people.keys_lead'),
    button(t('people.new_key'), () => newKey(organisations), {
      kind: 'primary',
      icon: 'plus',
      id: 'new-key',
    }),
    h('p', {}, h('a', { href: '/v1/docs', id: 'api-docs' }, t('people.api_docs'))),
    rows.length
      ? table(
          t('frame.keys'),
          [
            {
              title: t('people.purpose'),
              cell: (key) => [
                key.label,
                !live(key) &&
                  h(
                    'span',
                    { class: 'tag' },
                    key.revoked ? t('people.revoked_tag') : t('people.expired_tag'),
                  ),
                Date.parse(key.previousUntil) > Date.now() &&
                  h(
                    'span',
                    { class: 'soft block' },
                    t('people.old_secret', { time: when(key.previousUntil) }),
                  ),
              ],
            },
            {
              title: t('people.counts_in'),
              cell: (key) => [
                nameOf(organisations, key.organisation),
                key.prefix &&
                  h(
                    'span',
                    { class: 'soft block' },
                    t('people.only_prefix', { prefix: key.prefix }),
                  ),
              ],
            },
            {
              title: t('people.may'),
              cell: (key) =>
                listed(key.verbs.map((verb) => VERBS.find(([name]) => name === verb)?.[1] ?? verb)),
            },
            { title: t('account.last_used'), cell: (key) => when(key.lastUsed) },
            {
              title: t('common.until'),
              cell: (key) => (key.expires ? when(key.expires) : t('people.no_end')),
            },
            {
              title: t('common.actions'),
              cell: (key) =>
                live(key) && [
                  button(
                    t('people.rotate'),
                    async () => {
                      if (
                        !(await confirm(
                          t('people.rotate_question', { name: key.label }),
                          t('people.rotate_lead'),
                          t('people.rotate_verb'),
                          'primary',
                        ))
                      )
                        return;
                      try {
                        await secret(
                          t('people.new_secret'),
                          t('people.copy_now'),
                          (await post(`/v1/keys/${key.id}/rotate`)).data.token,
                        );
                        again();
                      } catch (error) {
                        notify(errorText(error), { kind: 'bad' });
                      }
                    },
                    {
                      kind: 'quiet',
                      label: t('people.rotate_named', { name: key.label }),
                      id: `rotate-${key.id}`,
                    },
                  ),
                  button(
                    t('people.revoke'),
                    async () => {
                      if (
                        await confirm(
                          t('people.revoke_question', { name: key.label }),
                          t('people.revoke_lead'),
                          t('people.revoke'),
                        )
                      ) {
                        await remove(`/v1/keys/${key.id}`);
                        notify(t('people.revoked'));
                        again();
                      }
                    },
                    {
                      kind: 'quiet',
                      label: t('people.revoke_named', { name: key.label }),
                      id: `revoke-${key.id}`,
                    },
                  ),
                ],
            },
          ],
          rows,
        ).root
      : h('p', {}, t('common.none_yet')),
  );
}

async function newKey(organisations) {
  const label = field({
    label: t('people.key_label'),
    control: input({ id: 'key-label', required: true }),
  });
  const scope = field({
    label: t('people.counts_in'),
    control: select({ id: 'key-organisation' }, scopes(organisations, 'reader')),
  });
  const prefix = field({
    label: t('people.key_prefix'),
    hint: t('people.key_prefix_hint'),
    control: input({ id: 'key-prefix', inputmode: 'numeric' }),
    optional: true,
  });
  const own = !may('admin');
  const soon = own ? new Date(Date.now() + 90 * 86400000).toISOString().slice(0, 10) : '';
  const expires = field({
    label: t('people.key_expires'),
    hint: own ? t('people.key_year') : undefined,
    control: h('input', { type: 'date', id: 'key-expires', value: soon }),
    optional: !own,
  });
  const verbs = VERBS.filter(([, , role]) => may(role)).map(([verb, words]) => ({
    verb,
    ...checkbox(words, { id: `verb-${verb}`, checked: verb === 'read' }),
  }));
  const kept = !own && checkbox(t('people.key_kept'), { id: 'key-kept' });
  const made = await ask(
    t('people.key_heading'),
    [
      { member: 'label', field: label },
      { member: 'organisation', field: scope },
      { member: 'prefix', field: prefix },
      { member: 'expires', field: expires },
    ],
    t('people.key_make'),
    async () =>
      (
        await post('/v1/keys', {
          label: label.control.value.trim(),
          forOrganisation: Boolean(kept && kept.control.checked),
          organisation: scope.control.value || null,
          verbs: verbs.filter((one) => one.control.checked).map((one) => one.verb),
          prefix: prefix.control.value.trim() || null,
          expires: expires.control.value
            ? new Date(`${expires.control.value}T00:00`).toISOString()
            : null,
        })
      ).data,
    h(
      'fieldset',
      {},
      h('legend', {}, t('people.key_verbs')),
      verbs.map((one) => one.root),
      kept && kept.root,
    ),
  );
  if (!made) return;
  await secret(t('people.key_new'), t('people.copy_now'), made.token);
  again();
}
