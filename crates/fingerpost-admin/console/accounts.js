// API keys, users, organisations.
import { all, faultText, get, patch, post, remove } from './api.js';
import {
  again,
  busy,
  button,
  checkbox,
  confirm,
  dialog,
  field,
  h,
  heading,
  input,
  put,
  errorText,
  select,
  table,
  notify,
  when,
} from './dom.js';
import { may, mayEverywhere, mayIn, rights } from './session.js';
import { ROLES } from './words.js';
import { language, listed, number, raw, t } from './texts.js';

const organisationsOrNone = () => all('organisations').catch(() => []);
const nameOf = (list, id) =>
  id ? (list.find((one) => one.id === id)?.name ?? id) : t('people.installation');

/** Where one has a role: in organisations, and in the whole installation. */
function scopes(list, role = 'admin') {
  const mine = rights()
    .filter((one) => mayIn(one, role))
    .map((one) => one.organisation);
  return [
    ...(mayEverywhere(role) ? [['', t('people.installation_option')]] : []),
    ...list
      .filter((one) => mayEverywhere(role) || mine.includes(one.id))
      .map((one) => [one.id, one.name]),
  ];
}

/** A form in a dialog. `fields` are {member, field}; faults of the server stand beside them. */
function ask(title, fields, verb, send, extra) {
  return dialog(title, (close) => {
    const message = h('p', { class: 'error', role: 'alert' });
    const submit = button(verb, undefined, { kind: 'primary', type: 'submit', id: 'submit' });
    const run = (event) => {
      event.preventDefault();
      put(message);
      for (const one of fields) one.field.fault?.();
      busy(
        submit,
        async () => close((await send()) ?? true),
        (error) => {
          const rest = (error.errors ?? []).filter((fault) => {
            const one = fields.find(
              ({ member }) => member && String(fault.pointer).startsWith(`/${member}`),
            );
            one?.field.fault(faultText(fault));
            return !one;
          });
          if (!error.errors?.length || rest.length)
            put(
              message,
              rest.length ? rest.map((fault) => [faultText(fault), ' ']) : errorText(error),
            );
          return true;
        },
      );
    };
    return h(
      'form',
      { on: { submit: run } },
      fields.map((one) => one.field.root),
      extra,
      message,
      h(
        'div',
        { class: 'actions' },
        submit,
        button(t('common.cancel'), () => close(), { kind: 'quiet' }),
      ),
    );
  });
}

function page(title, words, add, ...list) {
  return [heading(title, add), h('p', { class: 'soft' }, words), list];
}

// ---- API keys ------------------------------------------------------------------------------------------------------

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

/** Shows a secret once, with a button that copies it. */
export function secret(title, words, text) {
  return dialog(
    title,
    (close) => {
      const box = h('textarea', {
        id: 'secret',
        readOnly: true,
        value: text,
        class: 'mono',
        rows: text.split('\n').length + 1,
        on: { focus: (event) => event.target.select() },
      });
      const shown = field({ label: t('people.secret'), control: box, wide: true });
      const copied = h('p', { class: 'soft', role: 'status' });
      const copy = button(
        t('common.copy'),
        async () => {
          try {
            await navigator.clipboard.writeText(text);
          } catch {
            box.select();
            document.execCommand('copy');
          }
          put(copied, t('common.copied'));
        },
        { icon: 'copy', id: 'copy-secret' },
      );
      return [
        h('p', {}, words),
        shown.root,
        copied,
        h(
          'div',
          { class: 'actions' },
          copy,
          button(t('people.have_it'), () => close(true), { kind: 'primary', id: 'secret-done' }),
        ),
      ];
    },
    { locked: true, id: 'secret-dialog' },
  );
}

// ---- users ---------------------------------------------------------------------------------------------------------

export async function users() {
  const [list, organisations] = await Promise.all([all('users'), organisationsOrNone()]);
  return page(
    t('frame.users'),
    t('people.users_lead'),
    button(t('people.new_user'), () => editUser(undefined, organisations), {
      kind: 'primary',
      icon: 'plus',
      id: 'new-user',
    }),
    table(
      t('frame.users'),
      [
        {
          title: t('common.name'),
          cell: (user) => [
            user.name || user.login,
            h('span', { class: 'soft block' }, user.login),
            user.disabled && h('span', { class: 'tag' }, t('people.disabled')),
            user.setUpBy && h('span', { class: 'tag' }, t('people.not_confirmed')),
            user.secondFactor && h('span', { class: 'tag' }, t('people.factor_tag')),
          ],
        },
        {
          title: t('people.may'),
          cell: (user) =>
            (user.memberships ?? []).map((one) =>
              h(
                'div',
                {},
                t('people.role_in', {
                  role: raw('people', `role_${String(one.role).toLowerCase()}`) ?? one.role,
                  place: nameOf(organisations, one.organisation),
                }),
              ),
            ),
        },
        { title: t('people.since'), cell: (user) => when(user.created) },
        {
          title: t('common.actions'),
          cell: (user) => [
            button(t('common.change'), () => editUser(user, organisations), {
              kind: 'quiet',
              label: t('people.change_named', { name: user.login }),
              id: `user-${user.id}`,
            }),
            user.setUpBy &&
              button(t('people.confirm'), () => confirmUser(user), {
                kind: 'quiet',
                label: t('people.confirm_named', { name: user.login }),
                id: `confirm-${user.id}`,
              }),
            user.secondFactor &&
              button(t('people.reset_factor'), () => resetTotp(user), {
                kind: 'quiet',
                label: t('people.reset_factor_named', { name: user.login }),
                id: `reset-totp-${user.id}`,
              }),
            button(t('people.erase'), () => erase(user), {
              kind: 'quiet',
              label: t('people.erase_named', { name: user.login }),
              id: `erase-${user.id}`,
            }),
          ],
        },
      ],
      list,
    ).root,
  );
}

async function confirmUser(user) {
  if (
    !(await confirm(
      t('people.confirm_question', { name: user.name || user.login }),
      t('people.confirm_lead'),
      t('people.confirm'),
      'primary',
    ))
  )
    return;
  try {
    await post(`/v1/users/${user.id}/confirm`);
    notify(t('people.confirmed'));
    again();
  } catch (error) {
    notify(errorText(error), { kind: 'bad' });
  }
}

async function resetTotp(user) {
  if (
    !(await confirm(
      t('people.reset_question', { name: user.name || user.login }),
      t('people.reset_lead'),
      t('people.reset'),
    ))
  )
    return;
  try {
    await remove(`/v1/users/${user.id}/totp`);
    notify(t('people.reset_done'));
    again();
  } catch (error) {
    notify(errorText(error), { kind: 'bad' });
  }
}

async function erase(user) {
  if (
    !(await confirm(
      t('people.erase_question', { name: user.name || user.login }),
      [t('people.erase_lead')],
      t('people.erase'),
    ))
  )
    return;
  await remove(`/v1/users/${user.id}`);
  notify(t('people.erased'));
  again();
}

async function editUser(user, organisations) {
  const login = field({
    label: t('sign_in.login'),
    hint: t('people.login_hint'),
    control: input({
      id: 'user-login',
      value: user?.login,
      required: true,
      readOnly: Boolean(user),
    }),
  });
  const name = field({
    label: t('common.name'),
    control: input({ id: 'user-name', value: user?.name, autocapitalize: 'words' }),
    optional: true,
  });
  const password = field({
    label: user ? t('sign_in.new') : t('people.first_password'),
    hint: user ? t('people.new_password_hint') : t('people.first_password_hint'),
    control: input({ id: 'user-password', type: 'password', autocomplete: 'new-password' }),
    optional: Boolean(user),
  });
  const disabled = checkbox(t('people.no_sign_in'), {
    id: 'user-disabled',
    checked: user?.disabled,
  });
  const rights = memberships(
    user?.memberships ?? [{ organisation: scopes(organisations)[0]?.[0] || null, role: 'editor' }],
    organisations,
  );
  const done = await ask(
    user ? t('people.change_named', { name: user.name || user.login }) : t('people.new_user'),
    [
      { member: 'login', field: login },
      { member: 'name', field: name },
      { member: 'password', field: password },
    ],
    user ? t('common.save') : t('people.make_account'),
    () => {
      const body = { name: name.control.value.trim(), memberships: rights.read() };
      if (password.control.value) body.password = password.control.value;
      return user
        ? patch(`/v1/users/${user.id}`, { ...body, disabled: disabled.control.checked })
        : post('/v1/users', { login: login.control.value.trim(), ...body });
    },
    [rights.root, user && disabled.root],
  );
  if (done) {
    notify(t('common.saved'));
    again();
  }
}

function memberships(present, organisations) {
  const list = h('ul', { class: 'memberships' });
  const options = scopes(organisations);
  const add = (one = { organisation: options[0]?.[0], role: 'editor' }) => {
    const known = options.some(([id]) => id === (one.organisation ?? ''))
      ? options
      : [...options, [one.organisation ?? '', nameOf(organisations, one.organisation)]];
    const role = select(
      { 'aria-label': t('people.role'), value: String(one.role).toLowerCase() },
      ROLES,
    );
    const where = select({ 'aria-label': t('common.where'), value: one.organisation ?? '' }, known);
    const row = h(
      'li',
      {},
      role,
      where,
      button(
        undefined,
        () => {
          row.remove();
          more.focus();
        },
        { kind: 'quiet', icon: 'bin', label: t('people.remove_role') },
      ),
    );
    row.read = () => ({ organisation: where.value || null, role: role.value });
    list.append(row);
  };
  const more = button(
    t('people.another_role'),
    () => {
      add();
      list.lastChild.querySelector('select').focus();
    },
    { kind: 'quiet', icon: 'plus' },
  );
  present.forEach(add);
  return {
    root: h('fieldset', {}, h('legend', {}, t('people.roles')), list, more),
    read: () => [...list.children].map((row) => row.read()),
  };
}

// ---- organisations -------------------------------------------------------------------------------------------------

export async function organisations() {
  const list = await all('organisations');
  const whole = mayEverywhere('admin');
  return page(
    t('frame.organisations'),
    t('people.organisations_lead'),
    whole &&
      button(t('people.new_organisation'), () => editOrganisation(), {
        kind: 'primary',
        icon: 'plus',
        id: 'new-organisation',
      }),
    list.length
      ? table(
          t('frame.organisations'),
          [
            { title: t('common.name'), cell: (one) => one.name },
            {
              title: t('people.prefixes'),
              cell: (one) =>
                (one.prefixes ?? []).map((prefix) => h('code', { class: 'tag' }, prefix)),
            },
            {
              title: t('people.rules'),
              cell: (one) => [
                one.approvalRequired && h('div', {}, t('people.rule_approval')),
                one.regulated && h('div', {}, t('people.rule_regulated')),
              ],
            },
            {
              title: t('common.actions'),
              cell: (one) => [
                button(t('people.use'), () => showUse(one), {
                  kind: 'quiet',
                  label: t('people.use_named', { name: one.name }),
                  id: `use-${one.id}`,
                }),
                whole &&
                  button(t('common.change'), () => editOrganisation(one), {
                    kind: 'quiet',
                    label: t('people.change_named', { name: one.name }),
                    id: `organisation-${one.id}`,
                  }),
                whole &&
                  button(
                    t('common.delete'),
                    async () => {
                      if (
                        await confirm(
                          t('people.delete_question', { name: one.name }),
                          t('people.delete_lead'),
                          t('common.delete'),
                        )
                      ) {
                        await remove(`/v1/organisations/${one.id}`);
                        notify(t('common.deleted'));
                        again();
                      }
                    },
                    { kind: 'quiet', label: t('people.delete_named', { name: one.name }) },
                  ),
              ],
            },
          ],
          list,
        ).root
      : h('p', {}, t('people.no_organisations')),
  );
}

const QUANTITIES = [
  ['levels', t('frame.records')],
  ['bytes', t('people.quantity_bytes')],
  ['keys', t('frame.keys')],
  ['proposals', t('people.quantity_proposals')],
];

/** How much an organisation uses, and how much it may. */
async function showUse(one) {
  const { data } = await get(`/v1/organisations/${one.id}/usage`);
  const rows = QUANTITIES.map(([name, title]) => ({ title, ...data[name] }));
  await dialog(
    t('people.use_named', { name: one.name }),
    (close) => [
      data.counting && h('p', { class: 'soft' }, t('people.counting')),
      table(
        t('people.use'),
        [
          { title: t('common.what'), cell: (row) => row.title },
          { title: t('people.in_use'), class: 'number', cell: (row) => number(row.used) },
          {
            title: t('people.at_most'),
            class: 'number',
            cell: (row) =>
              (row.quota === undefined || row.quota === null ? undefined : number(row.quota)) ??
              t('people.no_limit'),
          },
        ],
        rows,
      ).root,
      h(
        'div',
        { class: 'actions' },
        button(t('common.close'), () => close(true), { kind: 'primary', id: 'use-done' }),
      ),
    ],
    { id: 'use-dialog' },
  );
}

async function editOrganisation(one) {
  const split = (text) => text.split(/[\s,;]+/).filter(Boolean);
  const name = field({
    label: t('common.name'),
    control: input({
      id: 'organisation-name',
      value: one?.name,
      required: true,
      autocapitalize: 'words',
    }),
  });
  const prefixes = field({
    label: t('people.gs1_prefixes'),
    hint: t('people.gs1_prefixes_hint'),
    control: input({
      id: 'organisation-prefixes',
      value: one?.prefixes?.join(' '),
      inputmode: 'numeric',
    }),
  });
  const single = field({
    label: t('people.single'),
    hint: t('people.single_hint'),
    control: input({ id: 'organisation-keys', value: one?.keys?.join(' ') }),
    optional: true,
  });
  const approval = checkbox(t('people.need_approval'), {
    id: 'organisation-approval',
    checked: one?.approvalRequired,
  });
  const regulated = checkbox(t('people.need_regulated'), {
    id: 'organisation-regulated',
    checked: one?.regulated,
  });
  const most = QUANTITIES.map(([member, title]) => ({
    member,
    ...field({
      label: t('people.at_most_of', { what: language === 'de' ? title : title.toLowerCase() }),
      control: input({
        id: `quota-${member}`,
        value: one?.quotas?.[member] ?? undefined,
        inputmode: 'numeric',
        pattern: '[0-9]*',
      }),
      optional: true,
    }),
  }));
  const quotas = () =>
    Object.fromEntries(
      most.map(({ member, control }) => [
        member,
        control.value.trim() ? Number(control.value) : null,
      ]),
    );
  const body = () => ({
    name: name.control.value.trim(),
    prefixes: split(prefixes.control.value),
    keys: split(single.control.value),
    approvalRequired: approval.control.checked,
    regulated: regulated.control.checked,
    quotas: quotas(),
  });
  const done = await ask(
    one ? t('people.change_named', { name: one.name }) : t('people.new_organisation'),
    [
      { member: 'name', field: name },
      { member: 'prefixes', field: prefixes },
      { member: 'keys', field: single },
    ],
    one ? t('common.save') : t('people.make'),
    () => (one ? patch(`/v1/organisations/${one.id}`, body()) : post('/v1/organisations', body())),
    [approval.root, regulated.root, most.map((quota) => quota.root)],
  );
  if (done) {
    notify(t('common.saved'));
    again();
  }
}
