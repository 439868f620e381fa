// Recalls: sends the scans of a product, or of some of its batches or items, to a notice, and ends that again.
import { post, sentence } from './api.js';
import { again, button, busy, confirm, field, h, heading, icon, input, notice, plural, put, select, tell } from './dom.js';
import { kept, recallAll, result } from './selection.js';
import { offerScheme } from './address.js';
import { tags } from './tags.js';
import { composed, elementString, identifierName, isMany, keyInWords, languageName, LANGUAGES, parts, qualifiersOf } from './words.js';

/** What `defaultLinkType` of a recalled record is, and the type of its notices. */
export const RECALL = 'gs1:recallStatus';

/** `#/recall/01/…`, or `#/recall/selection` for what is selected in the list: what is recalled, and where its scans go. */
export function recall(key) {
  const selected = key === 'selection' ? kept() : undefined;
  if (selected?.length === 0) return [heading('Recall'), h('p', {}, 'Nothing is selected.'), h('a', { href: '#/records' }, 'Records')];
  const bare = !selected && parts(key).length === 1 && !isMany(key);
  const values = field({ label: 'Their numbers', hint: 'One on each line, or separated by commas. A100 to A199 is all numbers of this length between them.', control: h('textarea', { id: 'recalled-values', rows: 3, autocapitalize: 'none', spellcheck: 'false' }), wide: true });
  const qualifiers = bare ? qualifiersOf(parts(key)[0][0]) : [];
  const which = select({ id: 'recalled-which' }, [['', 'All of it'], ...qualifiers.map((ai) => [ai, `Only some: ${identifierName(ai)}`])]);
  which.addEventListener('change', () => { values.root.hidden = !which.value; if (which.value) values.control.focus(); });
  values.root.hidden = true;
  const notices = [];
  const list = h('ul', { class: 'cards', id: 'notices' });
  const add = (focus) => { const one = noticeFields(notices.length); notices.push(one); list.append(one.root); if (focus) one.href.control.focus(); };
  add(false);
  const faults = h('div', { role: 'alert' });
  const go = button('Recall', undefined, { kind: 'danger', type: 'submit', id: 'recall' });
  const form = h('form', { class: 'editor', on: { submit: (event) => { event.preventDefault(); busy(go, send); } } },
    h('section', {}, h('h2', {}, 'What is recalled'), selected ? chosen(selected) : bare ? h('div', { class: 'grid' }, field({ label: keyInWords(key), control: which }).root, values.root) : h('p', { class: 'key' }, elementString(key))),
    h('section', {}, h('h2', {}, 'Where its scans go'), h('p', { class: 'soft' }, 'Scans of it lead to this page, before everything that is registered. Pages about it show the notice first.'),
      list, h('div', { class: 'actions' }, button('In another language', () => add(true), { icon: 'plus', kind: 'quiet', id: 'add-notice' }))),
    faults, h('div', { class: 'foot' }, go, h('a', { class: 'button quiet', href: selected ? '#/records' : `#/record/${key}` }, 'Cancel')));

  function keys() {
    if (selected) return selected;
    if (!which.value) return [key];
    const found = values.control.value.split(/[,;\n]/).map((text) => text.trim()).filter(Boolean);
    return found.map((value) => composed(key, [[which.value, value]]));
  }

  async function send() {
    const recalled = keys();
    values.fault(recalled.length === 0 && 'Which ones? Write at least one number.');
    const wrong = notices.map((one) => one.check()).find(Boolean);
    if (recalled.length === 0 || wrong) { (recalled.length === 0 ? values.control : wrong).focus(); return; }
    const asked = `Scans of ${recalled.length === 1 ? keyInWords(recalled[0]) : plural(recalled.length, 'number')} lead to the notice at once. You can end the recall at any time.`;
    if (!await confirm('Recall this?', asked, 'Recall')) return;
    put(faults);
    if (selected) { await several(recalled); return; }
    try {
      const { status } = await post('/v1/recalls', { keys: recalled.map((one) => `/${one}`), notices: notices.map((one) => one.value()) });
      tell(status === 202 ? 'The recall waits for approval.' : recalled.length === 1 ? 'Recalled.' : `${plural(recalled.length, 'number')} recalled.`);
      location.hash = status === 202 ? '#/approvals' : `#/record/${recalled.length === 1 ? recalled[0] : key}`;
    } catch (error) {
      const told = error.errors?.length ? error.errors : [{ pointer: '', detail: error.message }];
      put(faults, notice('bad', h('p', {}, 'Nothing was recalled.'), h('ul', { id: 'recall-faults' }, told.map((one) => {
        const [, row] = /^\/(\d+)/.exec(one.pointer ?? '') ?? [];
        return h('li', {}, row && h('span', { class: 'key' }, elementString(recalled[row - 1] ?? key)), row && ': ', sentence(one.detail ?? ''));
      }))));
    }
  }

  /** Recalls a selection, by parts. */
  async function several(recalled) {
    const { recalled: count, proposed, refused } = await recallAll(recalled, notices.map((one) => one.value()), faults);
    result(faults, [count > 0 && (proposed ? `The recall of ${plural(count, 'record')} waits for approval.` : `${plural(count, 'record')} recalled.`), count === 0 && 'Nothing was recalled.'].filter(Boolean), refused);
    if (count > 0) go.hidden = true;
  }

  return [h('nav', { class: 'crumbs', 'aria-label': 'You are here' }, h('a', { href: '#/records' }, 'Records'), !selected && [' / ', h('a', { href: `#/record/${key}` }, keyInWords(key))]), heading('Recall'), form];
}

/** Records of a selection that are shown. */
const SHOWN = 10;

function chosen(keys) {
  return [h('p', {}, h('strong', {}, plural(keys.length, 'record')), ', with everything below:'), h('ul', { id: 'recalled-records' }, keys.slice(0, SHOWN).map((key) => h('li', {}, h('a', { href: `#/record/${key}` }, h('span', { class: 'key' }, elementString(key)))))),
    keys.length > SHOWN && h('p', { class: 'soft' }, `and ${(keys.length - SHOWN).toLocaleString()} more`)];
}

/** The fields of one notice. */
function noticeFields(at) {
  const hreflang = [];
  const href = field({ label: 'Address of the notice', control: input({ id: `notice-${at}-href`, inputmode: 'url', placeholder: 'https://' }), wide: true });
  const offered = offerScheme(href);
  const title = field({ label: 'Title', hint: 'What people read on pages.', control: input({ id: `notice-${at}-title`, value: at === 0 ? 'Recall' : '', spellcheck: 'true', autocapitalize: 'sentences', dir: 'auto' }) });
  const language = tags({ id: `notice-${at}-hreflang`, label: 'Languages', hint: 'Of the page; none if it is for everyone.', values: hreflang, offered: LANGUAGES, named: languageName, read: (text) => text, changed: () => {} });
  return {
    href,
    root: h('li', { class: 'card opened' }, h('div', { class: 'card-body grid' }, href.root, title.root, language.root)),
    value: () => ({ href: href.control.value.trim(), title: title.control.value.trim(), ...(hreflang.length ? { hreflang: [...hreflang] } : {}) }),
    /** The first control with a fault, if there is one. */
    check() {
      const isAddress = /^https?:\/\/\S+$/i.test(href.control.value.trim());
      href.fault(!isAddress && ['An address begins with https:// ', offered()]);
      title.fault(!title.control.value.trim() && 'A notice needs a title.');
      return isAddress ? (title.control.value.trim() ? undefined : title.control) : href.control;
    },
  };
}

/** What a record says above everything while it is recalled. */
export function recalledNotice(key, record, mayEnd) {
  if (record?.defaultLinkType !== RECALL) return null;
  const pages = record.links.filter((link) => link.linkType === RECALL);
  const end = async () => {
    if (!await confirm('End the recall?', 'Scans go where they went before, and the notice is removed.', 'End the recall', 'primary')) return;
    const { status } = await post('/v1/recalls/end', { keys: [`/${key}`] });
    tell(status === 202 ? 'The end of the recall waits for approval.' : 'The recall has ended.');
    const only = record.links.length === pages.length;
    if (status !== 202 && only) location.hash = `#/record/${key.split('/').slice(0, 2).join('/')}`;
    else again();
  };
  const ending = button('End the recall', () => busy(ending, end), { id: 'end-recall' });
  return notice('bad', h('p', { id: 'recalled' }, h('strong', {}, 'Recalled.'), ' Scans of this, and of everything below it, lead to the notice:'),
    h('ul', {}, pages.map((link) => h('li', {}, h('a', { href: link.href, rel: 'noreferrer noopener', target: '_blank' }, link.title), link.hreflang?.length ? ` (${link.hreflang.map(languageName).join(', ')})` : ''))),
    mayEnd ? h('div', { class: 'actions' }, ending) : '');
}

/** The way to the page above, beside a record. */
export const recallLink = (key) => h('a', { class: 'button quiet', href: `#/recall/${key}`, id: 'recall-link' }, icon('warning'), h('span', {}, 'Recall'));
