// Organisations.
import { all, api, get, patch, post, remove } from './api.js';
import {
  again,
  button,
  checkbox,
  confirm,
  dialog,
  field,
  h,
  input,
  select,
  table,
  notify,
} from './dom.js';
import { mayEverywhere, mayIn, rights } from './session.js';
import { language, listed, number, t } from './texts.js';
import { ask, page } from './accounts.js';

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
            {
              title: t('common.name'),
              cell: (one) => [
                one.name,
                one.suspended &&
                  h('span', { class: 'tag', title: one.suspended.notice }, t('people.suspended')),
              ],
            },
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
                one.contextFromCountry && h('div', {}, t('people.rule_country')),
                one.targetHosts.length > 0 &&
                  h('div', {}, t('people.rule_hosts', { hosts: listed(one.targetHosts) })),
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
                mayChange(one) &&
                  button(t('people.brand'), () => editBrand(one), {
                    kind: 'quiet',
                    label: t('people.brand_named', { name: one.name }),
                    id: `brand-${one.id}`,
                  }),
                whole &&
                  button(t('people.suspend'), () => suspend(one), {
                    kind: 'quiet',
                    label: t('people.suspend_named', { name: one.name }),
                    id: `suspend-${one.id}`,
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

/** Does the person administer this organisation? */
const mayChange = (one) =>
  rights().some((own) => (!own.organisation || own.organisation === one.id) && mayIn(own, 'admin'));

/** Suspends an organisation, changes how its records answer, or ends the suspension. */
async function suspend(one) {
  const mode = field({
    label: t('people.suspend_how'),
    control: select({ id: 'suspend-mode', value: one.suspended?.mode ?? 'answer' }, [
      ['answer', t('people.suspend_answer')],
      ['stop', t('people.suspend_stop')],
      ['notice', t('people.suspend_notice')],
    ]),
  });
  const notice = field({
    label: t('people.notice'),
    hint: t('people.notice_hint'),
    control: input({ id: 'suspend-notice', value: one.suspended?.notice, maxlength: 300 }),
  });
  const show = () => {
    notice.root.hidden = mode.control.value !== 'notice';
  };
  mode.control.addEventListener('change', show);
  show();
  const path = `/v1/organisations/${one.id}/suspension`;
  const end = async () => {
    await remove(path);
    document.querySelector('dialog').close();
    notify(t('people.reinstated'));
    again();
  };
  const send = () => {
    const chosen = mode.control.value;
    const json =
      chosen === 'notice' ? { mode: chosen, notice: notice.control.value } : { mode: chosen };
    return api('PUT', path, { json });
  };
  const done = await ask(
    t('people.suspend_named', { name: one.name }),
    [
      { member: 'mode', field: mode },
      { member: 'notice', field: notice },
    ],
    t('people.suspend'),
    send,
    [
      h('p', { class: 'soft' }, t('people.suspend_lead')),
      one.suspended && button(t('people.reinstate'), end, { id: 'reinstate' }),
    ],
  );
  if (done) {
    notify(t('people.suspended_done'));
    again();
  }
}

/** Changes how the public pages about what an organisation owns present it. */
async function editBrand(one) {
  const brand = one.brand;
  const split = (text) => text.split(/[\s,;]+/).filter(Boolean);
  const name = field({
    label: t('common.name'),
    hint: t('people.brand_name_hint'),
    control: input({ id: 'brand-name', value: brand?.name ?? one.name, maxlength: 60 }),
  });
  const accent = field({
    label: t('people.brand_colour'),
    hint: t('people.brand_colour_hint'),
    control: input({ id: 'brand-accent', type: 'color', value: brand?.accent ?? '#0a4d8c' }),
  });
  const logo = field({
    label: t('people.brand_logo'),
    hint: t(brand?.logo ? 'people.brand_logo_kept' : 'people.brand_logo_hint'),
    control: input({ id: 'brand-logo', type: 'file', accept: '.svg,.png' }),
    optional: true,
  });
  const sources = field({
    label: t('people.brand_pictures'),
    hint: t('people.brand_pictures_hint'),
    control: input({ id: 'brand-pictures', value: brand?.imageSources?.join(' ') }),
    optional: true,
  });
  const noLogo = checkbox(t('people.brand_no_logo'), { id: 'brand-no-logo' });
  const path = `/v1/organisations/${one.id}/brand`;
  const end = async () => {
    await remove(path);
    document.querySelector('dialog').close();
    notify(t('common.saved'));
    again();
  };
  const send = async () => {
    const json = {
      name: name.control.value.trim() || null,
      accent: accent.control.value,
      imageSources: split(sources.control.value),
    };
    const file = logo.control.files[0];
    if (file) json.logo = await base64(file);
    else if (noLogo.control.checked) json.logo = null;
    return api('PUT', path, { json });
  };
  const done = await ask(
    t('people.brand_named', { name: one.name }),
    [
      { member: 'name', field: name },
      { member: 'accent', field: accent },
      { member: 'logo', field: logo },
      { member: 'imageSources', field: sources },
    ],
    t('common.save'),
    send,
    [
      brand?.logo && noLogo.root,
      h('p', { class: 'soft' }, t('people.brand_lead')),
      brand && button(t('people.brand_end'), end, { id: 'brand-end' }),
    ],
  );
  if (done) {
    notify(t('common.saved'));
    again();
  }
}

/** The content of a file in Base64. */
async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
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
  const hosts = field({
    label: t('people.hosts'),
    hint: t('people.hosts_hint'),
    control: input({ id: 'organisation-hosts', value: one?.targetHosts?.join(' ') }),
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
  const country = checkbox(t('people.take_country'), {
    id: 'organisation-country',
    checked: one?.contextFromCountry,
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
    targetHosts: split(hosts.control.value),
    approvalRequired: approval.control.checked,
    regulated: regulated.control.checked,
    contextFromCountry: country.control.checked,
    quotas: quotas(),
  });
  const done = await ask(
    one ? t('people.change_named', { name: one.name }) : t('people.new_organisation'),
    [
      { member: 'name', field: name },
      { member: 'prefixes', field: prefixes },
      { member: 'keys', field: single },
      { member: 'targetHosts', field: hosts },
    ],
    one ? t('common.save') : t('people.make'),
    () => (one ? patch(`/v1/organisations/${one.id}`, body()) : post('/v1/organisations', body())),
    [approval.root, regulated.root, country.root, most.map((quota) => quota.root)],
  );
  if (done) {
    notify(t('common.saved'));
    again();
  }
}
