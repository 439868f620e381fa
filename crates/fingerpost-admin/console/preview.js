// Try a scan: what a phone gets, and the steps by which the resolver came to it.
import { checkText, faultText, latest, sentence } from './api.js';
import {
  busy,
  button,
  checkbox,
  english,
  field,
  h,
  heading,
  icon,
  input,
  notice,
  put,
  errorText,
  select,
  unique,
} from './dom.js';
import { kept } from './drafts.js';
import { cut } from './key-field.js';
import { check, explain, vocabulary } from './server.js';
import {
  curie,
  elementString,
  isMany,
  keyInWords,
  languageName,
  LANGUAGES,
  mediaName,
  oneOf,
  PHONES,
  placeName,
  typeTitle,
  isDefault,
  isVariant,
} from './words.js';
import { dateTime, t } from './texts.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const READERS = [
  [BROWSER, t('scan.browser')],
  ['', t('scan.app')],
  ['application/linkset+json', t('scan.wants_linkset')],
  ['application/ld+json', t('scan.wants_json_ld')],
  ['application/pdf', t('scan.wants_pdf')],
];

/** `#/preview`, `#/preview/01/…`, with `?draft=` the key of an unsaved version. */
export async function preview(rest, search) {
  const draftKey = search.get('draft');
  const draft = draftKey ? kept(draftKey) : undefined;
  const words = await vocabulary();
  const form = questions(rest, search, words, draft);
  const answer = h('div', { id: 'answer' });
  const spoken = h('p', { class: 'unseen', role: 'status' });
  const only = latest();
  const ask = async () => {
    const question = form.read();
    if (!question.text) {
      put(answer, h('p', { class: 'soft' }, t('scan.begin')));
      return;
    }
    const { result, key } = await only((signal) =>
      run(question, draft && form.usesDraft() ? draft : undefined, form, signal),
    );
    if (!result) {
      put(answer);
      return;
    }
    remember(key, question, draftKey);
    put(answer, show(result, key, question));
    put(spoken, summary(result));
  };
  form.root.addEventListener('submit', (event) => {
    event.preventDefault();
    busy(form.submit, ask, complain);
  });
  const complain = (error) => {
    put(
      answer,
      error.errors?.some((one) => /^\/records/.test(one.pointer)) ? unfinished(error) : null,
    );
    return answer.firstChild ? true : form.complain(error);
  };
  let timer;
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(
      () =>
        ask().catch((error) => {
          if (error.name !== 'AbortError') complain(error);
        }),
      wait,
    );
  };
  form.root.addEventListener('change', () => later(0));
  form.root.addEventListener('input', (event) => {
    if (event.target.id === 'scan-key') later(350);
  });
  await ask().catch((error) => {
    if (error.name !== 'AbortError') complain(error);
  });
  return [
    heading(
      t('frame.scan'),
      rest &&
        (isKey(rest) || isMany(rest)) &&
        h(
          'a',
          {
            class: 'button quiet',
            href: draftKey === 'new' ? '#/new' : `#/record/${rest}`,
            id: 'back-to-record',
          },
          icon('pencil'),
          h('span', {}, t('scan.back')),
        ),
    ),
    h('div', { class: 'try' }, form.root, answer),
    spoken,
  ];
}

/** The unsaved version cannot be laid over what is stored yet. */
function unfinished(error) {
  return notice(
    'bad',
    h('p', {}, t('scan.unfinished')),
    h(
      'ul',
      {},
      error.errors.map((one) => h('li', {}, faultText(one))),
    ),
  );
}

async function run(question, draft, form, signal) {
  form.fault();
  const found = await check(question.text, signal);
  const target = found.valid && found.key ? undefined : targetOf(question.text);
  if (!found.valid && !target) {
    form.fault(found, question.text);
    return {};
  }
  const key = target ? undefined : String(found.key).replace(/^\//, '');
  const asked = target ? { target } : { key };
  for (const name of ['acceptLanguage', 'accept', 'at'])
    if (question[name]) asked[name] = question[name];
  if (key)
    for (const name of ['linkType', 'context']) if (question[name]) asked[name] = question[name];
  if (draft?.record?.anchor?.length > 1) asked.records = [draft.record];
  return { key: key ?? target.slice(1), result: await explain(asked, signal) };
}

/** What is no identifier, but can be asked for: a path at the root of the host, or a name. */
function targetOf(text) {
  if (/^\/(?![0-9])/.test(text)) return text;
  return /^urn:/i.test(text) ? `/urn/${text}` : undefined;
}

/** Whether a path of the preview is that of an identifier. */
const isKey = (path) => /^[0-9]/.test(path);

function questions(rest, search, words, draft) {
  const key = field({
    label: t('scan.key'),
    hint: t('scan.key_hint'),
    control: input({
      id: 'scan-key',
      name: 'key',
      class: 'mono',
      value: rest
        ? isKey(rest) || isMany(rest)
          ? elementString(oneOf(rest))
          : `/${rest}`
        : (draft?.text ?? ''),
    }),
    wide: true,
  });
  const echo = h('p', { class: 'echo', hidden: true });
  key.root.insertBefore(echo, key.error);
  const wanted = search.get('language') ?? PHONES[0][0];
  const phones =
    PHONES.some(([value]) => value === wanted) || ['', 'other'].includes(wanted)
      ? PHONES
      : [[wanted, wanted], ...PHONES];
  const language = field({
    label: t('scan.phone'),
    control: select({ id: 'scan-language', name: 'language', value: wanted }, [
      ...phones,
      ['', t('scan.no_language')],
      ['other', t('scan.other_language')],
    ]),
  });
  const other = field({
    label: 'Accept-Language',
    hint: t('scan.language_hint'),
    control: input({ id: 'scan-language-other', list: 'scan-languages' }),
  });
  const tags = h(
    'datalist',
    { id: 'scan-languages' },
    LANGUAGES.map((tag) => h('option', { value: tag }, languageName(tag))),
  );
  other.root.hidden = true;
  language.control.addEventListener('change', () => {
    other.root.hidden = language.control.value !== 'other';
  });
  const types = words.linkTypes.filter(
    (term) =>
      !isDefault(term.id) &&
      !isVariant(term.id) &&
      term.class !== 'system' &&
      curie(term.id).startsWith('gs1:'),
  );
  const linkType = field({
    label: t('scan.asks'),
    control: select(
      { id: 'scan-link-type', name: 'linkType', value: search.get('linkType') ?? '' },
      [
        ['', t('scan.asks_nothing')],
        ['linkset', t('scan.asks_all')],
        {
          group: t('scan.asks_one'),
          options: types
            .map((term) => [
              curie(term.id),
              t('words.phone_place', { language: typeTitle(term.id), place: curie(term.id) }),
            ])
            .sort((a, b) => a[1].localeCompare(b[1])),
        },
      ],
    ),
  });
  const context = field({
    label: t('scan.market'),
    hint: t('scan.market_hint'),
    control: input({ id: 'scan-context', name: 'context', value: search.get('context') ?? '' }),
    optional: true,
  });
  const at = field({
    label: t('common.when'),
    hint: t('scan.when_hint'),
    control: h('input', {
      type: 'datetime-local',
      id: 'scan-at',
      name: 'at',
      value: search.get('at') ?? '',
    }),
    optional: true,
  });
  const accept = field({
    label: t('scan.who_asks'),
    control: select({ id: 'scan-accept', name: 'accept', value: search.get('accept') ?? BROWSER }, [
      ...READERS,
      ['other', t('scan.other_accept')],
    ]),
  });
  const acceptOther = field({
    label: 'Accept',
    control: input({ id: 'scan-accept-other', placeholder: 'application/pdf, */*;q=0.1' }),
  });
  acceptOther.root.hidden = true;
  accept.control.addEventListener('change', () => {
    acceptOther.root.hidden = accept.control.value !== 'other';
  });
  const overlay = draft && checkbox(t('scan.use_draft'), { id: 'scan-draft', checked: true });
  const submit = button(t('scan.submit'), undefined, {
    kind: 'primary',
    type: 'submit',
    icon: 'phone',
    id: 'scan',
  });
  const root = h(
    'form',
    { class: 'questions', id: 'scan-form' },
    key.root,
    overlay?.root,
    language.root,
    other.root,
    tags,
    linkType.root,
    context.root,
    at.root,
    accept.root,
    acceptOther.root,
    h('div', { class: 'actions' }, submit),
  );
  const value = (one) => one.control.value.trim();
  return {
    root,
    submit,
    usesDraft: () => overlay?.control.checked,
    read: () => ({
      text: value(key),
      acceptLanguage: value(language) === 'other' ? value(other) : value(language),
      linkType: value(linkType),
      context: value(context),
      at: value(at) && new Date(value(at)).toISOString(),
      atLocal: value(at),
      accept: value(accept) === 'other' ? value(acceptOther) : value(accept),
    }),
    fault(found, text) {
      echo.hidden = true;
      key.fault();
      if (!found) return;
      key.fault(...[checkText(found)].flat());
      if (found.span) {
        const [before, inside, after] = cut(text, found.span);
        echo.hidden = false;
        put(echo, before, h('mark', { class: inside ? '' : 'gap' }, inside || '\u00a0'), after);
      }
    },
    complain(error) {
      const first = error.errors?.[0];
      key.fault(errorText(error), first && [' ', faultText(first)]);
      return true;
    },
  };
}

/** Keeps the question in the address, so that it can be shared and comes back after a reload. */
function remember(key, question, draftKey) {
  const search = new URLSearchParams();
  if (draftKey) search.set('draft', draftKey);
  if (question.acceptLanguage !== PHONES[0][0]) search.set('language', question.acceptLanguage);
  for (const name of ['linkType', 'context']) if (question[name]) search.set(name, question[name]);
  if (question.atLocal) search.set('at', question.atLocal);
  if (question.accept !== BROWSER && READERS.some(([value]) => value === question.accept))
    search.set('accept', question.accept);
  const text = search.toString();
  history.replaceState(null, '', `#/preview/${key}${text ? `?${text}` : ''}`);
}

// ---- the answer ----------------------------------------------------------------------------------------------------

const outcomeOf = (result) => (result.explanation ?? result).outcome ?? {};
const locationOf = (result) => result.headers?.location ?? outcomeOf(result).location;

function summary(result) {
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

function show(result, key, question) {
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
