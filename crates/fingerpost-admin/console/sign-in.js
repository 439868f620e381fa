// Signing in: the page, the dialog when a session ended in the middle of something, and the password.
import { api, holdToken, sentence } from './api.js';
import { busy, button, checkbox, dialog, field, h, input, put, tell } from './dom.js';
import { session, setSession } from './session.js';

function form(done, { login, ways, verb = 'Sign in' } = {}) {
  const name = field({ label: 'Login', control: input({ id: 'login', name: 'login', autocomplete: 'username', value: login ?? '', readOnly: Boolean(login), required: true }) });
  const password = field({ label: 'Password', control: input({ id: 'password', name: 'password', type: 'password', autocomplete: 'current-password', required: true, autofocus: Boolean(login) }) });
  const code = field({ label: 'Code', hint: 'Of your authenticator application, or a recovery code.', control: input({ id: 'code', name: 'code', autocomplete: 'one-time-code' }) });
  code.root.hidden = true;
  const said = h('p', { class: 'error', id: 'sign-in-error', role: 'alert' });
  const submit = button(verb, undefined, { kind: 'primary', type: 'submit', id: 'sign-in' });
  const send = async (event) => {
    event.preventDefault();
    put(said);
    await busy(submit, async () => {
      const { data } = await api('POST', '/v1/session', { json: { login: name.control.value.trim(), password: password.control.value, code: code.root.hidden ? undefined : code.control.value }, plain: true });
      const whole = data?.user && data?.csrf ? data : (await api('GET', '/v1/session', { plain: true })).data;
      done(whole);
    }, (error) => {
      if (error.code === 'code-required') {
        code.root.hidden = false;
        code.control.focus();
        return true;
      }
      put(said, wrong(error));
      (code.root.hidden ? password : code).control.select();
      return true;
    });
  };
  return h('form', { id: 'sign-in-form', on: { submit: send } }, name.root, password.root, code.root, said, h('div', { class: 'actions' }, submit),
    ways?.oidc && h('p', { class: 'or' }, h('a', { class: 'button', id: 'sign-in-oidc', href: '/v1/oidc/start' }, typeof ways.oidc === 'string' ? `Sign in with ${ways.oidc}` : 'Sign in with your organisation')));
}

function wrong(error) {
  if (error.status === 401) return 'Login, password or code is wrong.';
  if (error.status === 429) return `Too many attempts. ${error.retryAfter ? `Try again in ${error.retryAfter} seconds.` : 'Wait a moment.'}`;
  return error.message;
}

export function signInPage(ways, done) {
  return h('main', { class: 'alone', id: 'main' },
    h('img', { src: 'icon.svg', alt: '', width: 48, height: 48 }),
    h('h1', {}, 'Sign in to fingerpost'),
    h('p', { class: 'soft' }, 'Here you say where a scan of your products leads.'),
    form(done, { ways }));
}

/** The session ended in the middle of something: sign in again over the page, which stays as it is. */
export async function signInAgain() {
  const again = await dialog('Your session has ended', (close) => [
    h('p', {}, 'Sign in again to go on. Nothing that you typed is lost.'),
    form((data) => { setSession(data); holdToken(data.csrf); close(true); }, { login: session()?.user?.login, ways: session()?.signIn, verb: 'Sign in and go on' }),
  ], { id: 'sign-in-again' });
  return again === true;
}

export function changePassword() {
  return dialog('Change your password', (close) => {
    const old = field({ label: 'Present password', control: input({ id: 'old-password', type: 'password', autocomplete: 'current-password', required: true }) });
    const fresh = field({ label: 'New password', hint: 'At least 12 characters; a few words are good.', control: input({ id: 'new-password', type: 'password', autocomplete: 'new-password', required: true, minlength: 12 }) });
    const revoke = checkbox('Also revoke my API keys', { id: 'revoke-keys' });
    const submit = button('Change password', undefined, { kind: 'primary', type: 'submit' });
    const send = async (event) => {
      event.preventDefault();
      old.fault();
      fresh.fault();
      await busy(submit, async () => {
        const { data } = await api('PUT', '/v1/session/password', { json: { old: old.control.value, new: fresh.control.value, revokeKeys: revoke.control.checked }, plain: true });
        if (data?.csrf) holdToken(data.csrf);
        close(true);
        tell('Your password is changed.');
      }, (error) => {
        if (error.status === 401) { old.fault('This is not your current password.'); return true; }
        (error.errors?.some((one) => one.pointer === '/new') || /charact|bytes/.test(error.message) ? fresh : old).fault(sentence(error.errors?.[0]?.detail ?? error.message));
        return true;
      });
    };
    const who = h('input', { type: 'text', autocomplete: 'username', value: session().user.login, readOnly: true, hidden: true });
    return h('form', { on: { submit: send } }, who, old.root, fresh.root, revoke.root, h('div', { class: 'actions' }, submit, button('Cancel', () => close(), { kind: 'quiet' })));
  });
}
