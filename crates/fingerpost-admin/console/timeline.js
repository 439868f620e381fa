// The windows of links on a line of time, with the same in a table.
import { h, svg, table } from './dom.js';
import { defaultsOverTime, endOf, startOf } from './model.js';
import { isDefault, typeTitle } from './words.js';
import { dateTime, locale, t } from './texts.js';

const WIDTH = 640;
const ROW = 34;
const LEFT = 8;

/** Drawn when any link has a window; undefined otherwise. */
export function timeline(links, now = Date.now()) {
  const windows = links.filter((link) => link.validFrom || link.validUntil);
  if (!windows.length) return undefined;
  const spans = defaultsOverTime(links);
  const edges = [now, ...windows.flatMap((link) => [startOf(link), endOf(link)])].filter((time) =>
    Number.isFinite(time),
  );
  const [low, high] = [Math.min(...edges), Math.max(...edges)];
  const room = Math.max((high - low) * 0.12, 86400000 * 3);
  const [from, until] = [low - room, high + room];
  const x = (time) =>
    LEFT + ((Math.min(Math.max(time, from), until) - from) / (until - from)) * (WIDTH - 2 * LEFT);
  const others = windows.filter((link) => !isDefault(link.linkType));
  const rows = [
    {
      title: t('time.opens'),
      bars: spans
        .filter((span) => span.link)
        .map((span) => ({
          ...span,
          text: span.link.title || span.link.href,
          timed: Boolean(span.link.validFrom || span.link.validUntil),
        })),
    },
    ...others.map((link) => ({
      title: typeTitle(link.linkType),
      bars: [
        { from: startOf(link), until: endOf(link), text: link.title || link.href, timed: true },
      ],
    })),
  ];
  const height = rows.length * (ROW + 18) + 40;
  const drawing = svg(
    'svg',
    {
      class: 'timeline',
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: 'img',
      'aria-label': t('time.drawing'),
    },
    ticks(from, until).map((tick) => [
      svg('line', { class: 'tick', x1: x(tick.at), x2: x(tick.at), y1: 4, y2: height - 24 }),
      svg(
        'text',
        { class: 'tick-text', x: Math.min(x(tick.at) + 3, WIDTH - 60), y: height - 10 },
        tick.text,
      ),
    ]),
    rows.map((row, at) => drawRow(row, at * (ROW + 18), x, from, until)),
    svg('line', { class: 'now', x1: x(now), x2: x(now), y1: 0, y2: height - 24 }),
    svg(
      'text',
      { class: 'now-text', x: Math.min(x(now) + 4, WIDTH - 34), y: height - 26 },
      t('time.now'),
    ),
  );
  return h(
    'figure',
    { class: 'time', id: 'timeline' },
    drawing,
    h('details', {}, h('summary', {}, t('time.as_table')), asTable(spans, others)),
  );
}

function drawRow(row, top, x, from, until) {
  return [
    svg('text', { class: 'row-text', x: LEFT, y: top + 13 }, row.title),
    row.bars.map((bar) => {
      const [start, end] = [x(Math.max(bar.from, from)), x(Math.min(bar.until, until))];
      const width = Math.max(end - start, 3);
      const text = cut(bar.text, width - 12);
      return svg(
        'g',
        {},
        svg('title', {}, bar.text),
        svg('rect', {
          class: bar.timed ? 'bar timed' : 'bar',
          x: start,
          y: top + 18,
          width,
          height: ROW - 10,
          rx: 5,
        }),
        text.length > 2 &&
          svg(
            'text',
            { class: bar.timed ? 'bar-text timed' : 'bar-text', x: start + 6, y: top + 34 },
            text,
          ),
      );
    }),
  ];
}

/** As much of a text as has room in a width, with an ellipsis if that is not all. */
function cut(text, width) {
  const letters = [...text];
  const sizes = letters.map((letter) => (/[\u1100-\ud7ff\uff00-\uffef]/.test(letter) ? 13 : 7.5));
  let [used, count] = [0, 0];
  while (count < letters.length && used + sizes[count] <= width) used += sizes[count++];
  return count === letters.length ? text : `${letters.slice(0, Math.max(count - 2, 0)).join('')}…`;
}

function ticks(from, until) {
  const months = (until - from) / (86400000 * 30.4);
  const step = [0.25, 1, 2, 3, 6, 12, 24, 60, 120].find((one) => months / one <= 7) ?? 240;
  const found = [];
  const date = new Date(from);
  if (step < 1) {
    date.setHours(0, 0, 0, 0);
    for (
      date.setDate(date.getDate() + 1);
      date < until && found.length < 12;
      date.setDate(date.getDate() + Math.max(1, Math.ceil((months * 30.4) / 7)))
    )
      found.push({
        at: date.getTime(),
        text: date.toLocaleDateString(locale, { day: 'numeric', month: 'short' }),
      });
    return found;
  }
  date.setHours(0, 0, 0, 0);
  date.setDate(1);
  date.setMonth(step >= 12 ? 0 : date.getMonth() - (date.getMonth() % step));
  for (; date < until; date.setMonth(date.getMonth() + step)) {
    if (date >= from)
      found.push({
        at: date.getTime(),
        text: date.toLocaleDateString(
          locale,
          step >= 12 ? { year: 'numeric' } : { month: 'short', year: '2-digit' },
        ),
      });
  }
  return found;
}

function asTable(spans, others) {
  const timeText = (time) => (Number.isFinite(time) ? dateTime(new Date(time)) : '—');
  const rows = [
    ...spans.map((span) => ({
      what: t('time.opens'),
      link: span.link,
      from: timeText(span.from),
      until: timeText(span.until),
    })),
    ...others.map((link) => ({
      what: typeTitle(link.linkType),
      link,
      from: timeText(startOf(link)),
      until: timeText(endOf(link)),
    })),
  ];
  return table(
    t('time.caption'),
    [
      { title: t('common.what'), cell: (row) => row.what },
      {
        title: t('time.leads_to'),
        cell: (row) =>
          row.link
            ? [row.link.title, ' ', h('span', { class: 'address' }, row.link.href)]
            : t('time.nothing'),
      },
      { title: t('common.from'), cell: (row) => row.from },
      { title: t('common.until'), cell: (row) => row.until },
    ],
    rows,
  ).root;
}
