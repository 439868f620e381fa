// Signed links: an address that shows what some roles may see, for somebody without an account.
import { ask, secret } from './accounts.js';
import { post } from './api.js';
import { button, checkbox, field, h } from './dom.js';
import { t } from './texts.js';
import { isMany, keyInWords, roleName } from './words.js';

const DAY = 86400000;
/** Days until a link ends, as offered and at most. */
const DAYS = { usual: 30, most: 366 };

/** Beside a record of one key, if the server has roles and a secret to sign with. */
export const signedLinkButton = (key, { roles, signedLinks }) =>
  signedLinks &&
  !isMany(key) &&
  button(t('signed_link.heading'), () => make(key, roles), {
    kind: 'quiet',
    icon: 'key',
    id: 'signed-link',
  });

async function make(key, roles) {
  const choices = roles.map(({ name }) => ({
    name,
    ...checkbox(roleName(name), { id: `signed-role-${name}`, checked: roles.length === 1 }),
  }));
  const day = (days) => {
    const date = new Date(Date.now() + days * DAY);
    date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
    return date.toISOString().slice(0, 10);
  };
  const until = field({
    label: t('people.key_expires'),
    control: h('input', {
      type: 'date',
      id: 'signed-until',
      required: true,
      value: day(DAYS.usual),
      min: day(1),
      max: day(DAYS.most),
    }),
  });
  const send = async () => {
    const chosen = choices.filter((one) => one.control.checked).map((one) => one.name);
    if (chosen.length === 0)
      throw Object.assign(new Error(), {
        errors: [{ own: true, detail: t('signed_link.which') }],
      });
    const { data } = await post('/v1/signed-links', {
      key: `/${key}`,
      roles: chosen,
      until: new Date(`${until.control.value}T00:00`).toISOString(),
    });
    return data;
  };
  const made = await ask(
    t('signed_link.heading'),
    [{ member: 'until', field: until }],
    t('signed_link.make'),
    send,
    h(
      'fieldset',
      {},
      h('legend', {}, t('people.roles')),
      choices.map((one) => one.root),
    ),
  );
  if (!made) return;
  const words = t('signed_link.lead', { name: keyInWords(key) });
  await secret(t('signed_link.heading'), words, made.href, t('difference.address'));
}
