// What the pages of keys, users and organisations share: forms in a dialog, choices of organisations, secrets.
import { all, faultText } from './api.js';
import { busy, button, dialog, field, h, heading, put, errorText } from './dom.js';
import { mayEverywhere, mayIn, rights } from './session.js';
import { t } from './texts.js';

export const organisationsOrNone = () => all('organisations').catch(() => []);
export const nameOf = (list, id) =>
  id ? (list.find((one) => one.id === id)?.name ?? id) : t('people.installation');

/** Where one has a role: in organisations, and in the whole installation. */
export function scopes(list, role = 'admin') {
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
export function ask(title, fields, verb, send, extra) {
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

export function page(title, words, add, ...list) {
  return [heading(title, add), h('p', { class: 'soft' }, words), list];
}

/** Shows a secret once, with a button that copies it. */
export function secret(title, words, text, label = t('people.secret')) {
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
      const shown = field({ label, control: box, wide: true });
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
