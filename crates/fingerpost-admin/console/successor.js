// Successors: an old key answers with the links of the new key, and says so.
import { api, faultText, get } from './api.js';
import {
  acting,
  again,
  button,
  busy,
  confirm,
  h,
  heading,
  icon,
  notice,
  put,
  errorText,
  notify,
} from './dom.js';
import { keyField } from './key-field.js';
import { level } from './server.js';
import { t } from './texts.js';
import { elementString, isMany, keyInWords, parts } from './words.js';

/** What `defaultLinkType` of a replaced record is, and the type of the link to its successor. */
export const SUCCESSOR = 'successor-version';

const isSuccessor = (link) =>
  link.linkType === SUCCESSOR ||
  /\/relation\/successor-version$|#successor-version$/.test(link.linkType);

/** Whether a record can have a successor: one key without qualifiers. */
export const mayBeReplaced = (key) => parts(key).length === 1 && !isMany(key);

/** `#/successor/01/…`: which key answers instead. */
export async function successor(key) {
  const stored = await level(key);
  if (!stored)
    return [heading(t('record.none_heading')), h('a', { href: '#/records' }, t('frame.records'))];
  const now = stored.record.links.find(isSuccessor);
  const which = keyField({ text: now?.href ?? '', changed: () => {} });
  const faults = h('div', { role: 'alert' });
  const save = button(t('successor.replace'), undefined, {
    kind: 'primary',
    type: 'submit',
    id: 'replace',
  });
  const form = h(
    'form',
    {
      class: 'editor',
      on: {
        submit: (event) => {
          event.preventDefault();
          busy(save, send);
        },
      },
    },
    h(
      'section',
      {},
      h('h2', {}, t('successor.what')),
      h('p', { class: 'soft' }, t('successor.lead')),
      which.root,
    ),
    faults,
    h(
      'div',
      { class: 'foot' },
      save,
      h('a', { class: 'button quiet', href: `#/record/${key}` }, t('common.cancel')),
    ),
  );

  async function send() {
    put(faults);
    await which.settled();
    const next = which.key();
    if (!next || !mayBeReplaced(next) || next === key) {
      which.fault(
        !next
          ? (which.failure() ?? t('successor.which'))
          : next === key
            ? t('successor.itself')
            : t('successor.without'),
      );
      which.control.focus();
      return;
    }
    const other = await level(next);
    if (!other) {
      which.fault(
        t('successor.unknown', {
          link: h('a', { href: `#/new/${next}` }, t('successor.register')),
        }),
      );
      return;
    }
    const {
      data: { resolverRoot },
    } = await get('/v1/configuration');
    const link = {
      linkType: SUCCESSOR,
      href: `${resolverRoot}/${next}`,
      title: other.record.itemDescription || keyInWords(next),
    };
    const record = {
      ...stored.record,
      defaultLinkType: SUCCESSOR,
      links: [...stored.record.links.filter((one) => !isSuccessor(one)), link],
    };
    try {
      const { status } = await api('PUT', `/v1/levels/${key}`, { json: record, etag: stored.etag });
      notify(status === 202 ? t('common.for_approval') : t('successor.done'));
      location.hash = status === 202 ? '#/approvals' : `#/record/${key}`;
    } catch (error) {
      const causes =
        error.status === 412
          ? [t('successor.changed')]
          : error.errors?.length
            ? error.errors.map(faultText)
            : [errorText(error)];
      put(
        faults,
        notice(
          'bad',
          h('p', {}, t('transfer.nothing_changed')),
          h(
            'ul',
            { id: 'successor-faults' },
            causes.map((text) => h('li', {}, text)),
          ),
        ),
      );
    }
  }

  return [
    h(
      'nav',
      { class: 'crumbs', 'aria-label': t('common.here') },
      h('a', { href: '#/records' }, t('frame.records')),
      ' / ',
      h('a', { href: `#/record/${key}` }, keyInWords(key)),
    ),
    heading(t('successor.heading')),
    form,
  ];
}

/** What a record says above everything while another one answers for it. */
export function replacedNotice(key, stored, mayEnd) {
  const record = stored?.record;
  if (record?.defaultLinkType !== SUCCESSOR) return null;
  const link = record.links.find(isSuccessor);
  const next = /\/(\d{2,4}\/[^/?#]+)$/.exec(link?.href ?? '')?.[1];
  const end = async () => {
    if (
      !(await confirm(
        t('successor.end_question'),
        t('successor.end_lead'),
        t('successor.end_verb'),
        'primary',
      ))
    )
      return;
    const { defaultLinkType, ...rest } = record;
    const { status } = await api('PUT', `/v1/levels/${key}`, {
      json: { ...rest, links: record.links.filter((one) => !isSuccessor(one)) },
      etag: stored.etag,
    });
    notify(status === 202 ? t('common.for_approval') : t('successor.ended'));
    again();
  };
  const ending = acting(t('successor.end'), end, { id: 'end-successor' });
  return notice(
    'plain',
    h(
      'p',
      { id: 'replaced' },
      h('strong', {}, t('successor.done')),
      ' ',
      t('successor.leads', {
        name: [
          next ? h('a', { href: `#/record/${next}` }, link.title) : link?.title,
          ' ',
          h('span', { class: 'key' }, next ? elementString(next) : link?.href),
        ],
      }),
    ),
    mayEnd
      ? h(
          'div',
          { class: 'actions' },
          ending,
          h('a', { class: 'button quiet', href: `#/successor/${key}` }, t('successor.another')),
        )
      : '',
  );
}

/** The way to the page above, beside a record. */
export const successorLink = (key) =>
  h(
    'a',
    { class: 'button quiet', href: `#/successor/${key}`, id: 'successor-link' },
    icon('arrow'),
    h('span', {}, t('successor.heading')),
  );
