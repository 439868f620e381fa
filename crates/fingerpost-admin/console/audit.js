// The audit log: who did what, and whether the chain is whole.
import { get, query } from './api.js';
import { acting, button, english, h, heading, notice, put, table, when, saveTable } from './dom.js';
import { Chosen, MOST } from './selection.js';
import { mayEverywhere } from './session.js';
import { VIA } from './words.js';
import { raw, t } from './texts.js';

/** Requests that count a total, of 1,000 records each. */
const COUNTED = 20;

/** `key.created` in words: "Key created". */
function inWords(action = '') {
  const own = raw('audit', action.replace('.', '-'));
  if (own) return own;
  const text = action.replace(/[.-]/g, ' ');
  return english(text.charAt(0).toUpperCase() + text.slice(1));
}

const COLUMNS = [
  { title: t('common.when'), cell: ({ record }) => when(record.at) },
  {
    title: t('common.who'),
    cell: ({ record, personal }) => [
      personal?.name ?? record.actor,
      record.details?.via &&
        h('span', { class: 'soft block' }, VIA[record.details.via] ?? record.details.via),
    ],
  },
  {
    title: t('common.what'),
    cell: ({ record }) => [
      inWords(record.action),
      record.changes > 0 && ` (${t('audit.changes', { count: record.changes })})`,
    ],
  },
  {
    title: t('audit.about'),
    cell: ({ record }) => [
      record.subject && h('code', {}, record.subject),
      details(record.details),
    ],
  },
];

function details(all) {
  const members = Object.entries(all ?? {})
    .filter(([name]) => !['via', 'organisations'].includes(name))
    .map(([name, value]) =>
      t('difference.member', {
        link: name,
        member: typeof value === 'string' ? value : JSON.stringify(value),
      }),
    );
  return members.length > 0 && h('span', { class: 'soft block' }, english(members.join(', ')));
}

/** The log with its total and what is selected in it: the records themselves, to be saved. */
class Log extends Chosen {
  constructor() {
    const every = acting('', () => this.selectAll(), {
      id: 'select-matching',
      kind: 'quiet',
    });
    super(h('div', {}), [
      button(t('export.heading'), () => this.save(), { id: 'selected-export', icon: 'transfer' }),
      every,
    ]);
    Object.assign(this, {
      every,
      known: new Map(),
      count: h('p', { class: 'soft', id: 'count', role: 'status' }),
    });
  }

  async page(from, limit = 100) {
    const { data } = await get(`/v1/audit${query({ order: 'newest', from, limit })}`);
    for (const one of data.records) this.known.set(String(one.seq), one);
    return data;
  }

  async open() {
    const first = await this.page();
    let { next } = first;
    let shown = first.records.length;
    const showTotal = () => {
      const { count, whole } = this.total;
      const total = t(whole ? 'audit.entries' : 'audit.at_least', { count });
      put(this.count, count > shown ? t('records.of_shown', { total, shown }) : total);
      this.draw();
    };
    const columns = [
      {
        title: t('audit.number'),
        cell: ({ seq, record }) =>
          h(
            'div',
            { class: 'choice' },
            this.box(seq, t('selection.select', { name: record.action, key: String(seq) })),
            String(seq),
          ),
      },
      ...COLUMNS,
    ];
    const list = table(t('frame.audit'), columns, first.records, { id: 'audit' });
    const more = acting(
      t('common.more'),
      async () => {
        const further = await this.page(next);
        list.add(further.records);
        shown += further.records.length;
        next = further.next;
        more.hidden = !next;
        showTotal();
      },
      { id: 'more' },
    );
    more.hidden = !next;
    put(this.results, list.root);
    // The newest number counts the whole log; who sees a part of it has it counted.
    this.total = {
      count: next && mayEverywhere('admin') ? first.records[0].seq : shown,
      whole: !next || mayEverywhere('admin'),
    };
    showTotal();
    if (!this.total.whole) this.countAll(next, shown).then(showTotal, () => {});
    return h('div', { class: 'actions' }, more);
  }

  async countAll(from, count) {
    let next = from;
    for (let asked = 0; next && asked < COUNTED; asked += 1) {
      const data = await this.page(next, 1000);
      count += data.records.length;
      next = data.next;
      this.total = { count, whole: !next };
    }
  }

  draw() {
    super.draw();
    const { count } = this.total;
    this.every.hidden = count <= this.chosen.size || this.chosen.size >= MOST;
    put(
      this.every,
      h(
        'span',
        {},
        this.total.whole && count <= MOST
          ? t('selection.select_all', { count })
          : t('selection.select_first', { count: MOST }),
      ),
    );
  }

  /** Selects all, shown or not, up to a limit. */
  async selectAll() {
    let next;
    do {
      const data = await this.page(next, 1000);
      for (const { seq } of data.records)
        if (this.chosen.size < MOST) this.chosen.set(String(seq), NaN);
      next = data.next;
    } while (next && this.chosen.size < MOST);
    for (const box of this.boxes()) box.checked = this.chosen.has(box.dataset.key);
    this.chose();
  }

  save() {
    const rows = [...this.chosen.keys()].sort((a, b) => a - b).map((seq) => this.known.get(seq));
    saveTable('audit.csv', [
      [
        t('audit.number'),
        t('common.when'),
        t('common.who'),
        t('common.name'),
        t('common.what'),
        t('audit.about'),
        'JSON',
      ],
      ...rows.map(({ seq, record, personal }) => [
        seq,
        record.at,
        record.actor,
        personal?.name,
        record.action,
        record.subject,
        JSON.stringify(record),
      ]),
    ]);
  }
}

export async function audit() {
  const log = new Log();
  const more = await log.open();
  const result = h('div', { role: 'status', id: 'verified' });
  const verify = acting(
    t('audit.verify'),
    async () => {
      const { data } = await get('/v1/audit/verify');
      const faults = data.faults ?? [];
      put(
        result,
        notice(
          faults.length ? 'bad' : 'good',
          h(
            'p',
            {},
            faults.length ? t('audit.tampered') : t('audit.whole', { count: data.records ?? 0 }),
          ),
          faults.length > 0 &&
            h(
              'ul',
              {},
              faults.map((fault) => h('li', {}, english(fault))),
            ),
          data.head &&
            h(
              'p',
              { class: 'soft' },
              t('audit.head', {
                head: h(
                  'code',
                  {},
                  typeof data.head === 'string' ? data.head : `${data.head.seq}:${data.head.hash}`,
                ),
              }),
            ),
        ),
      );
    },
    { id: 'verify' },
  );
  return [
    heading(t('frame.audit'), verify),
    h('p', { class: 'soft' }, t('audit.lead')),
    result,
    log.count,
    log.all.root,
    log.results,
    more,
    log.bar,
  ];
}
