// Try a scan: what a phone gets, and the steps by which the resolver came to it.
import { latest, sentence } from './api.js';
import { busy, button, checkbox, field, h, heading, icon, input, notice, plural, put, select, unique } from './dom.js';
import { kept } from './drafts.js';
import { cut } from './key-field.js';
import { check, explain, vocabulary } from './server.js';
import { curie, elementString, isMany, keyInWords, languageName, LANGUAGES, mediaName, oneOf, PHONES, placeName, typeTitle, isDefault, isVariant } from './words.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const READERS = [[BROWSER, 'A web browser'], ['', 'An app that takes anything'], ['application/linkset+json', 'A program that wants the linkset'], ['application/ld+json', 'A program that wants JSON-LD'], ['application/pdf', 'A program that wants a PDF']];

/** `#/preview`, `#/preview/01/…`, with `?draft=` the key of an unsaved version. */
export async function preview(rest, search) {
  const draftKey = search.get('draft');
  const draft = draftKey ? kept(draftKey) : undefined;
  const words = await vocabulary();
  const form = questions(rest, search, words, draft);
  const answer = h('div', { id: 'answer' });
  const said = h('p', { class: 'unseen', role: 'status' });
  const only = latest();
  const ask = async () => {
    const question = form.read();
    if (!question.text) { put(answer, h('p', { class: 'soft' }, 'Give a number or a code, and see what a scan of it gets.')); return; }
    const { result, key } = await only((signal) => run(question, draft && form.usesDraft() ? draft : undefined, form, signal));
    if (!result) { put(answer); return; }
    remember(key, question, draftKey);
    put(answer, show(result, key, question));
    put(said, summary(result));
  };
  form.root.addEventListener('submit', (event) => { event.preventDefault(); busy(form.submit, ask, complain); });
  const complain = (error) => {
    put(answer, error.errors?.some((one) => /^\/records/.test(one.pointer)) ? unfinished(error) : null);
    return answer.firstChild ? true : form.complain(error);
  };
  let timer;
  const later = (wait) => { clearTimeout(timer); timer = setTimeout(() => ask().catch((error) => { if (error.name !== 'AbortError') complain(error); }), wait); };
  form.root.addEventListener('change', () => later(0));
  form.root.addEventListener('input', (event) => { if (event.target.id === 'scan-key') later(350); });
  await ask().catch((error) => { if (error.name !== 'AbortError') complain(error); });
  return [heading('Try a scan', rest && (isKey(rest) || isMany(rest)) && h('a', { class: 'button quiet', href: draftKey === 'new' ? '#/new' : `#/record/${rest}`, id: 'back-to-record' }, icon('pencil'), h('span', {}, 'Back to the record'))),
    h('div', { class: 'try' }, form.root, answer), said];
}

/** The unsaved version cannot be laid over what is stored yet. */
function unfinished(error) {
  return notice('bad', h('p', {}, 'Your unsaved version is not complete yet:'), h('ul', {}, error.errors.map((one) => h('li', {}, sentence(one.detail)))));
}

async function run(question, draft, form, signal) {
  form.fault();
  const found = await check(question.text, signal);
  const target = found.valid && found.key ? undefined : targetOf(question.text);
  if (!found.valid && !target) { form.fault(found, question.text); return {}; }
  const key = target ? undefined : String(found.key).replace(/^\//, '');
  const asked = target ? { target } : { key };
  for (const name of ['acceptLanguage', 'accept', 'at']) if (question[name]) asked[name] = question[name];
  if (key) for (const name of ['linkType', 'context']) if (question[name]) asked[name] = question[name];
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
  const key = field({ label: 'What is scanned', hint: 'A number, (01)…(10)…, a Digital Link, a name (urn:…), or another path of the resolver.', control: input({ id: 'scan-key', name: 'key', class: 'mono', value: rest ? (isKey(rest) || isMany(rest) ? elementString(oneOf(rest)) : `/${rest}`) : draft?.text ?? '' }), wide: true });
  const echo = h('p', { class: 'echo', hidden: true });
  key.root.insertBefore(echo, key.error);
  const wanted = search.get('language') ?? PHONES[0][0];
  const phones = PHONES.some(([value]) => value === wanted) || ['', 'other'].includes(wanted) ? PHONES : [[wanted, wanted], ...PHONES];
  const language = field({ label: 'The phone is set to', control: select({ id: 'scan-language', name: 'language', value: wanted }, [...phones, ['', 'No language at all'], ['other', 'Another language …']]) });
  const other = field({ label: 'Accept-Language', hint: 'As the phone sends it: fr-CA, fr;q=0.9', control: input({ id: 'scan-language-other', list: 'scan-languages' }) });
  const tags = h('datalist', { id: 'scan-languages' }, LANGUAGES.map((tag) => h('option', { value: tag }, languageName(tag))));
  other.root.hidden = true;
  language.control.addEventListener('change', () => { other.root.hidden = language.control.value !== 'other'; });
  const types = words.linkTypes.filter((term) => !isDefault(term.id) && !isVariant(term.id) && term.class !== 'system' && curie(term.id).startsWith('gs1:'));
  const linkType = field({ label: 'It asks for', control: select({ id: 'scan-link-type', name: 'linkType', value: search.get('linkType') ?? '' }, [['', 'Nothing in particular (a normal scan)'], ['linkset', 'Everything there is (linkset)'],
    { group: 'One kind of link', options: types.map((term) => [curie(term.id), `${typeTitle(term.id)} (${curie(term.id)})`]).sort((a, b) => a[1].localeCompare(b[1])) }]) });
  const context = field({ label: 'Requested country or market', hint: 'Such as CA; most scans say none.', control: input({ id: 'scan-context', name: 'context', value: search.get('context') ?? '' }), optional: true });
  const at = field({ label: 'When', hint: 'Empty: now.', control: h('input', { type: 'datetime-local', id: 'scan-at', name: 'at', value: search.get('at') ?? '' }), optional: true });
  const accept = field({ label: 'Who asks', control: select({ id: 'scan-accept', name: 'accept', value: search.get('accept') ?? BROWSER }, [...READERS, ['other', 'Another Accept header …']]) });
  const acceptOther = field({ label: 'Accept', control: input({ id: 'scan-accept-other', placeholder: 'application/pdf, */*;q=0.1' }) });
  acceptOther.root.hidden = true;
  accept.control.addEventListener('change', () => { acceptOther.root.hidden = accept.control.value !== 'other'; });
  const overlay = draft && checkbox('Use my unsaved version', { id: 'scan-draft', checked: true });
  const submit = button('Try it', undefined, { kind: 'primary', type: 'submit', icon: 'phone', id: 'scan' });
  const root = h('form', { class: 'questions', id: 'scan-form' }, key.root, overlay?.root, language.root, other.root, tags, linkType.root, context.root, at.root, accept.root, acceptOther.root, h('div', { class: 'actions' }, submit));
  const value = (one) => one.control.value.trim();
  return {
    root, submit,
    usesDraft: () => overlay?.control.checked,
    read: () => ({
      text: value(key), acceptLanguage: value(language) === 'other' ? value(other) : value(language), linkType: value(linkType), context: value(context),
      at: value(at) && new Date(value(at)).toISOString(), atLocal: value(at), accept: value(accept) === 'other' ? value(acceptOther) : value(accept),
    }),
    fault(found, text) {
      echo.hidden = true;
      key.fault();
      if (!found) return;
      key.fault(sentence(found.detail), found.hint ? ` ${sentence(found.hint)}` : '');
      if (found.span) {
        const [before, inside, after] = cut(text, found.span);
        echo.hidden = false;
        put(echo, before, h('mark', { class: inside ? '' : 'gap' }, inside || '\u00a0'), after);
      }
    },
    complain(error) {
      const first = error.errors?.[0];
      key.fault(first ? `${error.message} ${first.detail}` : error.message);
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
  if (question.accept !== BROWSER && READERS.some(([value]) => value === question.accept)) search.set('accept', question.accept);
  const text = search.toString();
  history.replaceState(null, '', `#/preview/${key}${text ? `?${text}` : ''}`);
}

// ---- the answer ----------------------------------------------------------------------------------------------------

const outcomeOf = (result) => (result.explanation ?? result).outcome ?? {};
const locationOf = (result) => result.headers?.location ?? outcomeOf(result).location;

function summary(result) {
  const outcome = outcomeOf(result);
  return {
    delegated: `Another resolver is in charge: it goes on to ${locationOf(result)}`, uris: 'It gives a list of addresses or names.', refused: `It is refused: ${sentence(outcome.error ?? '')}`, public: 'It is no identifier: a page or file of the resolver.',
    'no-locator': 'The name is known, but leads nowhere at the moment.', 'not-offered': 'A resolver of links cannot offer this service.',
    redirect: `It opens ${locationOf(result)}`, choices: 'It shows a choice of several links.', linkset: 'It shows the list of all links.', 'link-type-not-available': 'There is no link of that kind; it lists the available links.',
    unknown: 'Nothing is known about it.', 'no-default': 'There is no default link; it lists the available links.',
  }[outcome.answer] ?? `Answer ${result.status ?? outcome.answer}`;
}

function show(result, key, question) {
  return [phone(result, key), h('section', { class: 'why', 'aria-labelledby': 'why' }, h('h2', { id: 'why' }, 'Why'), steps(result, key, question)), raw(result)];
}

function phone(result, key) {
  const outcome = outcomeOf(result);
  const location = locationOf(result);
  const left = (result.explanation ?? result).steps?.at(-1)?.left ?? [];
  const screen = {
    redirect: () => [h('p', { class: 'screen-bar' }, safeLink(location)), h('p', { class: 'screen-main' }, icon('arrow'), h('strong', {}, 'opens this page')), wasChosen(left)],
    delegated: () => [h('p', { class: 'screen-bar' }, safeLink(location)), h('p', { class: 'screen-main' }, icon('arrow'), h('strong', {}, 'goes on to another resolver')), h('p', { class: 'soft' }, `A pattern of this installation hands it over to ${outcome.handledBy}`)],
    uris: () => [h('p', { class: 'screen-main' }, h('strong', {}, 'gets a list')), h('ul', { class: 'screen-links' }, (outcome.uris ?? []).slice(0, 8).map((uri) => h('li', {}, h('span', { class: 'address' }, uri))))],
    refused: () => [h('p', { class: 'screen-main' }, h('strong', {}, 'shows an error')), h('p', {}, sentence(outcome.error ?? ''))],
    choices: () => [h('p', { class: 'screen-main' }, h('strong', {}, 'shows a choice')), links(left)],
    linkset: () => [h('p', { class: 'screen-main' }, h('strong', {}, 'shows all links')), links(heldLinks(result))],
    'link-type-not-available': () => [h('p', { class: 'screen-main' }, h('strong', {}, 'has no such link')), h('p', {}, 'and lists the available links:'), links(heldLinks(result))],
    'no-default': () => [h('p', { class: 'screen-main' }, h('strong', {}, 'has no default page')), h('p', {}, 'and lists the available links:'), links(heldLinks(result))],
    unknown: () => [h('p', { class: 'screen-main' }, h('strong', {}, 'finds nothing')), h('p', {}, 'Nothing is registered for this.'), isKey(key) && h('a', { class: 'button', href: `#/new/${key}` }, 'Register it')],
  }[outcome.answer] ?? (() => [h('p', {}, summary(result))]);
  return h('section', { class: 'phone', 'aria-label': 'What the phone gets' }, h('div', { class: 'screen' }, screen()), h('p', { class: 'soft status-line' }, result.status ? `HTTP status ${result.status}` : ''));
}

const heldLinks = (result) => ((result.explanation ?? result).levels ?? []).flatMap((one) => one.links).filter((link) => !link.leftOut);

function links(all) {
  return h('ul', { class: 'screen-links' }, all.slice(0, 8).map((link) => h('li', {}, h('strong', {}, typeTitle(link.linkType)), ' ', audience(link), h('span', { class: 'address' }, link.href))), all.length > 8 && h('li', { class: 'soft' }, `and ${all.length - 8} more`));
}

function wasChosen([link]) {
  return link ? h('p', { class: 'soft' }, isDefault(link.linkType) ? 'Where every scan goes' : [isVariant(link.linkType) ? 'The page for' : typeTitle(link.linkType), ' ', audience(link)]) : null;
}

/** An address as a hyperlink, when it is one of the web. */
function safeLink(address) {
  return /^https?:\/\//i.test(address ?? '') ? h('a', { id: 'location', class: 'address', href: address, target: '_blank', rel: 'noopener noreferrer' }, address) : h('span', { id: 'location', class: 'address' }, address);
}

function audience(link) {
  return [(link.hreflang ?? []).map((tag) => h('span', { class: 'tag' }, languageName(tag))), (link.context ?? []).map((one) => h('span', { class: 'tag' }, placeName(one))), link.type && h('span', { class: 'tag' }, mediaName(link.type))];
}

const RULES = {
  'A.1': 'Is anything registered?', 'A.2': 'All links requested', 'A.3': 'A program requests the linkset', 'A.4': 'Requested file type', 'A.5': 'The usual answer here',
  '2.8': 'Who is in charge?', name: 'What the name stands for', B: 'Links of the requested type', 'B.1': 'File type', 'B.2': 'Language', 'B.3': 'Country or market', 'B.4': 'Links for everybody first', 'B.5': 'What is left', C: 'Where a scan goes',
};

/** What the steps about the default link say, by the words with which they begin. */
const DEFAULT_STEPS = [[/^no type asked, no/, 'One page for everybody'], [/^nothing asked/, 'The phone says nothing that could choose'], [/^no type asked/, 'There are pages for some people'], [/^without those/, 'Those for others go'],
  [/^of these/, 'Those that fit stay'], [/^one variant/, 'One is left'], [/the default link$/, 'The page for everybody']];

function stepTitle({ rule, text }) {
  return (rule === 'C' && DEFAULT_STEPS.find(([words]) => words.test(text))?.[1]) || RULES[rule] || rule;
}

function steps(result, key, question) {
  const why = result.explanation ?? result;
  const list = h('ol', { class: 'steps', id: 'steps' });
  const step = (mark, title, rule, ...rest) => list.append(h('li', { class: mark }, h('span', { class: 'mark' }, icon(mark === 'none' ? 'close' : mark === 'end' ? 'arrow' : 'check')), h('div', {}, h('h3', {}, title, rule && h('span', { class: 'rule' }, rule)), ...rest)));
  step('read', 'The code is read', null, h('p', {}, why.entity || isKey(key) ? keyInWords(why.entity ?? key) : `/${key}`), asked(why, question));
  for (const one of why.levels ?? []) {
    const place = pathOf(one.anchor);
    const out = one.links.filter((link) => link.leftOut);
    step(one.held ? 'read' : 'none', one.held ? `Look at ${keyInWords(place)}` : `Nothing at ${keyInWords(place)}`, null,
      one.held && h('p', {}, `${plural(one.links.length + (one.linksOmitted ?? 0), 'link')} registered here${out.length ? `; ${out.length} ${out.length === 1 ? 'takes' : 'take'} no part:` : '.'}`),
      out.length > 0 && h('ul', { class: 'left' }, out.map((link) => h('li', { class: 'gone' }, linkLine(link), h('span', { class: 'because' }, link.leftOut)))));
  }
  let before;
  for (const one of why.steps ?? []) {
    // Links that are counted, not listed, are not gone.
    const gone = before && !one.leftOmitted ? before.filter((link) => !one.left.some((other) => other.number === link.number && other.href === link.href)) : [];
    const many = one.left.length > 6;
    const same = before && gone.length === 0 && before.length === one.left.length;
    step(one.left.length ? 'read' : 'none', stepTitle(one), one.rule, h('p', {}, sentence(one.text)),
      same ? h('p', { class: 'soft' }, one.left.length === 1 ? 'The same link.' : 'All of them stay.') : one.left.length + gone.length > 0 && fold(many, plural(one.left.length, 'link'), h('ul', { class: 'left' }, one.left.map((link) => h('li', { class: 'stays' }, icon('check'), linkLine(link))), gone.map((link) => h('li', { class: 'gone' }, icon('close'), linkLine(link))))));
    before = one.left;
  }
  step('end', 'The answer', result.status && `HTTP ${result.status}`, h('p', { id: 'outcome' }, summary(result)));
  for (const note of why.notes ?? result.notes ?? []) list.append(h('li', { class: 'note' }, h('span', { class: 'mark' }, icon('warning')), h('div', {}, h('p', {}, typeof note === 'string' ? note : note.text ?? note.message ?? ''))));
  return list;
}

function asked(why, question) {
  const said = [why.acceptLanguage && `languages ${why.acceptLanguage}`, why.linkType && `kind ${why.linkType}`, why.context && `market ${why.context}`, question.at && `at ${new Date(question.at).toLocaleString()}`].filter(Boolean);
  return h('p', { class: 'soft' }, said.length ? `The request says: ${said.join('; ')}.` : 'The request says nothing more.');
}

function fold(yes, title, content) {
  return yes ? h('details', {}, h('summary', {}, title), content) : content;
}

function linkLine(link) {
  return h('span', { class: 'link-line' }, h('span', { class: 'number' }, `${link.number}. `), h('strong', {}, isDefault(link.linkType) ? 'Plain scan' : isVariant(link.linkType) ? 'Plain scan for' : typeTitle(link.linkType)), ' ', audience(link), ' ', h('span', { class: 'address' }, link.href));
}

/** The path of an anchor: what follows the root of the resolver. */
function pathOf(anchor) {
  return String(anchor).replace(/^https?:\/\/[^/]+\//, '').replace(/^\//, '');
}

function raw(result) {
  const headers = Object.entries(result.headers ?? {});
  const id = unique('raw');
  return h('details', { class: 'raw' }, h('summary', {}, 'The answer as programs see it'), h('dl', { id }, result.status && [h('dt', {}, 'Status'), h('dd', {}, String(result.status))], headers.map(([name, value]) => [h('dt', {}, name), h('dd', {}, h('code', {}, value))])),
    result.body && h('pre', { tabindex: '0', 'aria-label': 'Body' }, typeof result.body === 'string' ? result.body : JSON.stringify(result.body, null, 2)));
}

