// Successors: an old key answers with the links of the new key, and says so.
import { api, get } from './api.js';
import { again, button, busy, confirm, h, heading, icon, notice, put, tell } from './dom.js';
import { keyField } from './key-field.js';
import { level } from './server.js';
import { elementString, isMany, keyInWords, parts } from './words.js';

/** What `defaultLinkType` of a replaced record is, and the type of the link to its successor. */
export const SUCCESSOR = 'successor-version';

const isSuccessor = (link) => link.linkType === SUCCESSOR || /\/relation\/successor-version$|#successor-version$/.test(link.linkType);

/** Whether a record can have a successor: one key without qualifiers. */
export const mayBeReplaced = (key) => parts(key).length === 1 && !isMany(key);

/** `#/successor/01/…`: which key answers instead. */
export async function successor(key) {
  const stored = await level(key);
  if (!stored) return [heading('Nothing is registered here'), h('a', { href: '#/records' }, 'Records')];
  const now = stored.record.links.find(isSuccessor);
  const which = keyField({ text: now?.href ?? '', changed: () => {} });
  const faults = h('div', { role: 'alert' });
  const save = button('Replace', undefined, { kind: 'primary', type: 'submit', id: 'replace' });
  const form = h('form', { class: 'editor', on: { submit: (event) => { event.preventDefault(); busy(save, send); } } },
    h('section', {}, h('h2', {}, 'What answers instead'), h('p', { class: 'soft' }, 'Scans of the old number lead to what the new one answers, with their batch or serial number. The page of the old number says so, and its own links stay for apps that ask for them.'), which.root),
    faults, h('div', { class: 'foot' }, save, h('a', { class: 'button quiet', href: `#/record/${key}` }, 'Cancel')));

  async function send() {
    put(faults);
    await which.settled();
    const next = which.key();
    if (!next || !mayBeReplaced(next) || next === key) {
      which.fault(!next ? which.failure() ?? 'Which number replaces it?' : next === key ? 'This is the old number itself.' : 'Name the product itself, without batch or serial number.');
      which.control.focus();
      return;
    }
    const other = await level(next);
    if (!other) { which.fault('This is not registered here: ', h('a', { href: `#/new/${next}` }, 'register it first'), '.'); return; }
    const { data: { resolverRoot } } = await get('/v1/configuration');
    const link = { linkType: SUCCESSOR, href: `${resolverRoot}/${next}`, title: other.record.itemDescription || keyInWords(next) };
    const record = { ...stored.record, defaultLinkType: SUCCESSOR, links: [...stored.record.links.filter((one) => !isSuccessor(one)), link] };
    try {
      const { status } = await api('PUT', `/v1/levels/${key}`, { json: record, etag: stored.etag });
      tell(status === 202 ? 'Sent for approval.' : 'Replaced.');
      location.hash = status === 202 ? '#/approvals' : `#/record/${key}`;
    } catch (error) {
      const told = error.status === 412 ? ['The record was changed in the meantime. Load this page again.'] : error.errors?.length ? error.errors.map((one) => one.detail) : [error.message];
      put(faults, notice('bad', h('p', {}, 'Nothing was changed.'), h('ul', { id: 'successor-faults' }, told.map((text) => h('li', {}, text)))));
    }
  }

  return [h('nav', { class: 'crumbs', 'aria-label': 'You are here' }, h('a', { href: '#/records' }, 'Records'), ' / ', h('a', { href: `#/record/${key}` }, keyInWords(key))), heading('Replaced by'), form];
}

/** What a record says above everything while another one answers for it. */
export function replacedNotice(key, stored, mayEnd) {
  const record = stored?.record;
  if (record?.defaultLinkType !== SUCCESSOR) return null;
  const link = record.links.find(isSuccessor);
  const next = /\/(\d{2,4}\/[^/?#]+)$/.exec(link?.href ?? '')?.[1];
  const end = async () => {
    if (!await confirm('Answer with its own links again?', 'Scans of this number go where its own record says, and the link to the successor is removed.', 'Answer itself', 'primary')) return;
    const { defaultLinkType, ...rest } = record;
    const { status } = await api('PUT', `/v1/levels/${key}`, { json: { ...rest, links: record.links.filter((one) => !isSuccessor(one)) }, etag: stored.etag });
    tell(status === 202 ? 'Sent for approval.' : 'Scans go where they went before.');
    again();
  };
  const ending = button('Answer itself again', () => busy(ending, end), { id: 'end-successor' });
  return notice('plain', h('p', { id: 'replaced' }, h('strong', {}, 'Replaced.'), ' Scans of this lead to ', next ? h('a', { href: `#/record/${next}` }, link.title) : link?.title, ' ', h('span', { class: 'key' }, next ? elementString(next) : link?.href), '.'),
    mayEnd ? h('div', { class: 'actions' }, ending, h('a', { class: 'button quiet', href: `#/successor/${key}` }, 'Choose another one')) : '');
}

/** The way to the page above, beside a record. */
export const successorLink = (key) => h('a', { class: 'button quiet', href: `#/successor/${key}`, id: 'successor-link' }, icon('arrow'), h('span', {}, 'Replaced by'));
