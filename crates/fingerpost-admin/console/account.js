// The user's own account: the second factor, and the sessions.
import { api, get, holdToken, post, remove } from './api.js';
import {
  again,
  busy,
  button,
  dialog,
  field,
  h,
  heading,
  input,
  put,
  errorText,
  svg,
  table,
  notify,
  when,
} from './dom.js';
import { secret } from './accounts.js';
import { session, setSession } from './session.js';
import { t } from './texts.js';

export async function account() {
  const [{ data }] = await Promise.all([get('/v1/sessions'), renew()]);
  const on = session().user.secondFactor;
  const others = data.sessions.filter((one) => !one.current).length;
  return [
    heading(t('account.heading')),
    session().secondFactorRequired && h('p', { class: 'error' }, t('account.required')),
    h('h2', {}, t('account.factor')),
    h('p', { class: 'soft' }, on ? t('account.on') : t('account.off')),
    on
      ? button(t('account.turn_off'), turnOff, { id: 'totp-off' })
      : button(t('account.set_up'), setUp, { kind: 'primary', id: 'totp-on' }),
    h('h2', {}, t('account.sessions')),
    table(
      t('account.sessions'),
      [
        {
          title: t('common.where'),
          cell: (one) => [
            one.client,
            one.current && h('span', { class: 'tag' }, t('account.this_one')),
          ],
        },
        { title: t('account.begun'), cell: (one) => when(one.created) },
        { title: t('account.last_used'), cell: (one) => when(one.lastUsed) },
        {
          title: t('common.actions'),
          cell: (one) =>
            !one.current &&
            button(t('account.end'), () => end(`/${one.id}`), {
              kind: 'quiet',
              label: t('account.end_named', { client: one.client }),
              id: `end-${one.id.slice(0, 8)}`,
            }),
        },
      ],
      data.sessions,
    ).root,
    others > 0 && button(t('account.end_others'), () => end(''), { id: 'end-others' }),
  ];
}

async function renew() {
  const { data } = await get('/v1/session');
  setSession(data);
  holdToken(data.csrf);
}

async function end(which) {
  await remove(`/v1/sessions${which}`);
  notify(t('account.ended'));
  again();
}

const password = () =>
  field({
    label: t('account.password'),
    control: input({
      id: 'own-password',
      type: 'password',
      autocomplete: 'current-password',
      required: true,
    }),
  });
const code = (hint) =>
  field({
    label: t('sign_in.code'),
    hint,
    control: input({ id: 'own-code', autocomplete: 'one-time-code', required: true }),
  });

/** A dialog with fields; `send` gives what it resolves to. */
function ask(title, fields, verb, send, ...before) {
  return dialog(title, (close) => {
    const message = h('p', { class: 'error', role: 'alert', id: 'totp-error' });
    const submit = button(verb, undefined, { kind: 'primary', type: 'submit', id: 'submit' });
    const run = (event) => {
      event.preventDefault();
      put(message);
      busy(
        submit,
        async () => close((await send()) ?? true),
        (error) => {
          put(message, error.status === 401 ? t('account.wrong') : errorText(error));
          return true;
        },
      );
    };
    return h(
      'form',
      { on: { submit: run } },
      before,
      fields.map((one) => one.root),
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

async function setUp() {
  const own = password();
  const begun = await ask(
    t('account.set_up_heading'),
    [own],
    t('account.go_on'),
    async () =>
      (await post('/v1/session/totp', { password: own.control.value }, { plain: true })).data,
  );
  if (!begun) return;
  const typed = code(t('account.digits'));
  const { size, path } = begun.qr;
  const qr = svg(
    'svg',
    {
      class: 'qr',
      viewBox: `-4 -4 ${size + 8} ${size + 8}`,
      width: 220,
      height: 220,
      role: 'img',
      'aria-label': t('account.qr'),
    },
    svg('path', { d: `M-4 -4h${size + 8}v${size + 8}h-${size + 8}z`, fill: '#fff' }),
    svg('path', { d: path, fill: '#000' }),
  );
  const made = await ask(
    t('account.scan'),
    [typed],
    t('account.turn_on'),
    async () =>
      (await api('PUT', '/v1/session/totp', { json: { code: typed.control.value }, plain: true }))
        .data,
    qr,
    h('p', {}, t('account.or_type', { secret: h('code', { id: 'totp-secret' }, begun.secret) })),
  );
  if (!made) return;
  await secret(t('account.recovery'), t('account.recovery_lead'), made.recoveryCodes.join('\n'));
  // The permissions may be others now, and with them the menu.
  if (session().secondFactorRequired) location.reload();
  else again();
}

async function turnOff() {
  const own = password();
  const typed = code(t('account.or_recovery'));
  if (
    await ask(t('account.off_heading'), [own, typed], t('account.turn_off'), () =>
      post(
        '/v1/session/totp/remove',
        { password: own.control.value, code: typed.control.value },
        { plain: true },
      ),
    )
  ) {
    notify(t('account.is_off'));
    again();
  }
}
