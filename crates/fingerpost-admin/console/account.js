// The user's own account: the second factor, and the sessions.
import { api, get, holdToken, post, remove } from './api.js';
import { again, busy, button, dialog, field, h, heading, input, put, svg, table, tell, when } from './dom.js';
import { secret } from './accounts.js';
import { session, setSession } from './session.js';

export async function account() {
  const [{ data }] = await Promise.all([get('/v1/sessions'), renew()]);
  const on = session().user.secondFactor;
  const others = data.sessions.filter((one) => !one.current).length;
  return [heading('Your account'),
    session().secondFactorRequired && h('p', { class: 'error' }, 'Administrators need a second factor here. Set it up to go on.'),
    h('h2', {}, 'Second factor'),
    h('p', { class: 'soft' }, on ? 'Signing in needs a code of your authenticator application.' : 'With a second factor, a stolen password alone is not enough to sign in.'),
    on ? button('Turn off', turnOff, { id: 'totp-off' }) : button('Set up', setUp, { kind: 'primary', id: 'totp-on' }),
    h('h2', {}, 'Sessions'),
    table('Sessions', [{ title: 'Where', cell: (one) => [one.client, one.current && h('span', { class: 'tag' }, 'this one')] }, { title: 'Begun', cell: (one) => when(one.created) }, { title: 'Last used', cell: (one) => when(one.lastUsed) },
      { title: 'Actions', cell: (one) => !one.current && button('End', () => end(`/${one.id}`), { kind: 'quiet', label: `End the session in ${one.client}`, id: `end-${one.id.slice(0, 8)}` }) }], data.sessions).root,
    others > 0 && button('End all others', () => end(''), { id: 'end-others' })];
}

async function renew() {
  const { data } = await get('/v1/session');
  setSession(data);
  holdToken(data.csrf);
}

async function end(which) {
  await remove(`/v1/sessions${which}`);
  tell('Ended.');
  again();
}

const password = () => field({ label: 'Your password', control: input({ id: 'own-password', type: 'password', autocomplete: 'current-password', required: true }) });
const code = (hint) => field({ label: 'Code', hint, control: input({ id: 'own-code', autocomplete: 'one-time-code', required: true }) });

/** A dialog with fields; `send` gives what it resolves to. */
function ask(title, fields, verb, send, ...before) {
  return dialog(title, (close) => {
    const said = h('p', { class: 'error', role: 'alert', id: 'totp-error' });
    const submit = button(verb, undefined, { kind: 'primary', type: 'submit', id: 'submit' });
    const run = (event) => {
      event.preventDefault();
      put(said);
      busy(submit, async () => close((await send()) ?? true), (error) => { put(said, error.status === 401 ? 'The password or the code is wrong.' : error.message); return true; });
    };
    return h('form', { on: { submit: run } }, before, fields.map((one) => one.root), said, h('div', { class: 'actions' }, submit, button('Cancel', () => close(), { kind: 'quiet' })));
  });
}

async function setUp() {
  const own = password();
  const begun = await ask('Set up a second factor', [own], 'Go on', async () => (await post('/v1/session/totp', { password: own.control.value }, { plain: true })).data);
  if (!begun) return;
  const typed = code('The six digits that the application shows.');
  const { size, path } = begun.qr;
  const qr = svg('svg', { class: 'qr', viewBox: `-4 -4 ${size + 8} ${size + 8}`, width: 220, height: 220, role: 'img', 'aria-label': 'QR code for an authenticator application' },
    svg('path', { d: `M-4 -4h${size + 8}v${size + 8}h-${size + 8}z`, fill: '#fff' }), svg('path', { d: path, fill: '#000' }));
  const made = await ask('Scan it with your application', [typed], 'Turn on', async () => (await api('PUT', '/v1/session/totp', { json: { code: typed.control.value }, plain: true })).data,
    qr, h('p', {}, 'Or type this secret: ', h('code', { id: 'totp-secret' }, begun.secret)));
  if (!made) return;
  await secret('Recovery codes', 'Keep these codes in a safe place: each of them replaces a code once, if you lose the device. They are shown only once.', made.recoveryCodes.join('\n'));
  // The permissions may be others now, and with them the menu.
  if (session().secondFactorRequired) location.reload();
  else again();
}

async function turnOff() {
  const own = password();
  const typed = code('Or a recovery code.');
  if (await ask('Turn the second factor off', [own, typed], 'Turn off', () => post('/v1/session/totp/remove', { password: own.control.value, code: typed.control.value }, { plain: true }))) { tell('The second factor is off.'); again(); }
}
