// A record while it is edited. Nothing here touches the page or the network.
import {
  curie,
  isDefault,
  isVariant,
  typeTitle,
  languageName,
  languageTag,
  placeName,
  mediaName,
  roleName,
  DEFAULT,
  VARIANT,
} from './words.js';
import { dateTime, listed, locale, t } from './texts.js';

let next = 1;

const BLANK = {
  linkType: '',
  href: '',
  title: '',
  type: '',
  hreflang: [],
  context: [],
  access: [],
  validFrom: '',
  validUntil: '',
};

/** A link as it is edited; `origin` is its place in the record that was read. */
export function newLink(members = {}, origin) {
  return {
    id: next++,
    origin,
    also: 'gs1:pip',
    ...structuredClone({ ...BLANK, ...members, title: members.title ?? '' }),
  };
}

/** Starts the numbering of links again: the ids of fields stay the same from one opening to the next. */
export function startNumbering(at = 1) {
  next = at;
}

/** The links of a record: one that is the default link too, or a variant of it, is two of them. */
export const allLinks = (record) =>
  (record?.links ?? []).flatMap(({ default: role, ...link }) => {
    if (!role) return [link];
    const { href, title, validFrom, validUntil } = link;
    const members = role === true ? { href, title, validFrom, validUntil } : link;
    return [{ ...members, linkType: role === true ? DEFAULT : VARIANT }, link];
  });

/** The name in other languages, a line for each: "French: Thé vert". */
const namesText = (record) =>
  Object.entries(record?.itemDescriptions ?? {})
    .map(([tag, name]) => {
      const language = languageName(tag);
      return `${languageTag(language) === tag ? language : tag}: ${name}`;
    })
    .join('\n');

/** What {@link namesText} makes lines of; a language that is not known stays as it was typed. */
function namesOf(text) {
  const names = text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const [language, ...name] = line.split(':');
      return [languageTag(language) ?? language.trim(), name.join(':').trim()];
    });
  return Object.fromEntries(names.sort());
}

/** Descriptive links that saving adds again are left out; their types become those of their default links. */
export function fromRecord(record) {
  const links = allLinks(record).map((link, at) =>
    newLink({ ...link, linkType: curie(link.linkType) }, at),
  );
  return {
    description: record?.itemDescription ?? '',
    names: namesText(record),
    answer: record?.defaultLinkType ?? '',
    market: record?.contextFrom ?? '',
    links: withoutAdded(links),
  };
}

/** Leaves out the links that saving puts back, in whatever place. */
function withoutAdded(links) {
  const texts = (list) => JSON.stringify(list.map((link) => JSON.stringify(written(link))).sort());
  const whole = texts(links);
  for (const main of links.filter(answersPlainScan)) {
    const twin = links.find((link) => !answersPlainScan(link) && isTwin(main, link));
    if (!twin) continue;
    const rest = links
      .filter((link) => link !== twin)
      .map((link) => (link.id === main.id ? { ...link, also: twin.linkType } : link));
    if (texts(withAdded(rest)) === whole) links = rest;
  }
  return links;
}

const isTwin = (main, link) =>
  JSON.stringify(written({ ...main, linkType: '' })) ===
  JSON.stringify(written({ ...link, linkType: '' }));

/** The links to save: after each default link whose target no descriptive link names whenever it applies, one that does. */
function withAdded(links) {
  const added = [];
  return links.flatMap((link) => {
    if (!lacksDescription(link, [...links, ...added])) return [link];
    const twin = { ...link, linkType: link.also };
    added.push(twin);
    return [link, twin];
  });
}

/** The link as the record holds it: members without a value are left out. */
function written(link) {
  const out = {
    linkType: curie(link.linkType.trim()),
    href: link.href.trim(),
    title: link.title.trim(),
  };
  if (link.type.trim()) out.type = link.type.trim();
  if (link.hreflang.length) out.hreflang = [...link.hreflang];
  if (link.context.length) out.context = [...link.context];
  if (link.access.length) out.access = [...link.access];
  if (link.validFrom) out.validFrom = link.validFrom;
  if (link.validUntil) out.validUntil = link.validUntil;
  return out;
}

const answersPlainScan = (link) => isDefault(link.linkType) || isVariant(link.linkType);

/** Has the link a target that no descriptive link of the record names at all times at which it applies (RES-2.5.8-3)? Then one is added on saving. */
export function lacksDescription(link, links) {
  return (
    link.href.trim() !== '' &&
    answersPlainScan(link) &&
    !describing(link, links).some(
      (other) => startOf(other) <= startOf(link) && endOf(other) >= endOf(link),
    )
  );
}

/** The descriptive links for everyone that name the same target as a default one. */
export function describing(link, links) {
  const href = link.href.trim();
  return href
    ? links.filter(
        (other) =>
          other !== link &&
          !answersPlainScan(other) &&
          !other.access.length &&
          other.href.trim() === href,
      )
    : [];
}

/** The languages whose readers have a page of their own, but get the page for a time while it applies, because no page in their language has its dates. */
export function languagesWithout(timed, links) {
  const variants = links.filter((link) => isVariant(link.linkType));
  const isMeant = (link, tag) =>
    (link.validFrom || link.validUntil) &&
    link.hreflang.includes(tag) &&
    startOf(link) <= startOf(timed) &&
    endOf(link) >= endOf(timed);
  const tags = variants
    .filter((link) => !link.validFrom && !link.validUntil)
    .flatMap((link) => link.hreflang);
  return [...new Set(tags)].filter((tag) => !variants.some((link) => isMeant(link, tag)));
}

/** The record to send, and for each of its links the id of the link on the page that it comes from. */
export function toRecord(anchor, draft) {
  const record = { anchor: `/${anchor.replace(/^\//, '')}` };
  if (draft.description.trim()) record.itemDescription = draft.description.trim();
  if (draft.names.trim()) record.itemDescriptions = namesOf(draft.names);
  if (draft.answer) record.defaultLinkType = draft.answer;
  if (draft.market) record.contextFrom = draft.market;
  const links = withAdded(draft.links);
  record.links = links.map(written);
  return { record, ids: links.map((link) => link.id) };
}

/** Does the draft say something else than the record? */
export function differs(draft, record, anchor) {
  return JSON.stringify(toRecord(anchor, draft).record) !== JSON.stringify(normal(record, anchor));
}

function normal(record, anchor) {
  return toRecord(anchor, fromRecord(record)).record;
}

// ---- in words ------------------------------------------------------------------------------------------------------

/** A link in one line: "Product information page, French → https://…". */
export function linkInWords(link) {
  const terms = [
    link.hreflang && listed(link.hreflang.map(languageName)),
    link.context && listed(link.context.map(placeName)),
    link.type && mediaName(link.type),
    link.access && t('link.only_roles', { roles: listed(link.access.map(roleName)) }),
    windowInWords(link),
  ].filter(Boolean);
  return t('difference.in_words', {
    type: `${typeTitle(link.linkType)}${terms.length ? ` (${terms.join('; ')})` : ''}`,
    title: link.title ?? '',
    address: link.href ?? '',
  });
}

/** "from 1 May 2026 until 1 June 2026", or nothing. */
export function windowInWords({ validFrom, validUntil }) {
  const day = (text) => {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) return text;
    const midnight = date.getHours() === 0 && date.getMinutes() === 0;
    return midnight ? date.toLocaleDateString(locale, { dateStyle: 'medium' }) : dateTime(date);
  };
  if (validFrom && validUntil)
    return t('link.from_until', { from: day(validFrom), until: day(validUntil) });
  if (validFrom) return t('link.from_on', { from: day(validFrom) });
  if (validUntil) return t('link.until', { until: day(validUntil) });
  return '';
}

const MEMBERS = [
  ['linkType', t('difference.type')],
  ['href', t('difference.address')],
  ['title', t('common.title')],
  ['hreflang', t('common.languages')],
  ['context', t('link.markets')],
  ['type', t('link.file_type')],
  ['access', t('link.roles')],
  ['validFrom', t('common.from')],
  ['validUntil', t('common.until')],
];
const memberText = (value) => (Array.isArray(value) ? listed(value) : (value ?? ''));

const NAME = t('common.name');

const NAMES = t('record.names');

/** What a scan without a link type gets: the name of that member in words. */
const ANSWER = t('difference.answer');

/** Which market a scan has that names none: the name of that member in words. */
const MARKET = t('record.market_source');

/** What is different between two records, in words: [{what, before, after}]. */
export function differences(before, after) {
  const found = [];
  if ((before?.itemDescription ?? '') !== (after?.itemDescription ?? ''))
    found.push({
      what: NAME,
      before: before?.itemDescription ?? '',
      after: after?.itemDescription ?? '',
    });
  if (namesText(before) !== namesText(after))
    found.push({ what: NAMES, before: namesText(before), after: namesText(after) });
  if ((before?.defaultLinkType ?? '') !== (after?.defaultLinkType ?? ''))
    found.push({
      what: ANSWER,
      before: before?.defaultLinkType ?? '',
      after: after?.defaultLinkType ?? '',
    });
  if ((before?.contextFrom ?? '') !== (after?.contextFrom ?? ''))
    found.push({
      what: MARKET,
      before: before?.contextFrom ?? '',
      after: after?.contextFrom ?? '',
    });
  const pairs = pair(allLinks(before), allLinks(after));
  for (const one of pairs) {
    if (isTold(one, pairs)) continue;
    const { from, to } = one;
    if (from && to) {
      for (const [member, name] of MEMBERS) {
        if (memberText(from[member]) !== memberText(to[member]))
          found.push({
            what: t('difference.member', {
              link: t('difference.titled', { type: typeTitle(from.linkType), title: from.title }),
              member: name,
            }),
            before: memberText(from[member]),
            after: memberText(to[member]),
          });
      }
    } else if (from)
      found.push({ what: t('difference.removed'), before: linkInWords(from), after: '' });
    else found.push({ what: t('difference.added'), before: '', after: linkInWords(to) });
  }
  const order = pairs
    .filter((one) => one.from && one.to && !isTold(one, pairs))
    .map((one) => one.fromAt);
  if (order.some((at, i) => i > 0 && at < order[i - 1]))
    found.push({
      what: t('difference.order'),
      before: t('difference.as_before'),
      after: t('difference.changed'),
    });
  return found;
}

/** Whether a pair of two records is of descriptive links that repeat links for a plain scan, which say the same (RES-2.5.8-3). */
function isTold({ from, to }, pairs) {
  if (from && to && curie(from.linkType) !== curie(to.linkType)) return false;
  const has = (main, link) => (link ? Boolean(main) && repeats(main, link) : !main);
  return pairs.some((other) => has(other.from, from) && has(other.to, to));
}

/** Whether a descriptive link has nothing but its type that a link for a plain scan does not have. */
function repeats(main, link) {
  const alike = ([member]) => memberText(main[member]) === memberText(link[member]);
  return (
    answersPlainScan(main) &&
    !answersPlainScan(link) &&
    MEMBERS.filter(([member]) => member !== 'linkType').every(alike)
  );
}

/** How many pages a record leads to: one for each line, also where a default link repeats it. */
export const pageCount = (record) =>
  allLinks(record).filter((link) => !answersPlainScan(link)).length;

const plain = (link) => JSON.stringify(written({ ...BLANK, ...link }));

/** Pairs the links of two records: the same ones first, then those of one type and audience, then one address, then one type. */
export function pair(before, after) {
  const left = before.map((link, at) => ({ link, at }));
  const result = after.map((to) => ({ to }));
  const audience = (link) =>
    [
      curie(link.linkType),
      memberText(link.hreflang),
      memberText(link.context),
      link.type ?? '',
      link.validFrom ?? '',
    ].join('\n');
  for (const key of [
    plain,
    audience,
    (link) => `${curie(link.linkType)}\n${link.href}`,
    (link) => curie(link.linkType),
  ]) {
    for (const one of result) {
      if (one.from) continue;
      const found = left.findIndex((other) => key(other.link) === key(one.to));
      if (found >= 0) {
        one.from = left[found].link;
        one.fromAt = left[found].at;
        left.splice(found, 1);
      }
    }
  }
  return [...result, ...left.map(({ link, at }) => ({ from: link, fromAt: at }))];
}

// ---- two editors at once -------------------------------------------------------------------------------------------

/** What both changed since `base`: pieces with `base`, `mine`, `theirs`; a clash has all three different. */
export function merge(base, mine, theirs) {
  const pieces = [];
  const add = (what, b, m, t, text) => {
    const [bs, ms, ts] = [b, m, t].map((value) => (value === undefined ? undefined : text(value)));
    if (ms === bs && ts === bs) {
      if (t !== undefined) pieces.push({ what, kept: true, mine: m, theirs: t });
      return;
    }
    pieces.push({
      what,
      base: bs ?? '',
      mineText: ms ?? '',
      theirsText: ts ?? '',
      mine: m,
      theirs: t,
      by: ms === ts ? 'both' : ts === bs ? 'mine' : ms === bs ? 'theirs' : 'clash',
    });
  };
  add(
    NAME,
    base.itemDescription ?? '',
    mine.itemDescription ?? '',
    theirs.itemDescription ?? '',
    (value) => value,
  );
  const names = [base, mine, theirs].map(namesText);
  if (names.some(Boolean)) add(NAMES, ...names, (value) => value);
  const answers = [base, mine, theirs].map((record) => record.defaultLinkType ?? '');
  if (answers.some(Boolean)) add(ANSWER, ...answers, (value) => value);
  const markets = [base, mine, theirs].map((record) => record.contextFrom ?? '');
  if (markets.some(Boolean)) add(MARKET, ...markets, (value) => value);
  const [was, toMine, toTheirs] = [
    allLinks(base),
    pair(allLinks(base), allLinks(mine)),
    pair(allLinks(base), allLinks(theirs)),
  ];
  was.forEach((link, at) => {
    const m = toMine.find((one) => one.fromAt === at)?.to;
    const their = toTheirs.find((one) => one.fromAt === at)?.to;
    add(
      t('difference.titled', { type: typeTitle(link.linkType), title: link.title }),
      link,
      m,
      their,
      (value) => (value === undefined ? '' : linkInWords(value)),
    );
  });
  const fresh = toMine.filter((one) => !one.from).map((one) => one.to);
  const theirFresh = toTheirs.filter((one) => !one.from).map((one) => one.to);
  for (const link of fresh) {
    const same = theirFresh.findIndex((other) => plain(other) === plain(link));
    if (same >= 0) theirFresh.splice(same, 1);
    add(t('difference.new_link'), undefined, link, same >= 0 ? link : undefined, linkInWords);
  }
  for (const link of theirFresh)
    add(t('difference.new_link'), undefined, undefined, link, linkInWords);
  return pieces;
}

/** The record that the choices make; `choice(piece)` is "mine" or "theirs". */
export function merged(anchor, pieces, choice) {
  const record = { anchor, links: [] };
  for (const piece of pieces) {
    const value = piece.kept || choice(piece) === 'mine' ? piece.mine : piece.theirs;
    if (piece.what === NAME) {
      if (value) record.itemDescription = value;
    } else if (piece.what === NAMES) {
      if (value) record.itemDescriptions = namesOf(value);
    } else if (piece.what === ANSWER) {
      if (value) record.defaultLinkType = value;
    } else if (piece.what === MARKET) {
      if (value) record.contextFrom = value;
    } else if (value) record.links.push(value);
  }
  return record;
}

// ---- time ----------------------------------------------------------------------------------------------------------

/** Which default link counts when: [{from, until, link}] (RES-2.5.7-2: of those valid, the one that began last). */
export function defaultsOverTime(links) {
  const defaults = links.filter((link) => isDefault(link.linkType));
  const edges = [
    ...new Set(
      defaults
        .flatMap((link) => [link.validFrom, link.validUntil])
        .filter(Boolean)
        .map((text) => Date.parse(text))
        .filter((time) => !Number.isNaN(time)),
    ),
  ].sort((a, b) => a - b);
  const spans = [-Infinity, ...edges].map((from, at) => ({
    from,
    until: edges[at] ?? Infinity,
    link: inForce(defaults, from),
  }));
  return spans.reduce((joined, span) => {
    const last = joined.at(-1);
    if (last && last.link === span.link) last.until = span.until;
    else joined.push(span);
    return joined;
  }, []);
}

export const startOf = (link) => (link.validFrom ? Date.parse(link.validFrom) : -Infinity);
export const endOf = (link) => (link.validUntil ? Date.parse(link.validUntil) : Infinity);

function inForce(defaults, at) {
  return defaults
    .filter((link) => startOf(link) <= at && at < endOf(link))
    .sort((a, b) => startOf(b) - startOf(a))[0];
}

export { DEFAULT, VARIANT };
