// Charts of figures over a time: drawn as SVG, with the same in a table.
import { get, query } from './api.js';
import { h, put, select, svg, table } from './dom.js';
import { mayEverywhere } from './session.js';
import { dateTime, listed, locale, number, t } from './texts.js';

const WIDTH = 340;
const HEIGHT = 130;
const TOP = 18;
const BOTTOM = 20;
const PAD = 4;
const DAY = 86400000;

/** A chart. `lines`: [{name, values}], a value for each of `times` or null. `format` writes a value; `bars` stacks the values of each time. */
export function chart(title, times, lines, format, { bars = false, width = WIDTH, id } = {}) {
  const sums = bars
    ? times.map((_, at) => lines.reduce((sum, line) => sum + line.values[at], 0))
    : lines.flatMap((line) => line.values);
  const top = nice(Math.max(...sums, 0));
  const step = width / times.length;
  const x = (at) =>
    bars
      ? at * step
      : times.length > 1
        ? PAD + (at / (times.length - 1)) * (width - 2 * PAD)
        : width / 2;
  const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const last = (line) => line.values.findLast((value) => value !== null);
  const ends = lines.map((line) =>
    format(bars ? line.values.reduce((sum, value) => sum + value, 0) : last(line)),
  );
  const totals = lines.map((line, at) => `${line.name} ${ends[at]}`);
  const label = (at, anchor) =>
    svg(
      'text',
      { x: anchor === 'start' ? 0 : width, y: HEIGHT - 4, 'text-anchor': anchor },
      axis(times, at),
    );
  const drawing = svg(
    'svg',
    {
      class: 'chart',
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: 'img',
      'aria-label': `${title}: ${listed(totals)}`,
    },
    [0, top].map((value) =>
      svg('line', { class: 'tick', x1: 0, x2: width, y1: y(value), y2: y(value) }),
    ),
    svg('text', { x: 0, y: TOP - 5 }, format(top)),
    label(0, 'start'),
    times.length > 1 && label(times.length - 1, 'end'),
    bars
      ? columns(lines, times, x, y, step)
      : lines.map((line, at) => path(line.values, at, x, y)).reverse(),
  );
  const rows = () =>
    table(
      title,
      [
        { title: t('common.when'), cell: ({ at }) => dateTime(times[at]) },
        ...lines.map((line) => ({
          title: line.name,
          class: 'number',
          cell: ({ at }) => (line.values[at] === null ? '–' : format(line.values[at])),
        })),
      ],
      times.map((_, at) => ({ at })).reverse(),
    );
  const numbers = h(
    'details',
    {
      on: {
        toggle: () => {
          if (numbers.open && numbers.children.length === 1) numbers.append(rows().root);
        },
      },
    },
    h('summary', {}, t('time.as_table'), h('span', { class: 'unseen' }, `: ${title}`)),
  );
  return h(
    'figure',
    { class: 'figure', id },
    h(
      'figcaption',
      {},
      h('strong', {}, title),
      h(
        'ul',
        { class: 'legend' },
        lines.map((line, at) =>
          h(
            'li',
            {},
            svg(
              'svg',
              { class: 'chart key-line', viewBox: '0 0 20 8', 'aria-hidden': 'true' },
              bars
                ? svg('rect', { class: `s${at}`, width: 20, height: 8 })
                : svg('path', { class: `s${at}`, d: 'M0 4H20' }),
            ),
            h('span', {}, line.name, ' ', h('bdi', {}, ends[at])),
          ),
        ),
      ),
    ),
    drawing,
    numbers,
  );
}

/** A line with gaps where there are no values; a value between two gaps is a cross. */
function path(values, at, x, y) {
  const drawn = { '': '', ' lone': '' };
  values.forEach((value, i) => {
    if (value === null) return;
    const begins = (values[i - 1] ?? null) === null;
    const place = `${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    if (begins && (values[i + 1] ?? null) === null) drawn[' lone'] += `M${place}m-3 0h6m-3-3v6`;
    else drawn[''] += (begins ? 'M' : 'L') + place;
  });
  return Object.entries(drawn).map(([kind, d]) => d && svg('path', { class: `s${at}${kind}`, d }));
}

function columns(lines, times, x, y, step) {
  return times.map((_, at) => {
    let below = 0;
    return lines.map((line, of) => {
      const value = line.values[at];
      below += value;
      return (
        value > 0 &&
        svg('rect', {
          class: `s${of}`,
          x: x(at) + step * 0.1,
          width: step * 0.8,
          y: y(below),
          height: Math.max(y(below - value) - y(below), 1),
        })
      );
    });
  });
}

/** 1, 2 or 5 with zeros, not below a value. */
function nice(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= value * 0.9999);
}

function axis(times, at) {
  const span = times.at(-1) - times[0];
  const form =
    span > 2 * DAY ? { day: 'numeric', month: 'short' } : { hour: 'numeric', minute: '2-digit' };
  return times[at].toLocaleString(locale, form);
}

// ---- the changes of the last days --------------------------------------------------------------------------------------

const DAYS = 30;

/** Requests for one chart; each looks at 10,000 changes at most. */
const ASKED = 20;

/** The changes of the last days, below a key or of an organisation: {days: [{from, written, deleted}], whole}. Those that cannot be counted are the oldest. */
async function counted(filter) {
  const first = new Date();
  first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - DAYS + 1);
  const ask = async (since, days, after) =>
    (
      await get(
        `/v1/change-count${query({ ...filter, since: new Date(since).toISOString(), days, after })}`,
      )
    ).data;
  const all = await ask(first, DAYS);
  if (!all.next) return { days: all.days, whole: true };
  let left = ASKED;
  for (const day of all.days.toReversed()) {
    Object.assign(day, { written: 0, deleted: 0 });
    let next;
    do {
      if (left === 0) return { days: all.days, whole: false };
      left -= 1;
      const part = await ask(day.from, 1, next);
      day.written += part.days[0].written;
      day.deleted += part.days[0].deleted;
      next = part.next;
    } while (next);
  }
  return { days: all.days, whole: true };
}

/** A chart of the changes of the last days; nothing if there are none. */
export async function changes(filter = {}) {
  const found = await counted(filter).catch(() => undefined);
  const total = found?.days.reduce((sum, day) => sum + day.written + day.deleted, 0);
  if (!total) return null;
  const place = h('div', {});
  const draw = ({ days, whole }) => {
    const times = days.map((day) => new Date(day.from));
    const width = Math.min(Math.max(window.innerWidth - 64, 280), 720);
    put(
      place,
      chart(
        t('changes.heading'),
        times,
        [
          { name: t('changes.written'), values: days.map((day) => day.written) },
          { name: t('changes.deleted'), values: days.map((day) => day.deleted) },
        ],
        (value) => number(value),
        { bars: true, width, id: 'changes-chart' },
      ),
      !whole && h('p', { class: 'soft' }, t('changes.more')),
    );
  };
  draw(found);
  const own = h('div', {});
  if (!filter.under) offer(own, draw);
  return h(
    'details',
    { class: 'changes', id: 'changes', open: window.innerWidth > 640 },
    h('summary', {}, t('changes.count', { count: total })),
    own,
    place,
  );
}

/** Offers the changes of one organisation, where there are several. */
async function offer(root, draw) {
  const { data } = await get('/v1/organisations?limit=1000');
  if (data.organisations.length <= (mayEverywhere('reader') ? 0 : 1)) return;
  const choice = select({ id: 'changes-of', 'aria-label': t('frame.organisations') }, [
    ['', t('changes.all')],
    ...data.organisations.map((one) => [one.id, one.name]),
  ]);
  choice.addEventListener('change', async () =>
    draw(await counted({ organisation: choice.value })),
  );
  put(root, choice);
}
