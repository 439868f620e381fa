// Signing in: the page, the dialog when a session ended in the middle of something, and the password.
import { api, faultText, holdToken } from './api.js';
import {
  busy,
  button,
  checkbox,
  dialog,
  field,
  h,
  input,
  put,
  errorText,
  select,
  notify,
} from './dom.js';
import { forgotPassword, newPassword } from './by-mail.js';
import { session, setSession } from './session.js';
import { choose, language, LANGUAGES, t } from './texts.js';

function form(done, { login, ways, verb = t('sign_in.title') } = {}) {
  const name = field({
    label: t('sign_in.login'),
    control: input({
      id: 'login',
      name: 'login',
      autocomplete: 'username',
      value: login ?? '',
      readOnly: Boolean(login),
      required: true,
    }),
  });
  const password = field({
    label: t('sign_in.password'),
    control: input({
      id: 'password',
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
      required: true,
      autofocus: Boolean(login),
    }),
  });
  const code = field({
    label: t('sign_in.code'),
    hint: t('sign_in.code_hint'),
    control: input({ id: 'code', name: 'code', autocomplete: 'one-time-code' }),
  });
  code.root.hidden = true;
  const message = h('p', { class: 'error', id: 'sign-in-error', role: 'alert' });
  const submit = button(verb, undefined, { kind: 'primary', type: 'submit', id: 'sign-in' });
  const send = async (event) => {
    event.preventDefault();
    put(message);
    await busy(
      submit,
      async () => {
        const { data } = await api('POST', '/v1/session', {
          json: {
            login: name.control.value.trim(),
            password: password.control.value,
            code: code.root.hidden ? undefined : code.control.value,
          },
          plain: true,
        });
        const whole =
          data?.user && data?.csrf ? data : (await api('GET', '/v1/session', { plain: true })).data;
        done(whole);
      },
      (error) => {
        if (error.code === 'code-required') {
          code.root.hidden = false;
          code.control.focus();
          return true;
        }
        put(message, wrong(error));
        (code.root.hidden ? password : code).control.select();
        return true;
      },
    );
  };
  return h(
    'form',
    { id: 'sign-in-form', on: { submit: send } },
    name.root,
    password.root,
    code.root,
    message,
    h(
      'div',
      { class: 'actions' },
      submit,
      button(t('sign_in.forgot'), () => forgotPassword(name.control.value.trim()), {
        kind: 'quiet',
        id: 'forgot',
      }),
    ),
    ways?.oidc &&
      h(
        'p',
        { class: 'or' },
        h(
          'a',
          { class: 'button', id: 'sign-in-oidc', href: '/v1/oidc/start' },
          typeof ways.oidc === 'string'
            ? t('sign_in.with', { name: ways.oidc })
            : t('sign_in.with_organisation'),
        ),
      ),
  );
}

function wrong(error) {
  if (error.status === 401) return t('sign_in.wrong');
  if (error.status === 429)
    return error.retryAfter
      ? t('sign_in.too_many', { seconds: error.retryAfter })
      : t('sign_in.too_many_wait');
  return errorText(error);
}

/** The choice of the language of the console. */
export function languageChoice() {
  const control = select(
    {
      id: 'console-language',
      value: language,
      'aria-label': t('frame.language'),
      title: t('frame.language'),
    },
    [],
  );
  for (const [tag, name] of LANGUAGES)
    control.append(h('option', { value: tag, lang: tag, selected: tag === language }, name));
  control.addEventListener('change', () => choose(control.value));
  return h('div', { class: 'language' }, control);
}

export function signInPage(ways, done) {
  return h(
    'main',
    { class: 'alone', id: 'main' },
    h('img', { src: 'icon.svg', alt: '', width: 48, height: 48 }),
    h('h1', {}, t('sign_in.heading')),
    h('p', { class: 'soft' }, t('sign_in.lead')),
    form(done, { ways }),
    languageChoice(),
  );
}

/** The session ended in the middle of something: sign in again over the page, which stays as it is. */
export async function signInAgain() {
  const again = await dialog(
    t('sign_in.ended'),
    (close) => [
      h('p', {}, t('sign_in.ended_lead')),
      form(
        (data) => {
          setSession(data);
          holdToken(data.csrf);
          close(true);
        },
        { login: session()?.user?.login, ways: session()?.signIn, verb: t('sign_in.go_on') },
      ),
    ],
    { id: 'sign-in-again' },
  );
  return again === true;
}

export function changePassword() {
  return dialog(t('sign_in.change_heading'), (close) => {
    const old = field({
      label: t('sign_in.old'),
      control: input({
        id: 'old-password',
        type: 'password',
        autocomplete: 'current-password',
        required: true,
      }),
    });
    const fresh = newPassword();
    const revoke = checkbox(t('sign_in.revoke'), { id: 'revoke-keys' });
    const submit = button(t('frame.password'), undefined, { kind: 'primary', type: 'submit' });
    const send = async (event) => {
      event.preventDefault();
      old.fault();
      fresh.fault();
      await busy(
        submit,
        async () => {
          const { data } = await api('PUT', '/v1/session/password', {
            json: {
              old: old.control.value,
              new: fresh.control.value,
              revokeKeys: revoke.control.checked,
            },
            plain: true,
          });
          if (data?.csrf) holdToken(data.csrf);
          close(true);
          notify(t('sign_in.changed'));
        },
        (error) => {
          if (error.status === 401) {
            old.fault(t('sign_in.not_current'));
            return true;
          }
          (error.errors?.some((one) => one.pointer === '/new') ||
          /charact|bytes/.test(error.english ?? error.message)
            ? fresh
            : old
          ).fault(error.errors?.[0] ? faultText(error.errors[0]) : errorText(error));
          return true;
        },
      );
    };
    const who = h('input', {
      type: 'text',
      autocomplete: 'username',
      value: session().user.login,
      readOnly: true,
      hidden: true,
    });
    return h(
      'form',
      { on: { submit: send } },
      who,
      old.root,
      fresh.root,
      revoke.root,
      h(
        'div',
        { class: 'actions' },
        submit,
        button(t('common.cancel'), () => close(), { kind: 'quiet' }),
      ),
    );
  });
}
