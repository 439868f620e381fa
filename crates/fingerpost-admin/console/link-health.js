// The links whose targets were checked: a list, and what the page of a record says about its own.
import { get, query } from './api.js';
import { busy, button, english, fetchFile, h, heading, notice, put, table, when } from './dom.js';
import { keyOf } from './server.js';
import { t } from './texts.js';
import { elementString, keyInWords } from './words.js';

const PAGE = 50;

/** Faults that have a text; `status` says the status itself. */
const FAULTS = [
  'name',
  'address',
  'connection',
  'tls',
  'timeout',
  'answer',
  'loop',
  'redirects',
  'redirect',
  'ownServer',
  'robots',
];

/** `#/links`: broken links, or with `?all=1` all. */
export async function linkHealth(rest, asked) {
  const broken = !asked.get('all');
  const filter = { broken, companyPrefix: asked.get('companyPrefix') };
  const load = async (after) =>
    (await get(`/v1/links${query({ ...filter, after, limit: PAGE })}`)).data;
  const data = await load();
  const list = table(t('health.heading'), COLUMNS, rows(data), { id: 'link-list' });
  let { next } = data;
  const more = button(
    t('common.more'),
    () =>
      busy(more, async () => {
        const further = await load(next);
        list.add(rows(further));
        next = further.next;
        more.hidden = !next;
      }),
    { id: 'more' },
  );
  more.hidden = !next;
  const file = button(
    t('health.save'),
    () =>
      busy(file, async () => {
        await get('/v1/session');
        fetchFile(`/v1/links${query({ ...filter, format: 'csv' })}`);
      }),
    { id: 'links-file' },
  );
  const tab = (name, all, text) =>
    h(
      'a',
      {
        href: `#/links${query({ ...filter, broken: '', all: all && '1' })}`,
        id: `links-${name}`,
        'aria-current': all !== broken ? 'page' : undefined,
      },
      text,
    );
  return [
    heading(t('health.heading'), file),
    h('p', { class: 'soft' }, t('health.lead')),
    h(
      'nav',
      { class: 'tabs', 'aria-label': t('health.state') },
      tab('broken', false, t('health.broken_links')),
      tab('all', true, t('health.all')),
    ),
    data.levels.length || next
      ? [list.root, h('div', { class: 'actions' }, more)]
      : h('p', { id: 'no-links' }, t(broken ? 'health.none_broken' : 'common.none_yet')),
  ];
}

const rows = (data) =>
  data.levels.flatMap((level) => targets(level).map((link) => ({ ...link, level })));

/** One link for each target: the default link repeats another one. */
const targets = (level) => [...new Map(level.links.map((link) => [address(link), link])).values()];

const COLUMNS = [
  {
    title: t('common.what'),
    class: 'main',
    cell: ({ level }) => {
      const key = keyOf(level);
      return h(
        'div',
        {},
        h('a', { href: `#/record/${key}` }, level.itemDescription || keyInWords(key)),
        h('span', { class: 'key' }, elementString(key)),
      );
    },
  },
  {
    title: t('health.link'),
    cell: (link) =>
      h(
        'div',
        {},
        h('span', { dir: 'auto' }, link.title),
        h('span', { class: 'key' }, address(link)),
      ),
  },
  {
    title: t('health.state'),
    cell: ({ health }) =>
      h(
        'span',
        { class: health?.state === 'broken' ? 'tag bad' : 'tag' },
        t(`health.${health?.state ?? 'new'}`),
      ),
  },
  { title: t('health.since'), cell: ({ health }) => (health ? when(health.since) : '') },
  { title: t('health.why'), cell: (link) => why(link) },
];

const address = (link) => link.health?.target ?? link.href;

/** Why a link does not work, or which promise of the record its target does not keep. */
function why({ health, mismatches }) {
  const { fault, detail, status } = health?.answer ?? {};
  if (fault === 'status') return t('health.status', { status });
  if (FAULTS.includes(fault)) return h('span', { title: detail }, t(`health.${fault}`));
  if (fault) return english(detail);
  return mismatches.map((one) => h('div', {}, t(`health.other_${one}`)));
}

/** What the page of a record says about its broken links. It comes later, and nothing comes if there are none. */
export function brokenNotice(key) {
  const place = h('div', {});
  get(`/v1/links${query({ under: key, broken: true, limit: 1 })}`)
    .then(({ data }) => {
      const [level] = data.levels;
      if (!level || keyOf(level) !== key) return;
      const lines = targets(level).map((link) =>
        h(
          'li',
          {},
          h('span', { dir: 'auto' }, link.title),
          ' ',
          h('span', { class: 'key' }, address(link)),
          ' ',
          why(link),
        ),
      );
      put(
        place,
        notice(
          'bad',
          h('p', {}, t('health.broken_since', { time: when(level.brokenSince) })),
          h('ul', { id: 'broken-links' }, lines),
        ),
      );
    })
    .catch(() => {});
  return place;
}
