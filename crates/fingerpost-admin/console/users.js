// Users.
import { all, patch, post, remove } from './api.js';
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
import { ROLES } from './words.js';
import { language, raw, t } from './texts.js';
import { organisationsOrNone, nameOf, scopes, ask, page } from './accounts.js';

export async function users() {
  const [list, invited, organisations] = await Promise.all([
    all('users'),
    all('invitations'),
    organisationsOrNone(),
  ]);
  return page(
    t('frame.users'),
    t('people.users_lead'),
    [
      button(t('people.invite'), () => invite(organisations), {
        kind: 'primary',
        icon: 'plus',
        id: 'invite',
      }),
      button(t('people.new_user'), () => editUser(undefined, organisations), {
        icon: 'plus',
        id: 'new-user',
      }),
    ],
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
            (user.memberships ?? []).map((one) => h('div', {}, roleIn(one, organisations))),
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
    invited.length > 0 && invitations(invited, organisations),
  );
}

function invitations(list, organisations) {
  return [
    h('h2', {}, t('people.invitations')),
    table(
      t('people.invitations'),
      [
        { title: t('sign_in.address'), cell: (one) => one.address },
        { title: t('people.may'), cell: (one) => roleIn(one, organisations) },
        { title: t('people.sent'), cell: (one) => when(one.sent) },
        { title: t('common.until'), cell: (one) => when(one.expires) },
        {
          title: t('common.actions'),
          cell: (one) => [
            button(
              t('people.resend'),
              () => act(() => post(`/v1/invitations/${one.id}/resend`), t('people.mailed')),
              { kind: 'quiet', label: t('people.resend_named', { name: one.address }) },
            ),
            button(
              t('people.revoke'),
              () => act(() => remove(`/v1/invitations/${one.id}`), t('people.revoked')),
              { kind: 'quiet', label: t('people.revoke_named', { name: one.address }) },
            ),
          ],
        },
      ],
      list,
      { id: 'invitations' },
    ).root,
  ];
}

async function act(action, done) {
  try {
    await action();
    notify(done);
    again();
  } catch (error) {
    notify(errorText(error), { kind: 'bad' });
  }
}

async function invite(organisations) {
  const address = field({
    label: t('sign_in.address'),
    hint: t('people.invite_hint'),
    control: input({ id: 'invite-address', type: 'email', required: true }),
  });
  const role = field({
    label: t('people.role'),
    control: select({ id: 'invite-role', value: 'editor' }, ROLES),
  });
  const where = field({
    label: t('common.where'),
    control: select({ id: 'invite-where' }, scopes(organisations)),
  });
  const done = await ask(
    t('people.invite'),
    [{ member: 'address', field: address }, { field: role }, { field: where }],
    t('people.invite'),
    () =>
      post('/v1/invitations', {
        address: address.control.value.trim(),
        role: role.control.value,
        organisation: where.control.value || null,
        language,
      }),
  );
  if (done) {
    notify(t('people.mailed'));
    again();
  }
}

const roleIn = (one, organisations) =>
  t('people.role_in', {
    role: raw('people', `role_${String(one.role).toLowerCase()}`) ?? one.role,
    place: nameOf(organisations, one.organisation),
  });

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
