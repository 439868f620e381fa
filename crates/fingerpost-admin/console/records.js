// The list of records: search, filters, order, pages, and what is selected.
import { get, latest, query } from './api.js';
import { waiting } from './approvals.js';
import { changes } from './chart.js';
import { acting, h, heading, icon, notice, put, select, table, when } from './dom.js';
import { drafts } from './drafts.js';
import { allLinks, pageCount } from './model.js';
import { rejected } from './rejections.js';
import { filterForm } from './record-filters.js';
import { deletedNotice } from './history.js';
import { isRecalled, levelList, RECALL } from './recall.js';
import { actions, Chosen, MOST } from './selection.js';
import { may } from './session.js';
import { number, t } from './texts.js';
import { credit, elementString, isDefault, keyInWords } from './words.js';
import { keyOf, search } from './server.js';

const PAGE = 50;

/** Requests that count a total; each looks at 10,000 records at most. */
const COUNTED = 20;

export async function records(rest, asked) {
  const only = latest();
  const results = h('div', { id: 'records', 'aria-live': 'off' });
  const order = select(
    { id: 'order', value: asked.get('order') ?? '', 'aria-label': t('records.order') },
    [
      ['', t('records.by_number')],
      ['newest', t('records.newest')],
    ],
  );
  const filters = filterForm(asked, () => go(filters.values()));
  const list = new List(results, order);
  const go = async (values) => {
    list.forget();
    const key = await show({ ...values, order: order.value });
    if (key) location.hash = `#/record/${key}`;
  };
  order.addEventListener('change', () =>
    go(filters.values()).catch((error) => {
      if (error.name !== 'AbortError') throw error;
    }),
  );
  const show = async (values, count = PAGE) => {
    const found = await only((signal) => searched(values, count, signal));
    list.fill(found.data, found.values, values, found.near);
    return found.key;
  };
  list.reload = () => show({ ...filters.values(), order: order.value }, list.shown);
  const [changed] = await Promise.all([
    changes(),
    show(
      { ...filters.values(), order: order.value },
      Math.min(Math.max(Number(asked.get('shown')) || PAGE, PAGE), 1000),
    ),
  ]);
  return [
    heading(
      t('frame.records'),
      may('editor') &&
        h(
          'a',
          { class: 'button primary', href: '#/new', id: 'new-record' },
          icon('plus'),
          h('span', {}, t('record.new')),
        ),
    ),
    toApprove(),
    await rejected().catch(() => null),
    pending(),
    filters.root,
    changed,
    list.root,
  ];
}

/** The first page of what is searched. A text that names a key, as printed on a package or comes from a scanner, finds its record (`key`) and those below, or what is near it (`near`). */
async function searched(values, count, signal) {
  const near =
    values.text && !values.under && !isOfDeleted(values) ? await search(values.text, signal) : {};
  if (near.key) {
    const narrowed = { ...values, text: '', under: near.key };
    const data = await page(narrowed, { limit: count }, signal);
    const own = keyOf({ key: near.key });
    if (data.levels.length)
      return {
        data,
        near,
        values: narrowed,
        key: data.levels.some((level) => keyOf(level) === own) ? own : undefined,
      };
  }
  return { data: await page(values, { limit: count }, signal), near, values };
}

/** What a search says beside its list: that a record was deleted, which one applies instead, and what a number with a mistyped digit, or a scan without its separators, may mean. */
function nearby({ key, nearest, deleted, similar = [], meant }, isEmpty) {
  const notes = deleted ? [deletedNotice(key, deleted)] : [];
  if (nearest && keyOf(nearest) !== key && (isEmpty || deleted))
    notes.push(
      notice(
        'plain',
        h('p', {}, t('records.nearest', { key: h('span', { class: 'key' }, elementString(key)) })),
        levelList('nearest', [nearest]),
      ),
    );
  if (similar.length > 0)
    notes.push(notice('plain', h('p', {}, t('records.similar')), levelList('similar', similar)));
  if (meant?.elementString) {
    const text = meant.elementString;
    const href = `#/records${query({ text })}`;
    notes.push(
      notice(
        'plain',
        h('p', { id: 'meant' }, t('records.meant', { text: h('a', { href, class: 'key' }, text) })),
        h('p', { class: 'soft' }, meant.why.map((assumed) => assumed.detail).join('; ')),
      ),
    );
  }
  return notes;
}

/** Whether deleted records are listed, each as it was. */
const isOfDeleted = (values) => values.recalled === 'deleted';

/** The parameters of the API: the field of the state also has those that are parameters of their own. */
const filterOf = (values) =>
  values.recalled === 'broken' ? { ...values, recalled: '', broken: true } : values;

async function page(values, members, signal) {
  const { recalled, order, ...rest } = values;
  const path = isOfDeleted(values)
    ? `deleted${query({ ...rest, ...members })}`
    : `levels${query({ ...filterOf(values), ...members })}`;
  return (await get(`/v1/${path}`, { signal })).data;
}

/** The list with its total, its order and what is selected in it. The filter and the length are in the address, selection and place in the state of the page. */
class List extends Chosen {
  constructor(results, order) {
    const every = acting('', () => this.selectAll(), {
      id: 'select-matching',
      kind: 'quiet',
    });
    const result = h('div', { id: 'result' });
    super(
      results,
      [
        every,
        actions(
          () => new Map(this.chosen),
          result,
          async () => {
            this.clear();
            await this.reload();
          },
        ),
      ],
      new Map(history.state?.selected ?? []),
    );
    Object.assign(this, { every, result });
    this.orderField = h('div', { class: 'order' }, order);
    this.count = h('p', { class: 'soft', id: 'count', role: 'status' });
    this.head = h('div', { class: 'listed' }, this.count, this.orderField);
    this.near = h('div', { id: 'near', role: 'status' });
    this.root = h('div', {}, this.head, this.near, this.result, this.all.root, results, this.bar);
    const scrolled = () => {
      if (!this.root.isConnected && this.drawn) {
        window.removeEventListener('scroll', scrolled);
        return;
      }
      this.drawn ||= this.root.isConnected;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        if (this.root.isConnected && isHere()) this.keep({ scroll: window.scrollY });
      }, 150);
    };
    window.addEventListener('scroll', scrolled, { passive: true });
  }

  keep(members) {
    history.replaceState({ ...history.state, ...members }, '');
  }

  /** Forgets selection and place: another list follows. */
  forget() {
    put(this.result);
    this.clear();
    this.keep({ scroll: 0 });
  }

  fill(data, values, asked, near) {
    this.values = values;
    this.asked = asked;
    const notes = nearby(near, data.levels.length === 0);
    put(this.near, notes);
    const filtered = Object.entries(values).some(([name, value]) => value && name !== 'order');
    const none = !data.levels.length && !data.next;
    this.head.hidden = none && !filtered;
    this.orderField.hidden = none;
    this.shown = data.levels.length;
    this.total = undefined;
    this.address();
    if (none) {
      put(this.count, filtered && notes.length === 0 ? t('records.nothing') : '');
      put(this.results, filtered ? null : welcome());
      this.draw();
      return;
    }
    const list = table(t('frame.records'), this.columns(), data.levels, { id: 'record-list' });
    let { next } = data;
    const more = acting(
      t('common.more'),
      async () => {
        const further = await page(values, { after: next, limit: PAGE });
        list.add(further.levels);
        this.shown += further.levels.length;
        next = further.next;
        more.hidden = !next;
        this.address();
        this.showTotal();
      },
      { id: 'more' },
    );
    more.hidden = !next;
    put(this.results, list.root, h('div', { class: 'actions' }, more));
    this.total = next ? undefined : { count: this.shown, all: true };
    this.showTotal();
    this.draw();
    if (next && !isOfDeleted(values)) this.countAll(values).catch(() => {});
  }

  address() {
    if (isHere())
      history.replaceState(
        history.state,
        '',
        `#/records${query({ ...this.asked, shown: this.shown > PAGE ? this.shown : '' })}`,
      );
  }

  /** Counts all that match, up to a limit. */
  async countAll(values) {
    const { order, ...filter } = filterOf(values);
    let next;
    let count = 0;
    for (let asked = 0; asked < COUNTED; asked += 1) {
      const { data } = await get(`/v1/level-count${query({ ...filter, after: next })}`);
      if (this.values !== values || (asked > 0 && !this.root.isConnected)) return;
      count += data.count;
      next = data.next;
      if (!next || count > MOST) break;
    }
    this.total = { count: Math.min(count, MOST), all: !next && count <= MOST };
    this.showTotal();
    this.draw();
  }

  showTotal() {
    const { total } = this;
    const text = !total
      ? t('records.count_more', { count: this.shown })
      : total.all
        ? t('common.record_count', { count: total.count })
        : total.count >= MOST
          ? t('records.more_than', { count: MOST })
          : t('records.at_least', { count: total.count });
    put(
      this.count,
      total?.count > this.shown ? t('records.of_shown', { total: text, shown: this.shown }) : text,
    );
  }

  columns() {
    const main = (level) => {
      const key = keyOf(level);
      const name = level.record?.itemDescription || keyInWords(key);
      return h(
        'div',
        { class: 'choice' },
        !isOfDeleted(this.values) &&
          this.box(key, t('selection.select', { name, key: elementString(key) }), level.revision),
        h(
          'div',
          {},
          h('a', { href: `#/record/${key}` }, name),
          h('span', { class: 'key' }, elementString(key)),
          isRecalled(level.record) && h('span', { class: 'tag bad' }, t('records.recalled')),
        ),
      );
    };
    return [{ title: t('common.what'), class: 'main', cell: main }, ...COLUMNS];
  }

  chose() {
    this.keep({ selected: [...this.chosen] });
    this.draw();
  }

  draw() {
    super.draw();
    const { total } = this;
    this.every.hidden = !total || total.count <= this.chosen.size;
    put(
      this.every,
      h(
        'span',
        {},
        !total
          ? ''
          : total.all
            ? t('selection.select_all', { count: total.count })
            : t('selection.select_first', { count: MOST }),
      ),
    );
  }

  /** Selects all that match, shown or not, up to a limit. */
  async selectAll() {
    const { values } = this;
    let next;
    do {
      const data = await page(values, { after: next, limit: 1000 });
      if (this.values !== values) return;
      for (const level of data.levels)
        if (this.chosen.size < MOST) this.chosen.set(keyOf(level), level.revision);
      next = data.next;
      put(this.chosenText, `${t('selection.count', { count: this.chosen.size })} …`);
    } while (next && this.chosen.size < MOST);
    for (const box of this.boxes()) box.checked = this.chosen.has(box.dataset.key);
    this.chose();
  }
}

/** Whether the address is still that of this view: it changes before the next one is drawn. */
const isHere = () => /^(#\/?(records(\?.*)?)?)?$/.test(location.hash);

const COLUMNS = [
  { title: t('time.opens'), cell: (level) => target(level.record) },
  {
    title: t('columns.links'),
    class: 'number',
    cell: (level) => number(pageCount(level.record)),
  },
  {
    title: t('history.changed'),
    cell: (level) => [
      when(level.at),
      level.by && h('span', { class: 'soft block' }, credit(level)),
    ],
  },
];

function target(record) {
  const opens = isRecalled(record)
    ? (one) => one.linkType === RECALL
    : (one) => isDefault(one.linkType) && !one.validFrom && !one.validUntil;
  const link = allLinks(record).find(opens);
  return link
    ? h('span', { class: 'address' }, link.href.replace(/^https?:\/\//, ''))
    : h('span', { class: 'soft' }, t('records.above'));
}

/** Says that changes wait for this user's decision, as soon as that is known. */
function toApprove() {
  const place = h('div', { id: 'to-approve' });
  waiting()
    .then((count) => {
      if (count > 0)
        put(
          place,
          h(
            'div',
            { class: 'notice plain' },
            h(
              'p',
              {},
              t('records.to_approve', {
                count,
                link: h('a', { href: '#/approvals' }, t('records.look', { count })),
              }),
            ),
          ),
        );
    })
    .catch(() => {});
  return place;
}

function pending() {
  const waiting = drafts();
  return (
    waiting.length > 0 &&
    h(
      'div',
      { class: 'notice plain' },
      h(
        'p',
        {},
        t('records.drafts', {
          list: waiting.map(({ key, name }, at) => [
            at > 0 && t('common.list_comma'),
            h('a', { href: key === 'new' ? '#/new' : `#/record/${key}` }, name),
          ]),
        }),
      ),
    )
  );
}

function welcome() {
  return h(
    'section',
    { class: 'welcome' },
    h('h2', {}, t('records.welcome')),
    h('p', {}, t('records.welcome_lead')),
    h(
      'ol',
      {},
      h(
        'li',
        {},
        h('strong', {}, t('records.step_register')),
        ' ',
        t('records.step_register_lead'),
      ),
      h('li', {}, h('strong', {}, t('records.step_add')), ' ', t('records.step_add_lead')),
      h('li', {}, h('strong', {}, t('records.step_try')), ' ', t('records.step_try_lead')),
    ),
    h(
      'div',
      { class: 'actions' },
      may('editor')
        ? h(
            'a',
            { class: 'button primary', href: '#/new' },
            icon('plus'),
            h('span', {}, t('records.first')),
          )
        : null,
      h('a', { class: 'button', href: '#/import' }, t('records.import_file')),
    ),
  );
}
