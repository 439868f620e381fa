// The status page: the figures of the metrics over a time.
import { get } from './api.js';
import { again, button, h, heading, when } from './dom.js';
import { chart } from './chart.js';
import { bytes, locale, number, scaled, t } from './texts.js';

const SPANS = [
  ['hour', 'status.hour'],
  ['day', 'status.day'],
  ['month', 'status.month'],
];

/** The charts: a title, the figures of the server with their names, and what is said where there are none. */
const CHARTS = [
  [
    'status.requests',
    [
      ['requests.answered', 'status.answered'],
      ['requests.unknown', 'status.unknown'],
      ['requests.refused', 'status.refused'],
      ['requests.busy', 'status.busy'],
      ['requests.failed', 'status.failed'],
    ],
  ],
  [
    'status.latency',
    [
      ['latency.median', 'status.median'],
      ['latency.high', 'status.high'],
    ],
  ],
  [
    'status.connections',
    [
      ['connections.public', 'status.public'],
      ['connections.admin', 'status.admin'],
      ['process.files', 'status.files'],
    ],
  ],
  [
    'status.console',
    [
      ['requests.admin', 'status.calls'],
      ['store.writes', 'status.writes'],
    ],
  ],
  ['status.waiting', [['latency.admin', 'status.high']]],
  ['frame.records', [['store.levels', 'frame.records']]],
  [
    'status.memory',
    [
      ['process.memory', 'status.process'],
      ['store.used', 'status.store'],
      ['cache.used', 'status.cache'],
    ],
  ],
  ['status.free', [['store.free', 'status.free']]],
  ['status.hits', [['cache.hits', 'status.hits']]],
  ['status.processor', [['process.processor', 'status.processor']]],
  ['status.lag', [['copy.lag', 'status.lag']]],
  ['status.backup', [['backup.age', 'status.backup']], 'status.no_backup'],
  ['status.certificate', [['certificate.left', 'status.certificate']]],
];

/** How values of a unit are written. */
const SAY = {
  count: (value) => number(value),
  perSecond: (value) =>
    t('status.per_second', { value: number(value, { maximumSignificantDigits: 3 }) }),
  seconds: (value) =>
    scaled(value, [
      ['day', 86400],
      ['hour', 3600],
      ['minute', 60],
      ['second', 1],
      ['millisecond', 0.001],
    ]),
  bytes,
  ratio: (value) => value.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 }),
};

export async function status(rest, search) {
  const [span] = SPANS.find(([name]) => name === search.get('span')) ?? SPANS[0];
  const { data } = await get(`/v1/status?span=${span}`);
  const series = new Map(data.series.map((one) => [one.name, one]));
  const times = data.at.map((at) => new Date(at));
  const drawn = CHARTS.map(([title, figures, none]) => {
    const known = figures
      .map(([name, text]) => ({ name: t(text), ...series.get(name), title: t(text) }))
      .filter((line) => line.values?.some((value) => value !== null));
    if (!known.length)
      return (
        none &&
        times.length > 0 &&
        h(
          'figure',
          { class: 'figure' },
          h('figcaption', {}, h('strong', {}, t(title))),
          h('p', {}, t(none)),
        )
      );
    return chart(
      t(title),
      times,
      known.map((line) => ({ name: line.title, values: line.values })),
      SAY[known[0].unit],
      { id: title.replace('.', '-') },
    );
  });
  const tabs = SPANS.map(([name, text]) =>
    h(
      'a',
      {
        href: `#/status?span=${name}`,
        id: `span-${name}`,
        'aria-current': name === span ? 'page' : undefined,
      },
      t(text),
    ),
  );
  return [
    heading(t('status.heading'), button(t('status.update'), again, { id: 'update' })),
    h('p', { class: 'soft' }, t('status.lead', { time: when(data.started) })),
    h('nav', { class: 'tabs', 'aria-label': t('status.span') }, tabs),
    times.length
      ? h('div', { class: 'figures' }, drawn)
      : h('p', { id: 'no-samples' }, t('status.none')),
  ];
}
