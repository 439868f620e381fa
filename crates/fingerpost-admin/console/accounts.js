// API keys, users, organisations.
import { all, get, patch, post, remove, sentence } from './api.js';
import { again, busy, button, checkbox, confirm, dialog, field, h, heading, input, put, select, table, tell, when } from './dom.js';
import { may, mayEverywhere, mayIn, rights } from './session.js';
import { ROLES } from './words.js';

const organisationsOrNone = () => all('organisations').catch(() => []);
const nameOf = (list, id) => (id ? list.find((one) => one.id === id)?.name ?? id : 'the whole installation');

/** Where one has a role: in organisations, and in the whole installation. */
function scopes(list, role = 'admin') {
  const mine = rights().filter((one) => mayIn(one, role)).map((one) => one.organisation);
  return [...mayEverywhere(role) ? [['', 'The whole installation']] : [], ...list.filter((one) => mayEverywhere(role) || mine.includes(one.id)).map((one) => [one.id, one.name])];
}

/** A form in a dialog. `fields` are {member, field}; faults of the server stand beside them. */
function ask(title, fields, verb, send, extra) {
  return dialog(title, (close) => {
    const said = h('p', { class: 'error', role: 'alert' });
    const submit = button(verb, undefined, { kind: 'primary', type: 'submit', id: 'submit' });
    const run = (event) => {
      event.preventDefault();
      put(said);
      for (const one of fields) one.field.fault?.();
      busy(submit, async () => close((await send()) ?? true), (error) => {
        const rest = (error.errors ?? []).filter((fault) => {
          const one = fields.find(({ member }) => member && String(fault.pointer).startsWith(`/${member}`));
          one?.field.fault(sentence(fault.detail));
          return !one;
        });
        if (!error.errors?.length || rest.length) put(said, rest.length ? rest.map((fault) => sentence(fault.detail)).join(' ') : error.message);
        return true;
      });
    };
    return h('form', { on: { submit: run } }, fields.map((one) => one.field.root), extra, said, h('div', { class: 'actions' }, submit, button('Cancel', () => close(), { kind: 'quiet' })));
  });
}

function page(title, words, add, ...list) {
  return [heading(title, add), h('p', { class: 'soft' }, words), list];
}

// ---- API keys ------------------------------------------------------------------------------------------------------

const VERBS = [['read', 'Read records', 'reader'], ['write', 'Change records', 'editor'], ['approve', 'Release changes', 'approver'], ['admin', 'Administer people and keys', 'admin']];

export async function keys() {
  const [list, organisations] = await Promise.all([all('keys'), organisationsOrNone()]);
  const live = (key) => !key.revoked && !(key.expires && Date.parse(key.expires) < Date.now());
  const rows = [...list].sort((a, b) => live(b) - live(a));
  return page('API keys', 'Programs use an API key instead of signing in. Create a separate key for each program, with only the permissions it needs.',
    button('New key', () => newKey(organisations), { kind: 'primary', icon: 'plus', id: 'new-key' }),
    h('p', {}, h('a', { href: '/v1/docs', id: 'api-docs' }, 'What the API can do')),
    rows.length ? table('API keys', [
      { title: 'For', cell: (key) => [key.label, !live(key) && h('span', { class: 'tag' }, key.revoked ? 'revoked' : 'expired'),
        Date.parse(key.previousUntil) > Date.now() && h('span', { class: 'soft block' }, 'old secret valid until ', when(key.previousUntil))] }, { title: 'Counts in', cell: (key) => [nameOf(organisations, key.organisation), key.prefix && h('span', { class: 'soft block' }, `only ${key.prefix}…`)] },
      { title: 'May', cell: (key) => key.verbs.join(', ') }, { title: 'Last used', cell: (key) => when(key.lastUsed) }, { title: 'Until', cell: (key) => (key.expires ? when(key.expires) : 'no end') },
      { title: 'Actions', cell: (key) => live(key) && [button('Rotate', async () => {
        if (!await confirm(`New secret for “${key.label}”?`, 'The current secret stays valid for 24 hours, so that you can change the program meanwhile.', 'Make a new secret', 'primary')) return;
        try { await secret('The new secret', 'Copy it now: it is shown only once and cannot be recovered.', (await post(`/v1/keys/${key.id}/rotate`)).data.token); again(); } catch (error) { tell(error.message, { kind: 'bad' }); }
      }, { kind: 'quiet', label: `Rotate ${key.label}`, id: `rotate-${key.id}` }), button('Revoke', async () => {
        if (await confirm(`Revoke “${key.label}”?`, 'The program that uses it is refused from now on. This cannot be undone.', 'Revoke')) { await remove(`/v1/keys/${key.id}`); tell('Revoked.'); again(); }
      }, { kind: 'quiet', label: `Revoke ${key.label}`, id: `revoke-${key.id}` })] }], rows).root : h('p', {}, 'There are none yet.'));
}

async function newKey(organisations) {
  const label = field({ label: 'What it is for', control: input({ id: 'key-label', required: true }) });
  const scope = field({ label: 'Counts in', control: select({ id: 'key-organisation' }, scopes(organisations, 'reader')) });
  const prefix = field({ label: 'Only numbers that begin with', hint: 'The first digits of the GS1 Company Prefix.', control: input({ id: 'key-prefix', inputmode: 'numeric' }), optional: true });
  const own = !may('admin');
  const soon = own ? new Date(Date.now() + 90 * 86400000).toISOString().slice(0, 10) : '';
  const expires = field({ label: 'Counts until', hint: own ? 'At most a year.' : undefined, control: h('input', { type: 'date', id: 'key-expires', value: soon }), optional: !own });
  const verbs = VERBS.filter(([, , role]) => may(role)).map(([verb, words]) => ({ verb, ...checkbox(words, { id: `verb-${verb}`, checked: verb === 'read' }) }));
  const kept = !own && checkbox('Keep it when I leave: it belongs to the organisation', { id: 'key-kept' });
  const made = await ask('New API key', [{ member: 'label', field: label }, { member: 'organisation', field: scope }, { member: 'prefix', field: prefix }, { member: 'expires', field: expires }], 'Make the key', async () => (await post('/v1/keys', {
    label: label.control.value.trim(), forOrganisation: Boolean(kept && kept.control.checked), organisation: scope.control.value || null, verbs: verbs.filter((one) => one.control.checked).map((one) => one.verb),
    prefix: prefix.control.value.trim() || null, expires: expires.control.value ? new Date(`${expires.control.value}T00:00`).toISOString() : null,
  })).data, h('fieldset', {}, h('legend', {}, 'It may'), verbs.map((one) => one.root), kept && kept.root));
  if (!made) return;
  await secret('The new key', 'Copy it now: it is shown only once and cannot be recovered.', made.token);
  again();
}

/** Shows a secret once, with a button that copies it. */
export function secret(title, words, text) {
  return dialog(title, (close) => {
    const box = h('textarea', { id: 'secret', readOnly: true, value: text, class: 'mono', rows: text.split('\n').length + 1, on: { focus: (event) => event.target.select() } });
    const shown = field({ label: 'Secret', control: box, wide: true });
    const copied = h('p', { class: 'soft', role: 'status' });
    const copy = button('Copy', async () => {
      try { await navigator.clipboard.writeText(text); } catch { box.select(); document.execCommand('copy'); }
      put(copied, 'Copied.');
    }, { icon: 'copy', id: 'copy-secret' });
    return [h('p', {}, words), shown.root, copied, h('div', { class: 'actions' }, copy, button('I have it', () => close(true), { kind: 'primary', id: 'secret-done' }))];
  }, { locked: true, id: 'secret-dialog' });
}

// ---- users ---------------------------------------------------------------------------------------------------------

export async function users() {
  const [list, organisations] = await Promise.all([all('users'), organisationsOrNone()]);
  return page('Users', 'People who may sign in here, and what they may do.', button('New user', () => editUser(undefined, organisations), { kind: 'primary', icon: 'plus', id: 'new-user' }),
    table('Users', [
      { title: 'Name', cell: (user) => [user.name || user.login, h('span', { class: 'soft block' }, user.login), user.disabled && h('span', { class: 'tag' }, 'disabled'), user.setUpBy && h('span', { class: 'tag' }, 'not confirmed'), user.secondFactor && h('span', { class: 'tag' }, 'second factor')] },
      { title: 'May', cell: (user) => (user.memberships ?? []).map((one) => h('div', {}, `${one.role} in ${nameOf(organisations, one.organisation)}`)) }, { title: 'Since', cell: (user) => when(user.created) },
      { title: 'Actions', cell: (user) => [button('Change', () => editUser(user, organisations), { kind: 'quiet', label: `Change ${user.login}`, id: `user-${user.id}` }), user.setUpBy && button('Confirm', () => confirmUser(user), { kind: 'quiet', label: `Confirm ${user.login}`, id: `confirm-${user.id}` }), user.secondFactor && button('Reset second factor', () => resetTotp(user), { kind: 'quiet', label: `Reset second factor of ${user.login}`, id: `reset-totp-${user.id}` }), button('Erase', () => erase(user), { kind: 'quiet', label: `Erase ${user.login}`, id: `erase-${user.id}` })] }], list).root);
}

async function confirmUser(user) {
  if (!await confirm(`Confirm ${user.name || user.login}?`, 'Someone else set the password of this account. Until you confirm that its user is another person, the two cannot approve each other’s changes.', 'Confirm', 'primary')) return;
  try { await post(`/v1/users/${user.id}/confirm`); tell('Confirmed.'); again(); } catch (error) { tell(error.message, { kind: 'bad' }); }
}

async function resetTotp(user) {
  if (!await confirm(`Reset the second factor of ${user.name || user.login}?`, 'Only the password is needed to sign in then. Be sure that the request comes from this person.', 'Reset')) return;
  try { await remove(`/v1/users/${user.id}/totp`); tell('Reset.'); again(); } catch (error) { tell(error.message, { kind: 'bad' }); }
}

async function erase(user) {
  if (!await confirm(`Erase ${user.name || user.login}?`, ['The account, the name and the addresses in the audit log go for good. What the person did stays in the log, without the name.'], 'Erase')) return;
  await remove(`/v1/users/${user.id}`);
  tell('Erased.');
  again();
}

async function editUser(user, organisations) {
  const login = field({ label: 'Login', hint: 'Typed to sign in.', control: input({ id: 'user-login', value: user?.login, required: true, readOnly: Boolean(user) }) });
  const name = field({ label: 'Name', control: input({ id: 'user-name', value: user?.name, autocapitalize: 'words' }), optional: true });
  const password = field({ label: user ? 'New password' : 'First password', hint: user ? 'Empty: it stays. A new one ends all their sessions and revokes their API keys.' : 'At least 12 characters.', control: input({ id: 'user-password', type: 'password', autocomplete: 'new-password' }), optional: Boolean(user) });
  const disabled = checkbox('May not sign in', { id: 'user-disabled', checked: user?.disabled });
  const rights = memberships(user?.memberships ?? [{ organisation: scopes(organisations)[0]?.[0] || null, role: 'editor' }], organisations);
  const done = await ask(user ? `Change ${user.name || user.login}` : 'New user', [{ member: 'login', field: login }, { member: 'name', field: name }, { member: 'password', field: password }], user ? 'Save' : 'Make the account', () => {
    const body = { name: name.control.value.trim(), memberships: rights.read() };
    if (password.control.value) body.password = password.control.value;
    return user ? patch(`/v1/users/${user.id}`, { ...body, disabled: disabled.control.checked }) : post('/v1/users', { login: login.control.value.trim(), ...body });
  }, [rights.root, user && disabled.root]);
  if (done) { tell('Saved.'); again(); }
}

function memberships(present, organisations) {
  const list = h('ul', { class: 'memberships' });
  const options = scopes(organisations);
  const add = (one = { organisation: options[0]?.[0], role: 'editor' }) => {
    const known = options.some(([id]) => id === (one.organisation ?? '')) ? options : [...options, [one.organisation ?? '', nameOf(organisations, one.organisation)]];
    const role = select({ 'aria-label': 'Role', value: String(one.role).toLowerCase() }, ROLES);
    const where = select({ 'aria-label': 'Where', value: one.organisation ?? '' }, known);
    const row = h('li', {}, role, where, button(undefined, () => { row.remove(); more.focus(); }, { kind: 'quiet', icon: 'bin', label: 'Remove this role' }));
    row.read = () => ({ organisation: where.value || null, role: role.value });
    list.append(row);
  };
  const more = button('Another role', () => { add(); list.lastChild.querySelector('select').focus(); }, { kind: 'quiet', icon: 'plus' });
  present.forEach(add);
  return { root: h('fieldset', {}, h('legend', {}, 'Roles'), list, more), read: () => [...list.children].map((row) => row.read()) };
}

// ---- organisations -------------------------------------------------------------------------------------------------

export async function organisations() {
  const list = await all('organisations');
  const whole = mayEverywhere('admin');
  return page('Organisations', 'An organisation owns the keys that begin with its GS1 Company Prefixes.', whole && button('New organisation', () => editOrganisation(), { kind: 'primary', icon: 'plus', id: 'new-organisation' }),
    list.length ? table('Organisations', [{ title: 'Name', cell: (one) => one.name }, { title: 'Company prefixes', cell: (one) => (one.prefixes ?? []).map((prefix) => h('code', { class: 'tag' }, prefix)) },
      { title: 'Rules', cell: (one) => [one.approvalRequired && h('div', {}, 'Changes need approval'), one.regulated && h('div', {}, 'May use health care link types')] },
      { title: 'Actions', cell: (one) => [button('Use', () => showUse(one), { kind: 'quiet', label: `Use of ${one.name}`, id: `use-${one.id}` }), whole && button('Change', () => editOrganisation(one), { kind: 'quiet', label: `Change ${one.name}`, id: `organisation-${one.id}` }), whole && button('Delete', async () => {
        if (await confirm(`Delete ${one.name}?`, 'Its users and API keys lose their permissions; its records are kept.', 'Delete')) { await remove(`/v1/organisations/${one.id}`); tell('Deleted.'); again(); }
      }, { kind: 'quiet', label: `Delete ${one.name}` })] }], list).root : h('p', {}, 'There are none yet. Without one, only administrators of the installation may change records.'));
}

const QUANTITIES = [['levels', 'Records'], ['bytes', 'Bytes of records'], ['keys', 'API keys'], ['proposals', 'Changes that wait for approval']];

/** How much an organisation uses, and how much it may. */
async function showUse(one) {
  const { data } = await get(`/v1/organisations/${one.id}/usage`);
  const rows = QUANTITIES.map(([name, title]) => ({ title, ...data[name] }));
  await dialog(`Use of ${one.name}`, (close) => [data.counting && h('p', { class: 'soft' }, 'The records are still being counted.'),
    table('Use', [{ title: 'What', cell: (row) => row.title }, { title: 'In use', class: 'number', cell: (row) => row.used.toLocaleString() },
      { title: 'At most', class: 'number', cell: (row) => row.quota?.toLocaleString() ?? 'no limit' }], rows).root,
    h('div', { class: 'actions' }, button('Close', () => close(true), { kind: 'primary', id: 'use-done' }))], { id: 'use-dialog' });
}

async function editOrganisation(one) {
  const split = (text) => text.split(/[\s,;]+/).filter(Boolean);
  const name = field({ label: 'Name', control: input({ id: 'organisation-name', value: one?.name, required: true, autocapitalize: 'words' }) });
  const prefixes = field({ label: 'GS1 Company Prefixes', hint: '4 to 12 digits each, with spaces between.', control: input({ id: 'organisation-prefixes', value: one?.prefixes?.join(' '), inputmode: 'numeric' }) });
  const single = field({ label: 'Single keys', hint: 'Such as /01/09506000134352; for numbers that GS1 gave out singly.', control: input({ id: 'organisation-keys', value: one?.keys?.join(' ') }), optional: true });
  const approval = checkbox('Every change needs approval by a second person', { id: 'organisation-approval', checked: one?.approvalRequired });
  const regulated = checkbox('May use the link types for health care', { id: 'organisation-regulated', checked: one?.regulated });
  const most = QUANTITIES.map(([member, title]) => ({ member, ...field({ label: `At most: ${title.toLowerCase()}`, control: input({ id: `quota-${member}`, value: one?.quotas?.[member] ?? undefined, inputmode: 'numeric', pattern: '[0-9]*' }), optional: true }) }));
  const quotas = () => Object.fromEntries(most.map(({ member, control }) => [member, control.value.trim() ? Number(control.value) : null]));
  const body = () => ({ name: name.control.value.trim(), prefixes: split(prefixes.control.value), keys: split(single.control.value), approvalRequired: approval.control.checked, regulated: regulated.control.checked, quotas: quotas() });
  const done = await ask(one ? `Change ${one.name}` : 'New organisation', [{ member: 'name', field: name }, { member: 'prefixes', field: prefixes }, { member: 'keys', field: single }], one ? 'Save' : 'Make it',
    () => (one ? patch(`/v1/organisations/${one.id}`, body()) : post('/v1/organisations', body())), [approval.root, regulated.root, most.map((quota) => quota.root)]);
  if (done) { tell('Saved.'); again(); }
}

