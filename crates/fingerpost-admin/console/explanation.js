// The answer to a scan, and the steps by which the resolver came to it.
import { sentence } from './api.js';
import { english, h, icon, unique } from './dom.js';
import {
  keyInWords,
  languageName,
  mediaName,
  placeName,
  typeTitle,
  isDefault,
  isVariant,
} from './words.js';
import { dateTime, t } from './texts.js';

/** Whether a path begins with the digits of a primary key. */
export const isKey = (path) => /^[0-9]/.test(path);

const outcomeOf = (result) => (result.explanation ?? result).outcome ?? {};
const locationOf = (result) => result.headers?.location ?? outcomeOf(result).location;

export function summary(result) {
  const outcome = outcomeOf(result);
  return (
    {
      delegated: t('scan.delegated', { address: locationOf(result) }),
      uris: t('scan.uris'),
      refused: t('scan.refused', { reason: english(sentence(outcome.error ?? '')) }),
      public: t('scan.public'),
      'no-locator': t('scan.no_locator'),
      'not-offered': t('scan.not_offered'),
      redirect: t('scan.redirect', { address: locationOf(result) }),
      choices: t('scan.choices'),
      linkset: t('scan.linkset'),
      'link-type-not-available': t('scan.no_such'),
      unknown: t('scan.unknown'),
      'no-default': t('scan.no_default'),
    }[outcome.answer] ?? t('scan.answered', { status: result.status ?? outcome.answer })
  );
}

export function show(result, key, question) {
  return [
    phone(result, key),
    h(
      'section',
      { class: 'why', 'aria-labelledby': 'why' },
      h('h2', { id: 'why' }, t('scan.why')),
      steps(result, key, question),
    ),
    raw(result),
  ];
}

function phone(result, key) {
  const outcome = outcomeOf(result);
  const location = locationOf(result);
  const left = (result.explanation ?? result).steps?.at(-1)?.left ?? [];
  const screen =
    {
      redirect: () => [
        h('p', { class: 'screen-bar' }, safeLink(location)),
        h('p', { class: 'screen-main' }, icon('arrow'), h('strong', {}, t('scan.opens'))),
        wasChosen(left),
      ],
      delegated: () => [
        h('p', { class: 'screen-bar' }, safeLink(location)),
        h('p', { class: 'screen-main' }, icon('arrow'), h('strong', {}, t('scan.goes_on'))),
        h('p', { class: 'soft' }, t('scan.handed_over', { address: outcome.handledBy })),
      ],
      uris: () => [
        h('p', { class: 'screen-main' }, h('strong', {}, t('scan.gets_list'))),
        h(
          'ul',
          { class: 'screen-links' },
          (outcome.uris ?? [])
            .slice(0, 8)
            .map((uri) => h('li', {}, h('span', { class: 'address' }, uri))),
        ),
      ],
      refused: () => [
        h('p', { class: 'screen-main' }, h('strong', {}, t('scan.shows_error'))),
        h('p', {}, english(sentence(outcome.error ?? ''))),
      ],
      choices: () => [
        h('p', { class: 'screen-main' }, h('strong', {}, t('scan.shows_choice'))),
        links(left),
      ],
      linkset: () => [
        h('p', { class: 'screen-main' }, h('strong', {}, t('scan.shows_all'))),
        links(heldLinks(result)),
      ],
      'link-type-not-available': () => [
        h('p', { class: 'screen-main' }, h('strong', {}, t('scan.has_no_such'))),
        h('p', {}, t('scan.lists')),
        links(heldLinks(result)),
      ],
      'no-default': () => [
        h('p', { class: 'screen-main' }, h('strong', {}, t('scan.has_no_default'))),
        h('p', {}, t('scan.lists')),
        links(heldLinks(result)),
      ],
      unknown: () => [
        h('p', { class: 'screen-main' }, h('strong', {}, t('scan.finds_nothing'))),
        h('p', {}, t('scan.not_registered')),
        isKey(key) && h('a', { class: 'button', href: `#/new/${key}` }, t('common.register')),
      ],
    }[outcome.answer] ?? (() => [h('p', {}, summary(result))]);
  return h(
    'section',
    { class: 'phone', 'aria-label': t('scan.phone_gets') },
    h('div', { class: 'screen' }, screen()),
    h('p', { class: 'soft status-line' }, result.status ? `HTTP ${result.status}` : ''),
  );
}

const heldLinks = (result) =>
  ((result.explanation ?? result).levels ?? [])
    .flatMap((one) => one.links)
    .filter((link) => !link.leftOut);

function links(all) {
  return h(
    'ul',
    { class: 'screen-links' },
    all
      .slice(0, 8)
      .map((link) =>
        h(
          'li',
          {},
          h('strong', {}, typeTitle(link.linkType)),
          ' ',
          audience(link),
          h('span', { class: 'address' }, link.href),
        ),
      ),
    all.length > 8 && h('li', { class: 'soft' }, t('common.and_more', { count: all.length - 8 })),
  );
}

function wasChosen([link]) {
  return link
    ? h(
        'p',
        { class: 'soft' },
        isDefault(link.linkType)
          ? t('scan.every_scan')
          : [
              isVariant(link.linkType) ? t('scan.page_for') : typeTitle(link.linkType),
              ' ',
              audience(link),
            ],
      )
    : null;
}

/** An address as a hyperlink, when it is one of the web. */
function safeLink(address) {
  return /^https?:\/\//i.test(address ?? '')
    ? h(
        'a',
        {
          id: 'location',
          class: 'address',
          href: address,
          target: '_blank',
          rel: 'noopener noreferrer',
        },
        address,
      )
    : h('span', { id: 'location', class: 'address' }, address);
}

function audience(link) {
  return [
    (link.hreflang ?? []).map((tag) => h('span', { class: 'tag' }, languageName(tag))),
    (link.context ?? []).map((one) => h('span', { class: 'tag' }, placeName(one))),
    link.type && h('span', { class: 'tag' }, mediaName(link.type)),
  ];
}

const RULES = {
  'A.1': t('scan.rule_registered'),
  'A.2': t('scan.rule_all'),
  'A.3': t('scan.rule_linkset'),
  'A.4': t('scan.rule_file_type'),
  'A.5': t('scan.rule_usual'),
  2.8: t('scan.rule_charge'),
  name: t('scan.rule_name'),
  B: t('scan.rule_type'),
  'B.1': t('link.file_type'),
  'B.2': t('common.language'),
  'B.3': t('scan.rule_market'),
  'B.4': t('scan.rule_everybody'),
  'B.5': t('scan.rule_left'),
  C: t('record.scan'),
};

/** What the steps about the default link say, by the words with which they begin. */
const DEFAULT_STEPS = [
  [/^no type asked, no/, t('scan.step_one_page')],
  [/^nothing asked/, t('scan.step_says_nothing')],
  [/^no type asked/, t('scan.step_some')],
  [/^without those/, t('scan.step_others_go')],
  [/^of these/, t('scan.step_stay')],
  [/^one variant/, t('scan.step_one_left')],
  [/the default link$/, t('scan.step_everybody')],
];

function stepTitle({ rule, text }) {
  return (
    (rule === 'C' && DEFAULT_STEPS.find(([words]) => words.test(text))?.[1]) || RULES[rule] || rule
  );
}

function steps(result, key, question) {
  const why = result.explanation ?? result;
  const list = h('ol', { class: 'steps', id: 'steps' });
  const step = (mark, title, rule, ...rest) =>
    list.append(
      h(
        'li',
        { class: mark },
        h(
          'span',
          { class: 'mark' },
          icon(mark === 'none' ? 'close' : mark === 'end' ? 'arrow' : 'check'),
        ),
        h('div', {}, h('h3', {}, title, rule && h('span', { class: 'rule' }, rule)), ...rest),
      ),
    );
  step(
    'read',
    t('scan.read'),
    null,
    h('p', {}, why.entity || isKey(key) ? keyInWords(why.entity ?? key) : `/${key}`),
    asked(why, question),
  );
  for (const one of why.levels ?? []) {
    const place = pathOf(one.anchor);
    const out = one.links.filter((link) => link.leftOut);
    step(
      one.held ? 'read' : 'none',
      one.held
        ? t('scan.look_at', { name: keyInWords(place) })
        : t('scan.nothing_at', { name: keyInWords(place) }),
      null,
      one.held &&
        h(
          'p',
          {},
          t('scan.links_here', { count: one.links.length + (one.linksOmitted ?? 0) }),
          out.length > 0 && ` ${t('scan.take_no_part', { count: out.length })}`,
        ),
      out.length > 0 &&
        h(
          'ul',
          { class: 'left' },
          out.map((link) =>
            h(
              'li',
              { class: 'gone' },
              linkLine(link),
              h('span', { class: 'because' }, english(link.leftOut)),
            ),
          ),
        ),
    );
  }
  let before;
  for (const one of why.steps ?? []) {
    // Links that are counted, not listed, are not gone.
    const gone =
      before && !one.leftOmitted
        ? before.filter(
            (link) =>
              !one.left.some((other) => other.number === link.number && other.href === link.href),
          )
        : [];
    const many = one.left.length > 6;
    const same = before && gone.length === 0 && before.length === one.left.length;
    step(
      one.left.length ? 'read' : 'none',
      stepTitle(one),
      one.rule,
      h('p', {}, english(sentence(one.text))),
      same
        ? h(
            'p',
            { class: 'soft' },
            one.left.length === 1 ? t('scan.same_link') : t('scan.all_stay'),
          )
        : one.left.length + gone.length > 0 &&
            fold(
              many,
              t('common.link_count', { count: one.left.length }),
              h(
                'ul',
                { class: 'left' },
                one.left.map((link) => h('li', { class: 'stays' }, icon('check'), linkLine(link))),
                gone.map((link) => h('li', { class: 'gone' }, icon('close'), linkLine(link))),
              ),
            ),
    );
    before = one.left;
  }
  step(
    'end',
    t('scan.answer'),
    result.status && `HTTP ${result.status}`,
    h('p', { id: 'outcome' }, summary(result)),
  );
  for (const note of why.notes ?? result.notes ?? [])
    list.append(
      h(
        'li',
        { class: 'note' },
        h('span', { class: 'mark' }, icon('warning')),
        h(
          'div',
          {},
          h('p', {}, english(typeof note === 'string' ? note : (note.text ?? note.message ?? ''))),
        ),
      ),
    );
  return list;
}

function asked(why, question) {
  const parts = [
    why.acceptLanguage && t('scan.request_languages', { value: why.acceptLanguage }),
    why.linkType && t('scan.request_kind', { value: why.linkType }),
    why.context && t('scan.request_market', { value: why.context }),
    question.at && t('scan.request_at', { value: dateTime(new Date(question.at)) }),
  ].filter(Boolean);
  return h(
    'p',
    { class: 'soft' },
    parts.length ? t('scan.request_says', { what: parts.join('; ') }) : t('scan.request_nothing'),
  );
}

function fold(yes, title, content) {
  return yes ? h('details', {}, h('summary', {}, title), content) : content;
}

function linkLine(link) {
  return h(
    'span',
    { class: 'link-line' },
    h('span', { class: 'number' }, `${link.number}. `),
    h(
      'strong',
      {},
      isDefault(link.linkType)
        ? t('scan.plain')
        : isVariant(link.linkType)
          ? t('scan.plain_for')
          : typeTitle(link.linkType),
    ),
    ' ',
    audience(link),
    ' ',
    h('span', { class: 'address' }, link.href),
  );
}

/** The path of an anchor: what follows the root of the resolver. */
function pathOf(anchor) {
  return String(anchor)
    .replace(/^https?:\/\/[^/]+\//, '')
    .replace(/^\//, '');
}

function raw(result) {
  const headers = Object.entries(result.headers ?? {});
  const id = unique('raw');
  return h(
    'details',
    { class: 'raw' },
    h('summary', {}, t('scan.raw')),
    h(
      'dl',
      { id },
      result.status && [h('dt', {}, t('scan.status')), h('dd', {}, String(result.status))],
      headers.map(([name, value]) => [h('dt', {}, name), h('dd', {}, h('code', {}, value))]),
    ),
    result.body &&
      h(
        'pre',
        { tabindex: '0', 'aria-label': t('scan.body') },
        typeof result.body === 'string' ? result.body : JSON.stringify(result.body, null, 2),
      ),
  );
}
