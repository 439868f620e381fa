// What a link in a mail leads to: accepting an invitation, and a new password. Asking for one, and the terms.
import { api, faultText } from './api.js';
import { busy, button, dialog, field, h, input, put, errorText, notify } from './dom.js';
import { language, t } from './texts.js';

/** A form with fields {member, field}; faults of the server stand beside them, others above the button. */
function form(fields, verb, send, ...more) {
  const message = h('p', { class: 'error', role: 'alert', id: 'mail-error' });
  const submit = button(verb, undefined, { kind: 'primary', type: 'submit', id: 'submit' });
  const run = (event) => {
    event.preventDefault();
    put(message);
    for (const one of fields) one.field.fault();
    busy(submit, send, (error) => {
      const rest = error.errors.filter((fault) => {
        const one = fields.find(({ member }) => fault.pointer === `/${member}`);
        one?.field.fault(faultText(fault));
        return !one;
      });
      if (rest.length || !error.errors.length)
        put(message, rest.length ? rest.map((fault) => faultText(fault)) : errorText(error));
      return true;
    });
  };
  return h(
    'form',
    { on: { submit: run } },
    fields.map((one) => one.field.root),
    message,
    h('div', { class: 'actions' }, submit, more),
  );
}

const alone = (heading, ...content) =>
  h(
    'main',
    { class: 'alone', id: 'main' },
    h('img', { src: 'icon.svg', alt: '', width: 48, height: 48 }),
    h('h1', { tabindex: '-1' }, heading),
    content,
  );

/** A field for a new password. */
export const newPassword = () =>
  field({
    label: t('sign_in.new'),
    hint: t('sign_in.new_hint'),
    control: input({
      id: 'new-password',
      type: 'password',
      autocomplete: 'new-password',
      required: true,
      minlength: 12,
    }),
  });

/** The page of a link. `done` gets the new session, or nothing. */
export const LINKS = {
  invitation: (token, done) => {
    const name = field({
      label: t('sign_in.your_name'),
      control: input({
        id: 'own-name',
        autocomplete: 'name',
        autocapitalize: 'words',
        required: true,
      }),
    });
    const password = newPassword();
    const send = async () => {
      const secret = password.control.value;
      const { data } = await api('POST', '/v1/invitations/accept', {
        json: { token, name: name.control.value.trim(), password: secret },
        plain: true,
      });
      await api('POST', '/v1/session', {
        json: { login: data.login, password: secret },
        plain: true,
      });
      done();
    };
    const fields = [
      { member: 'name', field: name },
      { member: 'password', field: password },
    ];
    return alone(
      t('sign_in.invited'),
      h('p', { class: 'soft' }, t('sign_in.invited_lead')),
      form(fields, t('sign_in.accept'), send),
    );
  },
  reset: (token, done) => {
    const password = newPassword();
    const send = async () => {
      await api('POST', '/v1/password-resets/finish', {
        json: { token, password: password.control.value },
        plain: true,
      });
      done();
      notify(t('sign_in.set_done'));
    };
    return alone(
      t('sign_in.set_heading'),
      form([{ member: 'password', field: password }], t('sign_in.set'), send),
    );
  },
};

/** Asks for a mail with a link to a new password. The answer is the same for every address. */
export function forgotPassword(login) {
  return dialog(t('sign_in.forgot'), (close) => {
    const address = field({
      label: t('sign_in.address'),
      control: input({
        id: 'address',
        type: 'email',
        autocomplete: 'email',
        required: true,
        value: login.includes('@') ? login : '',
      }),
    });
    const send = async () => {
      await api('POST', '/v1/password-resets', {
        json: { address: address.control.value.trim(), language },
        plain: true,
      });
      close(true);
      notify(t('sign_in.sent'));
    };
    return [
      h('p', {}, t('sign_in.forgot_lead')),
      form(
        [{ member: 'address', field: address }],
        t('sign_in.send'),
        send,
        button(t('common.cancel'), () => close(), { kind: 'quiet' }),
      ),
    ];
  });
}

/** The terms that a member accepts before anything else. */
export function termsPage(terms, accepted, signOut) {
  const send = async () => {
    await api('PUT', '/v1/session/terms', { json: { version: terms.version } });
    accepted();
  };
  return alone(
    t('sign_in.terms'),
    h('p', { class: 'soft' }, t('sign_in.terms_lead', { version: terms.version })),
    terms.text &&
      h(
        'div',
        {
          class: 'terms',
          id: 'terms',
          tabindex: '0',
          role: 'region',
          'aria-label': t('sign_in.terms'),
        },
        terms.text,
      ),
    terms.url &&
      h(
        'p',
        {},
        h('a', { href: terms.url, target: '_blank', rel: 'noopener' }, t('sign_in.terms_read')),
      ),
    form(
      [],
      t('sign_in.terms_accept'),
      send,
      button(t('frame.sign_out'), signOut, { kind: 'quiet', id: 'sign-out' }),
    ),
  );
}
