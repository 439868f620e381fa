// Counts of scans: over time, and by product, link type, language and country.
import { get, query } from './api.js';
import { chart } from './chart.js';
import { busy, button, fetchFile, h, heading, svg, table } from './dom.js';
import { number, t } from './texts.js';
import { elementString, keyInWords, languageName, typeTitle } from './words.js';

const DAYS = 30;
const DAY = 86400000;
const TOP = 10;
const BAR = 120;

/** `#/insight`: the scans of everything, or with `?under=KEY` of a key and what is below it. */
export async function insight(rest, asked) {
  const under = asked.get('under');
  const first = Math.floor(Date.now() / DAY) - DAYS + 1;
  const filter = { under, from: new Date(first * DAY).toISOString() };
  const load = async (further) =>
    (await get(`/v1/insight${query({ ...filter, limit: TOP, ...further })}`)).data;
  const [days, keys, types, languages, countries] = await Promise.all([
    load({ by: 'day', limit: DAYS }),
    load({ dimensions: 'key' }),
    load({ dimensions: 'linkType' }),
    load({ dimensions: 'language' }),
    load({ dimensions: 'country' }),
  ]);
  const file = button(
    t('insight.save'),
    () =>
      busy(file, async () => {
        await get('/v1/session');
        fetchFile(
          `/v1/insight${query({ ...filter, by: 'day', dimensions: 'key,linkType,language', format: 'csv' })}`,
        );
      }),
    { id: 'insight-file' },
  );
  const top = [
    heading(t('insight.heading'), file),
    h('p', { class: 'soft' }, t(days.enabled ? 'insight.lead' : 'insight.off')),
  ];
  if (!days.enabled) return top;
  const counts = new Map(days.rows.map((row) => [row.period, row.count]));
  const periods = Array.from({ length: DAYS }, (_, at) => new Date((first + at) * DAY));
  const values = periods.map((day) => counts.get(day.toISOString().slice(0, 10)) ?? 0);
  const width = Math.min(Math.max(window.innerWidth - 64, 280), 720);
  // The days are those in UTC, so each is shown at its noon.
  const times = periods.map((day) => new Date(day.getTime() + DAY / 2));
  const hidden = Math.max(days.hidden, keys.hidden, types.hidden, languages.hidden);
  return [
    ...top,
    under &&
      h(
        'p',
        { id: 'insight-of' },
        h('strong', {}, keyInWords(under)),
        ' ',
        h('a', { href: '#/insight' }, t('insight.everything')),
      ),
    chart(
      t('insight.over_time'),
      times,
      [{ name: t('insight.scans'), values }],
      (value) => number(value),
      { bars: true, width, id: 'insight-chart' },
    ),
    ranking('products', keys, ({ key }) =>
      h(
        'div',
        {},
        h('a', { href: `#/insight${query({ under: `/${key}` })}` }, keyInWords(`/${key}`)),
        h('span', { class: 'key' }, elementString(`/${key}`)),
      ),
    ),
    ranking('types', types, ({ linkType }) => (linkType ? typeTitle(linkType) : t('insight.none'))),
    ranking('languages', languages, ({ language }) =>
      language ? languageName(language) : t('insight.none'),
    ),
    countries.rows.some((row) => row.country) &&
      ranking('countries', countries, ({ country }) => country ?? t('insight.none')),
    hidden > 0 &&
      h(
        'p',
        { class: 'soft', id: 'insight-hidden' },
        t('insight.hidden', { count: days.threshold }),
      ),
  ];
}

/** A table of counts with a bar for each; nothing if there are none. */
function ranking(name, { rows }, title) {
  if (!rows.length) return null;
  const most = Math.max(...rows.map((row) => row.count));
  const bar = ({ count }) =>
    svg(
      'svg',
      {
        class: 'bar flip',
        viewBox: `0 0 ${BAR} 10`,
        width: BAR,
        height: 10,
        'aria-hidden': 'true',
      },
      svg('rect', { class: 's0', width: Math.max((count / most) * BAR, 1), height: 10 }),
    );
  const heading = t(`insight.${name}`);
  return h(
    'section',
    { id: `insight-${name}` },
    h('h2', {}, heading),
    table(
      heading,
      [
        { title: t('common.what'), class: 'main', cell: title },
        {
          title: t('insight.scans'),
          class: 'number',
          cell: (row) => h('span', {}, number(row.count), ' ', bar(row)),
        },
      ],
      rows,
    ).root,
  );
}
