// Recalls: sends the scans of a product, or of some of its batches or items, to a notice, and ends that again.
import { faultText, get, post, query } from './api.js';
import {
  acting,
  again,
  button,
  busy,
  confirm,
  field,
  h,
  heading,
  icon,
  input,
  notice,
  put,
  errorText,
  select,
  notify,
} from './dom.js';
import { result } from './in-parts.js';
import { kept } from './selection.js';
import { offerScheme } from './address.js';
import { keyOf } from './server.js';
import { tags } from './tags.js';
import { allOf, listed, t } from './texts.js';
import { endRecalls, recallAll, undoButton } from './undo.js';
import {
  composed,
  elementString,
  identifierName,
  isMany,
  keyInWords,
  languageName,
  languageTag,
  LANGUAGES,
  parts,
  partsInWords,
  qualifiersOf,
  rangeInWords,
} from './words.js';

/** What `defaultLinkType` of a recalled record is, and the type of its notices. */
export const RECALL = 'gs1:recallStatus';

/** Whether the scans of a record lead to a notice. */
export const isRecalled = (record) => record?.defaultLinkType === RECALL;

/** A list of levels, as links to their records. */
export const levelList = (id, levels) =>
  h(
    'ul',
    { id },
    levels.map((level) => {
      const key = keyOf(level);
      const words = keyInWords(key);
      const name = level.record?.itemDescription;
      const number = isMany(key) ? name && words : elementString(key);
      return h(
        'li',
        {},
        h('a', { href: `#/record/${key}` }, name || words),
        ' ',
        number && h('span', { class: 'key' }, number),
      );
    }),
  );

/** `#/recall/01/…`, or `#/recall/selection` for what is selected in the list: what is recalled, and where its scans go. */
export function recall(key) {
  const selected = key === 'selection' ? kept() : undefined;
  if (selected?.length === 0)
    return [
      heading(t('recall.recall')),
      h('p', {}, t('selection.none')),
      h('a', { href: '#/records' }, t('frame.records')),
    ];
  const bare = !selected && parts(key).length === 1 && !isMany(key);
  const values = field({
    label: t('recall.numbers'),
    hint: t('recall.numbers_hint', { range: rangeInWords('A100', 'A199') }),
    control: h('textarea', {
      id: 'recalled-values',
      rows: 3,
      autocapitalize: 'none',
      spellcheck: 'false',
    }),
    wide: true,
  });
  const qualifiers = bare ? qualifiersOf(parts(key)[0][0]) : [];
  const which = select({ id: 'recalled-which' }, [
    ['', t('recall.all')],
    ...qualifiers.map((ai) => [ai, t('recall.only', { kind: identifierName(ai) })]),
  ]);
  which.addEventListener('change', () => {
    values.root.hidden = !which.value;
    if (which.value) values.control.focus();
  });
  values.root.hidden = true;
  const notices = [];
  const list = h('ul', { class: 'cards', id: 'notices' });
  const add = (focus) => {
    const one = noticeFields(notices.length);
    notices.push(one);
    list.append(one.root);
    if (focus) one.href.control.focus();
  };
  add(false);
  const faults = h('div', { role: 'alert' });
  const go = button(t('recall.recall'), undefined, {
    kind: 'danger',
    type: 'submit',
    id: 'recall',
  });
  const back = h(
    'a',
    { class: 'button quiet', href: selected ? '#/records' : `#/record/${key}` },
    t('common.cancel'),
  );
  const form = h(
    'form',
    {
      class: 'editor',
      on: {
        submit: (event) => {
          event.preventDefault();
          busy(go, send);
        },
      },
    },
    h(
      'section',
      {},
      h('h2', {}, t('recall.what')),
      selected
        ? chosen(selected)
        : bare
          ? h(
              'div',
              { class: 'grid' },
              field({ label: keyInWords(key), control: which }).root,
              values.root,
            )
          : h('p', { class: 'key' }, elementString(key)),
    ),
    h(
      'section',
      {},
      h('h2', {}, t('recall.where')),
      h('p', { class: 'soft' }, t('recall.where_lead')),
      list,
      h(
        'div',
        { class: 'actions' },
        button(t('recall.add'), () => add(true), { icon: 'plus', kind: 'quiet', id: 'add-notice' }),
      ),
    ),
    faults,
    h('div', { class: 'foot' }, go, back),
  );

  function keys() {
    if (selected) return selected;
    if (!which.value) return [key];
    const found = values.control.value
      .split(/[,;\n]/)
      .map((text) => text.trim())
      .filter(Boolean);
    return found.map((value) => composed(key, [[which.value, value]]));
  }

  async function send() {
    const recalled = keys();
    values.fault(recalled.length === 0 && t('recall.which'));
    const wrong = notices.map((one) => one.check()).find(Boolean);
    if (recalled.length === 0 || wrong) {
      (recalled.length === 0 ? values.control : wrong).focus();
      return;
    }
    const asked = selected
      ? t('recall.lead_many', { count: recalled.length })
      : t('recall.lead', { name: inWords(recalled) });
    if (!(await confirm(t('recall.question'), asked, t('recall.recall')))) return;
    put(faults);
    if (selected) {
      await several(recalled);
      return;
    }
    try {
      const { data, status } = await post('/v1/recalls', {
        keys: recalled.map((one) => `/${one}`),
        notices: notices.map((one) => one.value()),
      });
      notify(
        status === 202 ? t('recall.waits') : t('recall.done_list', { name: inWords(recalled) }),
        { action: undoButton(data.changeSet) },
      );
      location.hash =
        status === 202 ? '#/approvals' : `#/record/${recalled.length === 1 ? recalled[0] : key}`;
    } catch (error) {
      if (!beside(error.errors ?? [], recalled)) complain(error, recalled);
    }
  }

  /** Puts faults of values beside their field; returns whether all of them are there. */
  function beside(errors, recalled) {
    const all = errors.map((error) => [rowOf(error), faultText(error)]);
    const found = all.filter(([row]) => which.value && recalled[row]);
    values.fault(
      found.map(([row, text], at) => [
        at > 0 && h('br', {}),
        h('strong', {}, valueInWords(recalled[row])),
        ': ',
        text,
      ]),
    );
    if (found.length > 0) values.control.focus();
    return found.length > 0 && found.length === all.length;
  }

  function complain(error, recalled) {
    const causes = error.errors?.length
      ? error.errors.map((one) => [recalled[rowOf(one)], faultText(one)])
      : [[undefined, errorText(error)]];
    put(
      faults,
      notice(
        'bad',
        h('p', {}, t('recall.nothing')),
        h(
          'ul',
          { id: 'recall-faults' },
          causes.map(([one, text]) =>
            h('li', {}, one && [h('span', { class: 'key' }, elementString(one)), ': '], text),
          ),
        ),
      ),
    );
  }

  /** Recalls a selection, by parts. */
  async function several(recalled) {
    const {
      recalled: count,
      proposed,
      refused,
      set,
    } = await recallAll(
      recalled,
      notices.map((one) => one.value()),
      faults,
    );
    result(
      faults,
      [
        count > 0 &&
          (proposed ? t('selection.recall_waits', { count }) : t('selection.recalled', { count })),
        count === 0 && t('recall.nothing'),
      ].filter(Boolean),
      refused,
      undoButton(set),
    );
    if (count > 0) {
      go.hidden = true;
      back.textContent = t('frame.records');
    }
  }

  return [
    h(
      'nav',
      { class: 'crumbs', 'aria-label': t('common.here') },
      h('a', { href: '#/records' }, t('frame.records')),
      !selected && [' / ', h('a', { href: `#/record/${key}` }, keyInWords(key))],
    ),
    heading(t('recall.recall')),
    form,
  ];
}

/** The index of the recalled level that a fault is about: `/2/…` is a line of the report, `/keys/1` a member of the request. */
function rowOf({ pointer = '' }) {
  const [, keys, number] = /^\/(keys\/)?(\d+)/.exec(pointer) ?? [];
  return number === undefined ? undefined : Number(number) - (keys ? 0 : 1);
}

/** The value of the last qualifier of a key: "L7", "A100 to A199". */
const valueInWords = (key) => parts(key).at(-1)[1];

/** Keys of one product in words: "Product 09506000134352, batch or lot L100 to L104 and X9". */
function inWords(keys) {
  if (keys.length === 1) return keyInWords(keys[0]);
  const shown = keys.slice(0, SHOWN).map(valueInWords);
  const more = keys.length - shown.length;
  const last = parts(keys[0]).slice(0, -1);
  const values = more ? `${listed(shown)} ${t('common.and_more', { count: more })}` : allOf(shown);
  return partsInWords([...last, [parts(keys[0]).at(-1)[0], values]]);
}

/** Records of a selection, and values in a sentence, that are shown. */
const SHOWN = 10;

function chosen(keys) {
  return [
    h('p', {}, h('strong', {}, t('selection.with_below', { count: keys.length }))),
    h(
      'ul',
      { id: 'recalled-records' },
      keys
        .slice(0, SHOWN)
        .map((key) =>
          h(
            'li',
            {},
            h('a', { href: `#/record/${key}` }, h('span', { class: 'key' }, elementString(key))),
          ),
        ),
    ),
    keys.length > SHOWN &&
      h('p', { class: 'soft' }, t('common.and_more', { count: keys.length - SHOWN })),
  ];
}

/** The fields of one notice. */
function noticeFields(at) {
  const hreflang = [];
  const href = field({
    label: t('recall.address'),
    hint: t('recall.address_hint'),
    control: input({ id: `notice-${at}-href`, inputmode: 'url', placeholder: 'https://' }),
    wide: true,
  });
  const offered = offerScheme(href);
  const title = field({
    label: t('common.title'),
    hint: t('recall.title_hint'),
    control: input({
      id: `notice-${at}-title`,
      value: at === 0 ? t('recall.recall') : '',
      spellcheck: 'true',
      autocapitalize: 'sentences',
      dir: 'auto',
    }),
  });
  const language = tags({
    id: `notice-${at}-hreflang`,
    label: t('common.languages'),
    hint: t('recall.languages_hint'),
    values: hreflang,
    offered: LANGUAGES,
    named: languageName,
    read: (text) => languageTag(text) ?? text,
    changed: () => {},
  });
  return {
    href,
    root: h(
      'li',
      { class: 'card opened' },
      h('div', { class: 'card-body grid' }, href.root, title.root, language.root),
    ),
    value: () => ({
      ...(href.control.value.trim() && { href: href.control.value.trim() }),
      // The page of the resolver says what the word says in the reader's language.
      ...((href.control.value.trim() || title.control.value.trim() !== t('recall.recall')) && {
        title: title.control.value.trim(),
      }),
      ...(hreflang.length ? { hreflang: [...hreflang] } : {}),
    }),
    /** The first control with a fault, if there is one. */
    check() {
      const isAddress = /^(https?:\/\/\S+)?$/i.test(href.control.value.trim());
      href.fault(!isAddress && [t('link.https'), ' ', offered()]);
      title.fault(!title.control.value.trim() && t('recall.title_needed'));
      return isAddress ? (title.control.value.trim() ? undefined : title.control) : href.control;
    },
  };
}

/** What a record says above everything while it is recalled. */
export function recalledNotice(key, record, mayEnd) {
  if (!isRecalled(record)) return null;
  const pages = record.links.filter((link) => link.linkType === RECALL);
  const end = async () => {
    const became = await endRecalls([key]);
    if (!became) return;
    const only = record.links.length === pages.length;
    if (became === 'ended' && only)
      location.hash = `#/record/${key.split('/').slice(0, 2).join('/')}`;
    else again();
  };
  const ending = acting(t('recall.end'), end, { id: 'end-recall' });
  return notice(
    'bad',
    h('p', { id: 'recalled' }, h('strong', {}, t('recall.done')), ' ', t('recall.recalled_lead')),
    h(
      'ul',
      {},
      pages.map((link) =>
        h(
          'li',
          {},
          link.href.includes('{')
            ? link.title
            : h('a', { href: link.href, rel: 'noreferrer noopener', target: '_blank' }, link.title),
          link.hreflang?.length ? ` (${listed(link.hreflang.map(languageName))})` : '',
        ),
      ),
    ),
    mayEnd ? h('div', { class: 'actions' }, ending) : '',
  );
}

/** Says what is recalled below a record, as soon as that is known. */
export function recalledBelow(key) {
  const place = h('div', {});
  get(`/v1/levels${query({ under: key, recalled: true, limit: LISTED + 2 })}`)
    .then(({ data }) => {
      const levels = data.levels.filter((one) => keyOf(one) !== key);
      if (levels.length === 0) return;
      const rest = data.next || levels.length > LISTED;
      put(
        place,
        notice(
          'bad',
          h('p', {}, t('recall.below')),
          levelList('recalled-below', levels.slice(0, LISTED)),
          rest &&
            h(
              'p',
              {},
              h(
                'a',
                { href: `#/records${query({ under: key, recalled: true })}` },
                t('recall.below_all'),
              ),
            ),
        ),
      );
    })
    .catch(() => {});
  return place;
}

/** Records in the notice about what is recalled below. */
const LISTED = 10;

/** The way to the page above, beside a record. */
export const recallLink = (key) =>
  h(
    'a',
    { class: 'button quiet', href: `#/recall/${key}`, id: 'recall-link' },
    icon('warning'),
    h('span', {}, t('recall.recall')),
  );
