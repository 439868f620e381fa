// Writes one record: its key, its name, where a scan goes, and more links.
import { replaced, waitingAt } from './approvals.js';
import { all, api, faultText, get, query, remove } from './api.js';
import {
  again,
  append,
  busy,
  button,
  confirm,
  field,
  h,
  heading,
  icon,
  input,
  notice,
  put,
  select,
  notify,
  when,
} from './dom.js';
import { resolveConflict } from './conflict.js';
import { drop, keep, kept } from './drafts.js';
import { keyField } from './key-field.js';
import { onThePackage } from './label.js';
import { linkCard } from './link-row.js';
import {
  DEFAULT,
  differs,
  fromRecord,
  newLink,
  startNumbering,
  toRecord,
  VARIANT,
} from './model.js';
import { keyOf, level, vocabulary } from './server.js';
import { RECALL, recalledNotice, recallLink } from './recall.js';
import { mayBeReplaced, replacedNotice, SUCCESSOR, successorLink } from './successor.js';
import { may } from './session.js';
import { timeline } from './timeline.js';
import { pickType } from './type-picker.js';
import { elementString, isDefault, isVariant, keyInWords, parts, who, isMany } from './words.js';
import { locale, t } from './texts.js';

/** `#/new` and `#/new/01/…`: a record for a key that is not registered yet. */
export async function newRecord(rest) {
  return new Editor({ draftKey: 'new', text: rest ? elementString(rest) : '' }).open(kept('new'));
}

/** `#/record/01/…` */
export async function editRecord(key, search) {
  const stored = await level(key);
  if (!stored) {
    const again = kept(key);
    return [
      heading(t('record.none_heading')),
      h('p', {}, t(again ? 'record.was_deleted' : 'record.has_none', { key: h('code', {}, key) })),
      h(
        'div',
        { class: 'actions' },
        h('a', { class: 'button primary', href: `#/new/${key}` }, t('common.register')),
        h('a', { class: 'button quiet', href: `#/history/${key}` }, t('record.its_history')),
        h('a', { class: 'button quiet', href: '#/records' }, t('common.all_records')),
      ),
    ];
  }
  return new Editor({ draftKey: key, key, stored, saved: search.get('saved') }).open(kept(key));
}

/** What a request without a link type can get, as `defaultLinkType` writes it. */
const ANSWERS = [
  ['', t('record.answer_above')],
  ['gs1:defaultLink', t('record.answer_page')],
  ['linkset', t('record.answer_list')],
];

class Editor {
  constructor({ draftKey, key, stored, text, saved }) {
    Object.assign(this, {
      draftKey,
      key,
      stored,
      text,
      saved,
      base: stored?.record,
      etag: stored?.etag,
      cards: new Map(),
    });
    startNumbering();
  }

  async open(draft) {
    this.words = await vocabulary();
    this.contexts = contexts(this.words);
    const state = draft
      ? {
          description: draft.description,
          answer: draft.answer ?? '',
          links: draft.links.map((link) => newLink({ ...link, id: undefined }, link.origin)),
        }
      : fromRecord(this.base);
    state.links.forEach((link, at) => {
      link.id = at + 1;
    });
    startNumbering(state.links.length + 1);
    if (!this.stored && !draft) state.links.push(newLink({ linkType: DEFAULT }));
    this.state = state;
    if (draft && this.stored) {
      this.base = draft.base;
      this.etag = draft.etag;
    }
    this.restored = draft;
    this.replaces = draft?.replaces;
    this.proposed = this.stored ? await waitingAt(this.key) : [];
    return this.draw();
  }

  // ---- the page ----------------------------------------------------------------------------------------------------

  draw() {
    const draft = this.restored;
    this.top = h('div', { class: 'messages', id: 'messages' });
    this.summary = h('div', {
      class: 'notice bad summary',
      id: 'faults',
      tabindex: '-1',
      role: 'alert',
      hidden: true,
    });
    this.lists = {
      default: list('default-links'),
      variant: list('variant-links'),
      link: list('more-links'),
    };
    this.time = h('div', {});
    this.unsaved = h('p', { class: 'soft', id: 'unsaved', role: 'status' });
    this.title = h('h1', { tabindex: '-1' });
    const readOnly = !may('editor');
    const form = h(
      'form',
      {
        id: 'record-form',
        class: 'editor',
        on: {
          submit: (event) => {
            event.preventDefault();
            this.save();
          },
        },
      },
      this.what(draft),
      this.plain(),
      this.more(),
      this.time,
      readOnly ? null : this.foot(),
    );
    if (draft) this.top.append(this.draftNotice(draft));
    if (this.saved) this.top.append(this.savedNotice());
    this.structure();
    this.changed();
    return [
      h(
        'nav',
        { class: 'crumbs', 'aria-label': t('common.here') },
        h('a', { href: '#/records' }, t('frame.records')),
      ),
      h(
        'div',
        { class: 'heading' },
        this.title,
        this.stored && h('div', { class: 'beside' }, this.links()),
      ),
      this.stored &&
        h(
          'p',
          { class: 'soft' },
          h('span', { class: 'key' }, elementString(this.key)),
          ' · ',
          this.stored.by
            ? t('record.changed_by', { time: when(this.stored.at), name: who(this.stored.by) })
            : t('record.changed_at', { time: when(this.stored.at) }),
        ),
      recalledNotice(this.key, this.stored?.record, may('editor')),
      replacedNotice(this.key, this.stored, may('editor')),
      this.proposed,
      this.top,
      this.summary,
      form,
      this.stored && !isMany(this.key) && onThePackage(this.key),
    ];
  }

  links() {
    return [
      h(
        'a',
        { class: 'button quiet', href: `#/history/${this.key}`, id: 'history-link' },
        icon('log'),
        h('span', {}, t('history.heading')),
      ),
      may('editor') &&
        parts(this.key).length === 1 &&
        !isMany(this.key) &&
        h(
          'a',
          { class: 'button quiet', href: `#/new/${this.key}`, id: 'narrower' },
          icon('plus'),
          h('span', {}, t('record.narrower')),
        ),
      may('editor') && this.base?.defaultLinkType !== RECALL && recallLink(this.key),
      may('editor') &&
        !this.base?.defaultLinkType &&
        mayBeReplaced(this.key) &&
        successorLink(this.key),
      may('editor') &&
        button(t('common.delete'), () => this.destroy(), {
          kind: 'quiet',
          icon: 'bin',
          id: 'delete',
        }),
    ];
  }

  what(draft) {
    this.description = field({
      label: t('common.name'),
      hint: t('record.name_hint'),
      control: input({
        id: 'description',
        name: 'description',
        value: this.state.description,
        spellcheck: 'true',
        autocapitalize: 'sentences',
        dir: 'auto',
      }),
      optional: true,
      wide: true,
    });
    this.description.control.addEventListener('input', () => {
      this.state.description = this.description.control.value;
      this.changed();
    });
    if (!this.key)
      this.keyField = keyField({
        text: draft?.text ?? this.text,
        qualifiers: draft?.qualifiers,
        changed: () => {
          this.changed();
          this.taken();
        },
      });
    return h(
      'section',
      { 'aria-labelledby': 'what' },
      h('h2', { id: 'what' }, t('record.what')),
      this.keyField?.root,
      h('div', { class: 'grid' }, this.description.root),
    );
  }

  plain() {
    const add = (linkType, label, id, members) =>
      button(label, () => this.add(newLink({ linkType, ...members })), {
        icon: 'plus',
        kind: 'quiet',
        id,
      });
    this.fallback = h('p', { class: 'soft', hidden: true }, t('record.fallback'));
    return h(
      'section',
      { 'aria-labelledby': 'plain' },
      h('h2', { id: 'plain' }, t('record.scan')),
      h('p', { class: 'soft' }, t('record.scan_lead')),
      this.fallback,
      this.answer(),
      this.lists.default,
      (this.variants = h(
        'div',
        {},
        h('h3', {}, t('record.variants')),
        h('p', { class: 'soft' }, t('record.variants_lead')),
        this.lists.variant,
      )),
      h(
        'div',
        { class: 'actions' },
        (this.addDefault = add(DEFAULT, t('record.add_default'), 'add-default')),
        add(VARIANT, t('record.add_variant'), 'add-variant'),
        (this.addTimed = add(DEFAULT, t('record.add_timed'), 'add-timed', {
          validFrom: soon(1),
          validUntil: soon(31),
        })),
      ),
    );
  }

  /** The choice between the list and the default page (section 2.11 of the standard), where the operator leaves it to records. */
  answer() {
    // Recall and successor are ended by their own buttons.
    if (
      [RECALL, SUCCESSOR].includes(this.state.answer) ||
      (!this.words.defaultLinkTypeByRecord && !this.state.answer)
    )
      return null;
    const control = select(
      { id: 'default-answer', name: 'defaultLinkType', value: this.state.answer },
      ANSWERS,
    );
    control.addEventListener('change', () => {
      this.state.answer = control.value;
      this.changed();
    });
    this.answerField = field({ label: t('record.answer'), hint: t('record.answer_hint'), control });
    return h('div', { class: 'grid' }, this.answerField.root);
  }

  more() {
    const choose = async () => {
      const type = await pickType();
      if (type) this.add(newLink({ linkType: type }));
    };
    return h(
      'section',
      { 'aria-labelledby': 'more' },
      h('h2', { id: 'more' }, t('record.more')),
      h('p', { class: 'soft' }, t('record.more_lead')),
      this.lists.link,
      h(
        'div',
        { class: 'actions' },
        button(t('record.add_link'), choose, { icon: 'plus', id: 'add-link' }),
      ),
    );
  }

  foot() {
    this.saveButton = button(t('common.save'), undefined, {
      kind: 'primary',
      type: 'submit',
      id: 'save',
    });
    this.checkButton = button(t('record.check'), () => this.save(true), { id: 'check' });
    return h(
      'div',
      { class: 'foot' },
      this.saveButton,
      button(t('frame.scan'), () => this.preview(), { icon: 'phone', id: 'preview' }),
      this.checkButton,
      this.unsaved,
    );
  }

  draftNotice(draft) {
    const other = this.stored && draft.etag !== this.stored.etag;
    return notice(
      'plain',
      h(
        'p',
        {},
        t('record.draft', { time: when(draft.kept) }),
        other && ` ${t('record.draft_other')}`,
      ),
      h(
        'div',
        { class: 'actions' },
        button(
          t('record.discard'),
          () => {
            drop(this.draftKey);
            location.reload();
          },
          { id: 'discard' },
        ),
      ),
    );
  }

  savedNotice() {
    if (this.saved === 'proposed')
      return notice(
        'good',
        h(
          'p',
          {},
          t('record.proposed', { link: h('a', { href: '#/approvals' }, t('frame.approvals')) }),
        ),
      );
    return notice(
      'good',
      h(
        'p',
        { id: 'saved' },
        t('record.published', {
          link: h('a', { href: `#/preview/${this.key}`, id: 'see-scan' }, t('record.see_scan')),
        }),
      ),
    );
  }

  // ---- links -------------------------------------------------------------------------------------------------------

  card(link, open) {
    const known = this.cards.get(link.id);
    if (known) return known;
    const card = linkCard(
      link,
      {
        links: () => this.state.links,
        contexts: this.contexts,
        changed: () => this.changed(),
        setAddress: (other, href) => this.cards.get(other.id).setAddress(href),
        setTime: (other, member, value) => this.cards.get(other.id).setTime(member, value),
        add: (one) => this.add(one),
        moved: (one, step) => this.move(one, step),
        removed: (one) => this.removeLink(one),
      },
      { open },
    );
    this.cards.set(link.id, card);
    return card;
  }

  /** Puts every card into the list of its kind, in order. */
  structure() {
    const main = this.state.links.find(
      (link) => isDefault(link.linkType) && !link.validFrom && !link.validUntil,
    );
    for (const [kind, node] of Object.entries(this.lists)) {
      const links = this.state.links.filter((link) => kindOf(link) === kind);
      put(
        node,
        links.map((link) => this.card(link, link === main || !link.href).root),
      );
      node.hidden = links.length === 0;
    }
    this.variants.hidden = this.lists.variant.hidden;
    this.placeButtons();
  }

  placeButtons() {
    const some = this.state.links.some((link) => isDefault(link.linkType));
    this.addDefault.hidden = some;
    this.addTimed.hidden = !some;
    this.fallback.hidden = some;
  }

  add(link) {
    this.state.links.push(link);
    const card = this.card(link, true);
    this.structure();
    this.changed();
    card.focus(isVariant(link.linkType) ? 'hreflang' : 'href');
    card.root.scrollIntoView({ block: 'nearest' });
  }

  removeLink(link) {
    const at = this.state.links.indexOf(link);
    const card = this.cards.get(link.id).root;
    const near = card.nextElementSibling ?? card.previousElementSibling;
    this.state.links.splice(at, 1);
    this.structure();
    this.changed();
    (near?.querySelector('.card-toggle') ?? document.getElementById('add-link'))?.focus();
    notify(t('record.link_removed'), {
      action: button(
        t('record.undo'),
        () => {
          this.state.links.splice(at, 0, link);
          this.structure();
          this.changed();
          this.cards.get(link.id).focus();
          put(document.getElementById('status'));
        },
        { id: 'undo' },
      ),
    });
  }

  move(link, step) {
    const { links } = this.state;
    const group = links.filter((other) => kindOf(other) === kindOf(link));
    const other = group[group.indexOf(link) + step];
    if (!other) return;
    const [a, b] = [links.indexOf(link), links.indexOf(other)];
    [links[a], links[b]] = [links[b], links[a]];
    const focused = document.activeElement;
    this.structure();
    focused.focus();
    this.changed();
  }

  // ---- changes and drafts ------------------------------------------------------------------------------------------

  anchor() {
    return this.key ?? this.keyField.key();
  }

  build() {
    const links =
      this.anchor() && parts(this.anchor()).length > 1
        ? this.state.links.filter(
            (link) => !(isDefault(link.linkType) && !link.href.trim() && !link.title.trim()),
          )
        : this.state.links;
    return toRecord(this.anchor() ?? '', { ...this.state, links });
  }

  dirty() {
    if (this.stored) return differs(this.state, this.base, this.key);
    return Boolean(
      this.keyField.text().trim() ||
      this.state.description.trim() ||
      this.state.links.some((link) => link.href.trim() || link.title.trim()),
    );
  }

  changed() {
    put(
      this.title,
      this.state.description.trim() ||
        (this.anchor() ? keyInWords(this.anchor()) : t('record.new')),
    );
    const dirty = this.dirty();
    put(this.unsaved, dirty ? t('record.unsaved') : '');
    if (dirty) this.keepDraft();
    else drop(this.draftKey);
    const drawn = timeline(this.state.links);
    const open = this.time.querySelector('details')?.open;
    put(
      this.time,
      drawn &&
        h(
          'section',
          { 'aria-labelledby': 'time' },
          h('h2', { id: 'time' }, t('record.over_time')),
          drawn,
        ),
    );
    if (open && drawn) drawn.querySelector('details').open = true;
    for (const card of this.cards.values())
      if (card.root.dataset.kind !== 'link') card.draw && this.drawSoon(card);
  }

  /** Lines of default cards mention other links, so they are rendered again once typing pauses. */
  drawSoon(card) {
    clearTimeout(card.timer);
    card.timer = setTimeout(() => card.draw(), 120);
  }

  keepDraft() {
    const { description, answer, links } = this.state;
    keep(this.draftKey, {
      description,
      answer,
      links,
      base: this.base,
      etag: this.etag,
      replaces: this.replaces,
      key: this.anchor(),
      record: this.build().record,
      text: this.keyField?.text(),
      qualifiers: this.keyField?.qualifiers(),
    });
  }

  /** Says when the key of a new record has a record already. */
  async taken() {
    const key = this.anchor();
    if (!key || key === this.lookedUp) return;
    this.lookedUp = key;
    const { data } = await get(`/v1/levels${query({ under: key, limit: 1 })}`);
    if (this.anchor() !== key || !data.levels.some((one) => keyOf(one) === key)) return;
    this.keyField.fault(
      t('record.taken', {
        link: h(
          'a',
          { href: `#/record/${key}`, on: { click: () => drop('new') } },
          t('record.open_its'),
        ),
      }),
    );
  }

  async preview() {
    await this.keyField?.settled();
    const key = this.anchor();
    if (!key) {
      this.keyField.fault(t('record.key_first'));
      this.keyField.control.focus();
      return;
    }
    if (this.dirty()) this.keepDraft();
    location.hash = `#/preview/${key}${this.dirty() ? `?draft=${encodeURIComponent(this.draftKey)}` : ''}`;
  }

  // ---- saving ------------------------------------------------------------------------------------------------------

  save(dryRun = false) {
    return busy(dryRun ? this.checkButton : this.saveButton, async () => {
      this.clearFaults();
      await this.keyField?.settled();
      const key = this.anchor();
      if (!key) {
        this.showFaults(
          [
            {
              pointer: '/anchor',
              own: true,
              detail:
                this.keyField.failure() ??
                (this.keyField.text().trim() ? t('record.key_invalid') : t('record.key_needed')),
            },
          ],
          [],
        );
        return;
      }
      const { record, ids } = this.build();
      const answer = await this.send(key, record, ids, dryRun);
      if (!answer) return;
      if (dryRun) {
        this.passed(answer.data, ids);
        return;
      }
      drop(this.draftKey);
      if (this.replaces) await replaced(this.replaces);
      this.done(key, answer);
    });
  }

  async send(key, record, ids, dryRun) {
    try {
      return await api('PUT', `/v1/levels/${key}${dryRun ? '?dryRun=true' : ''}`, {
        json: record,
        etag: this.stored && this.etag,
        headers: this.stored ? {} : { 'if-none-match': '*' },
      });
    } catch (error) {
      if (error.status === 412) await this.conflict(key, record);
      else if (error.errors?.length || [400, 409, 413, 422].includes(error.status))
        this.showFaults(
          error.errors?.length ? error.errors : [{ pointer: '', own: true, detail: error.message }],
          ids,
        );
      else if (error.status === 403)
        this.showFaults(
          [
            {
              pointer: this.stored ? '' : '/anchor',
              own: true,
              detail: this.stored ? t('record.may_not_change') : t('record.may_not_register'),
            },
          ],
          ids,
        );
      else throw error;
      return undefined;
    }
  }

  passed(data, ids) {
    const warnings = data?.warnings ?? [];
    put(
      this.top,
      notice(
        'good',
        h('p', {}, warnings.length ? t('record.can_be_saved') : t('record.nothing_wrong')),
        remarks(warnings),
      ),
    );
    this.beside(warnings, ids);
    this.top.scrollIntoView({ block: 'nearest' });
  }

  done(key, { status, data }) {
    const how = status === 202 || data?.status === 'proposed' ? 'proposed' : 'yes';
    const warnings = data?.warnings ?? [];
    const target = `#/record/${key}?saved=${how}`;
    notify(how === 'proposed' ? t('common.for_approval') : t('common.saved'));
    if (how === 'proposed' && !this.stored) {
      location.hash = '#/approvals';
      return;
    }
    if (location.hash === target) again();
    else location.replace(target);
    if (warnings.length)
      setTimeout(
        () =>
          document
            .getElementById('messages')
            ?.append(notice('plain', h('p', {}, t('record.remarks')), remarks(warnings))),
        400,
      );
  }

  async conflict(key, mine) {
    const now = await level(key);
    if (!this.stored && now) {
      this.showFaults(
        [{ pointer: '/anchor', own: true, detail: t('record.meanwhile'), link: `#/record/${key}` }],
        [],
      );
      return;
    }
    const chosen = await resolveConflict({
      base: this.base,
      mine,
      theirs: now?.record,
      by: now?.by,
      at: now?.at,
    });
    if (!chosen) {
      notify(t('record.not_saved'), { kind: 'bad' });
      return;
    }
    if (chosen.record === now?.record) {
      drop(this.draftKey);
      again();
      return;
    }
    const state = fromRecord(chosen.record);
    keep(key, {
      ...state,
      base: now?.record ?? { links: [] },
      etag: now?.etag,
      key,
      record: chosen.record,
    });
    again();
    notify(t('record.put_together'));
  }

  async destroy() {
    // A product can be deleted only with its batches and items, which need its default link (RES-2.5.9-1).
    const under = parts(this.key).length === 1 ? await all('levels', { under: this.key }) : [];
    const below = under.filter((one) => keyOf(one) !== this.key);
    const listed = below
      .slice(0, LISTED)
      .map((one) =>
        h(
          'li',
          {},
          one.record?.itemDescription || keyInWords(keyOf(one)),
          ' ',
          h('span', { class: 'key' }, elementString(keyOf(one))),
        ),
      );
    const question = [
      t('record.delete_lead', { name: keyInWords(this.key) }),
      below.length > 0 &&
        h(
          'div',
          {},
          t('record.below'),
          h('ul', { id: 'below' }, listed),
          below.length > LISTED && `${t('common.and_more', { count: below.length - LISTED })}.`,
        ),
    ].filter(Boolean);
    if (
      !(await confirm(
        t('record.delete_question'),
        question,
        below.length > 0 ? t('record.delete_all', { count: below.length + 1 }) : t('common.delete'),
      ))
    )
      return;
    try {
      const { status } =
        below.length > 0
          ? await this.removeAll(below)
          : await remove(`/v1/levels/${this.key}`, { etag: this.etag });
      drop(this.draftKey);
      notify(status === 202 ? t('record.deletion_waits') : t('common.deleted'));
      location.hash = '#/records';
    } catch (error) {
      if (error.status === 412)
        notify(t('record.changed_meanwhile'), {
          kind: 'bad',
          action: button(t('common.show'), () => again()),
        });
      else
        this.showFaults(
          error.errors?.length ? error.errors : [{ pointer: '', own: true, detail: error.message }],
          [],
        );
    }
  }

  /** Deletes this record and those below it, all or none. */
  removeAll(below) {
    const rows = [
      ...below.map((one) => ({ delete: `/${keyOf(one)}`, ifMatch: one.revision })),
      { delete: `/${this.key}`, ifMatch: this.stored.revision },
    ];
    return api('POST', '/v1/batch', {
      body: rows.map((row) => JSON.stringify(row)).join('\n'),
      type: 'application/jsonl',
    });
  }

  // ---- faults ------------------------------------------------------------------------------------------------------

  clearFaults() {
    this.summary.hidden = true;
    put(this.top);
    this.keyField?.fault();
    this.description.fault();
    this.answerField?.fault();
    for (const card of this.cards.values()) card.clearFaults();
  }

  /** Puts each fault beside its field, and all of them into a summary that leads there. */
  showFaults(failures, ids) {
    // A link that is registered twice, under a second type, has its faults once.
    const about = (error) =>
      `${String(error.pointer ?? '').replace(/^\/links\/(\d+)/, (_, at) => `#${ids[Number(at)]}`)} ${error.detail ?? error.message ?? ''}`;
    const errors = failures.filter(
      (error, at) => failures.findIndex((other) => about(other) === about(error)) === at,
    );
    const places = this.beside(errors, ids);
    put(
      this.summary,
      icon('warning'),
      h(
        'div',
        {},
        h('h2', {}, t('record.faults', { count: errors.length })),
        h(
          'ul',
          {},
          errors.map((error, at) =>
            h(
              'li',
              {},
              places[at]
                ? button(
                    plain(error),
                    () => {
                      places[at].scrollIntoView({ block: 'center' });
                      places[at].focus();
                    },
                    { kind: 'link' },
                  )
                : plain(error),
              this.advice(error),
            ),
          ),
        ),
      ),
    );
    this.summary.hidden = false;
    this.summary.focus();
    this.summary.scrollIntoView({ block: 'center' });
  }

  beside(errors, ids) {
    return errors.map((error) => {
      const [, first, at, member] = String(error.pointer ?? '').split('/');
      if (first === 'anchor' && this.keyField) {
        this.keyField.fault(
          plain(error),
          error.link && h('a', { href: error.link }, ` ${t('common.open')}`),
        );
        return this.keyField.control;
      }
      if (first === 'itemDescription') {
        this.description.fault(plain(error));
        return this.description.control;
      }
      if (first === 'defaultLinkType' && this.answerField) {
        this.answerField.fault(plain(error));
        return this.answerField.control;
      }
      const card =
        first === 'links' && at !== undefined ? this.cards.get(ids[Number(at)]) : undefined;
      return card?.fault(member ?? missing(error), plain(error));
    });
  }

  advice(error) {
    if (/RES-2\.5\.9-1/.test(error.id ?? '') && parts(this.anchor() ?? '').length > 1) {
      const key = this.anchor()?.split('/').slice(0, 2).join('/');
      return [' ', h('a', { href: `#/new/${key}` }, t('record.register_product'))];
    }
    return null;
  }
}

/** The member that a fault of a whole link complains about, when it says so: `expected the member "href"`. */
function missing(error) {
  return /member "(\w+)", found none/.exec(error.detail ?? '')?.[1];
}

function plain(error) {
  return faultText({ ...error, detail: error.detail ?? error.message ?? '' });
}

function remarks(warnings) {
  return (
    warnings.length > 0 &&
    h(
      'ul',
      {},
      warnings.map((warning) => h('li', {}, plain(warning))),
    )
  );
}

function list(id) {
  return append(h('ul', { class: 'cards', id }), []);
}

/** Records that the question before a deletion lists. */
const LISTED = 20;

const kindOf = (link) =>
  isDefault(link.linkType) ? 'default' : isVariant(link.linkType) ? 'variant' : 'link';

/** The start of the day so many days from now. */
function soon(days) {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  date.setDate(date.getDate() + days);
  return date.toISOString().replace('.000', '');
}

/** What is offered as context: the values of the installation, or the countries that the browser can name. */
function contexts(words) {
  if (words.contexts?.length) return words.contexts;
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  try {
    const named = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
    const aliases = new Set([
      'EU',
      'UN',
      'EZ',
      'XA',
      'XB',
      'QO',
      'ZZ',
      'UK',
      'AN',
      'BU',
      'CS',
      'DD',
      'DY',
      'FX',
      'HV',
      'NH',
      'RH',
      'SU',
      'TP',
      'VD',
      'YD',
      'YU',
      'ZR',
    ]);
    return letters
      .flatMap((a) => letters.map((b) => a + b))
      .filter((code) => !aliases.has(code) && named.of(code));
  } catch {
    return [];
  }
}
