// Try a scan: the question, as a phone or another program asks it.
import { checkText, faultText, latest } from './api.js';
import {
  busy,
  field,
  h,
  heading,
  icon,
  input,
  notice,
  put,
  select,
  button,
  checkbox,
  errorText,
} from './dom.js';
import { kept } from './drafts.js';
import { cut } from './key-field.js';
import { check, explain, vocabulary } from './server.js';
import {
  curie,
  elementString,
  isMany,
  languageName,
  LANGUAGES,
  oneOf,
  PHONES,
  roleName,
  typeTitle,
  isDefault,
  isVariant,
} from './words.js';
import { t } from './texts.js';
import { summary, show, isKey } from './explanation.js';

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
  if (question.role) asked.roles = [question.role];
  if (draft?.record?.anchor?.length > 1) asked.records = [draft.record];
  return { key: key ?? target.slice(1), result: await explain(asked, signal) };
}

/** What is no identifier, but can be asked for: a path at the root of the host, or a name. */
function targetOf(text) {
  if (/^\/(?![0-9])/.test(text)) return text;
  return /^urn:/i.test(text) ? `/urn/${text}` : undefined;
}

/** Whether a path of the preview is that of an identifier. */

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
  const role = field({
    label: t('scan.role'),
    control: select({ id: 'scan-role', name: 'role', value: search.get('role') ?? '' }, [
      ['', t('scan.no_role')],
      ...(words.roles ?? []).map(({ name }) => [name, roleName(name)]),
    ]),
  });
  role.root.hidden = !words.roles?.length;
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
    role.root,
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
      role: value(role),
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
  for (const name of ['linkType', 'context', 'role'])
    if (question[name]) search.set(name, question[name]);
  if (question.atLocal) search.set('at', question.atLocal);
  if (question.accept !== BROWSER && READERS.some(([value]) => value === question.accept))
    search.set('accept', question.accept);
  const text = search.toString();
  history.replaceState(null, '', `#/preview/${key}${text ? `?${text}` : ''}`);
}
