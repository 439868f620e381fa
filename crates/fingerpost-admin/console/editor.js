// The page of one record: its key, its name, where a scan goes, and more links.
import { waitingAt } from './approvals.js';
import { button, field, h, heading, icon, input, notice, put, select, when } from './dom.js';
import { deleteRecord } from './undo.js';
import { drop, keep, kept } from './drafts.js';
import { Faults } from './faults.js';
import { deletedNotice } from './history.js';
import { keyField } from './key-field.js';
import { onThePackage } from './label.js';
import { brokenNotice } from './link-health.js';
import { LinkLists } from './link-lists.js';
import { DEFAULT, differs, fromRecord, newLink, startNumbering, toRecord } from './model.js';
import { keyOf, level, search, vocabulary } from './server.js';
import { RECALL, recalledBelow, recalledNotice, recallLink } from './recall.js';
import { rejected } from './rejections.js';
import { save } from './saving.js';
import { signedLinkButton } from './signed-link.js';
import { mayBeReplaced, replacedNotice, SUCCESSOR, successorLink } from './successor.js';
import { may } from './session.js';
import { timeline } from './timeline.js';
import {
  credit,
  elementString,
  isDefault,
  isMany,
  keyInWords,
  languageName,
  parts,
  who,
} from './words.js';
import { t } from './texts.js';

/** `#/new` and `#/new/01/…`: a record for a key that is not registered yet. */
export async function newRecord(rest) {
  return new Editor({ draftKey: 'new', text: rest ? elementString(rest) : '' }).open(kept('new'));
}

/** What was proposed for a record, and waits or was rejected. */
const proposedAt = async (key) => [...(await waitingAt(key)), await rejected(key)];

/** `#/record/01/…` */
export async function editRecord(key, asked) {
  const stored = await level(key);
  if (!stored) {
    const draft = kept(key);
    const [{ deleted }, proposed] = await Promise.all([search(`/${key}`), proposedAt(key)]);
    return [
      heading(t('record.none_heading')),
      proposed,
      deleted && deletedNotice(key, deleted),
      h('p', {}, t(draft ? 'record.was_deleted' : 'record.has_none', { key: h('code', {}, key) })),
      h(
        'div',
        { class: 'actions' },
        h('a', { class: 'button primary', href: `#/new/${key}` }, t('common.register')),
        h('a', { class: 'button quiet', href: `#/history/${key}` }, t('record.its_history')),
        h('a', { class: 'button quiet', href: '#/records' }, t('common.all_records')),
      ),
    ];
  }
  return new Editor({ draftKey: key, key, stored, saved: asked.get('saved') }).open(kept(key));
}

/** What a request without a link type can get, as `defaultLinkType` writes it. */
const ANSWERS = [
  ['', t('record.answer_above')],
  ['gs1:defaultLink', t('record.answer_page')],
  ['linkset', t('record.answer_list')],
];

/** Which market a scan has that names none, as `contextFrom` writes it. */
const MARKETS = [
  ['', t('record.market_above')],
  ['country', t('record.market_country')],
  ['request', t('record.market_none')],
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
    });
    startNumbering();
  }

  async open(draft) {
    this.words = await vocabulary();
    const state = draft
      ? {
          description: draft.description,
          names: draft.names ?? '',
          answer: draft.answer ?? '',
          market: draft.market ?? '',
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
    this.proposed = this.stored ? await proposedAt(this.key) : [];
    return this.draw();
  }

  // ---- the page ----------------------------------------------------------------------------------------------------

  draw() {
    const draft = this.restored;
    this.top = h('div', { class: 'messages', id: 'messages' });
    this.faults = new Faults(this);
    this.lists = new LinkLists({
      links: this.state.links,
      words: this.words,
      changed: () => this.changed(),
    });
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
            save(this);
          },
          // Enter in a field would publish a record that is not finished.
          keydown: (event) => {
            if (event.key === 'Enter' && event.target.matches('input')) event.preventDefault();
          },
        },
      },
      this.what(draft),
      this.lists.plain(this.answer()),
      this.lists.more(),
      this.market(),
      this.time,
      readOnly ? null : this.foot(),
    );
    if (draft) this.top.append(this.draftNotice(draft));
    if (this.saved) this.top.append(this.savedNotice());
    this.lists.structure();
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
          this.stored.by && !this.stored.proposedBy
            ? t('record.changed_by', { time: when(this.stored.at), name: who(this.stored.by) })
            : t('record.changed_at', { time: when(this.stored.at) }),
          this.stored.proposedBy && ` · ${credit(this.stored)}`,
        ),
      recalledNotice(this.key, this.stored?.record, may('editor')),
      this.stored && recalledBelow(this.key),
      this.stored && brokenNotice(this.key),
      replacedNotice(this.key, this.stored, may('editor')),
      this.proposed,
      this.top,
      this.faults.summary,
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
      may('editor') && signedLinkButton(this.key, this.words),
      may('editor') &&
        button(t('common.delete'), () => deleteRecord(this), {
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
    this.names = field({
      label: t('record.names'),
      hint: t('record.names_hint', { example: `${languageName('fr')}: Thé vert` }),
      control: h('textarea', { id: 'names', rows: 2, dir: 'auto', spellcheck: 'true' }),
      optional: true,
      wide: true,
    });
    this.names.control.value = this.state.names;
    this.names.control.addEventListener('input', () => {
      this.state.names = this.names.control.value;
      this.changed();
    });
    this.formerly = h('div', { role: 'status' });
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
      this.formerly,
      h('div', { class: 'grid' }, this.description.root, this.names.root),
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

  /** The choice of the market of scans that name none, where a link is for one. */
  market() {
    if (!this.state.market && !this.state.links.some((link) => link.context?.length)) return null;
    const control = select(
      { id: 'market-source', name: 'contextFrom', value: this.state.market },
      MARKETS,
    );
    control.addEventListener('change', () => {
      this.state.market = control.value;
      this.changed();
    });
    const choice = field({
      label: t('record.market_source'),
      hint: t('record.answer_hint'),
      control,
    });
    return h('div', { class: 'grid' }, choice.root);
  }

  foot() {
    this.saveButton = button(t('common.save'), undefined, {
      kind: 'primary',
      type: 'submit',
      id: 'save',
    });
    this.checkButton = button(t('record.check'), () => save(this, true), { id: 'check' });
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
    for (const card of this.lists.cards.values())
      if (card.root.dataset.kind !== 'link') card.draw && this.drawSoon(card);
  }

  /** Lines of default cards mention other links, so they are rendered again once typing pauses. */
  drawSoon(card) {
    clearTimeout(card.timer);
    card.timer = setTimeout(() => card.draw(), 120);
  }

  keepDraft() {
    const { description, names, answer, market, links } = this.state;
    keep(this.draftKey, {
      description,
      names,
      answer,
      market,
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

  /** Says when the key of a new record has a record already, or had one. */
  async taken() {
    const key = this.anchor();
    if (key === this.lookedUp) return;
    this.lookedUp = key;
    put(this.formerly);
    if (!key) return;
    const { nearest, deleted } = await search(`/${key}`);
    if (this.anchor() !== key) return;
    put(this.formerly, deleted && deletedNotice(key, deleted));
    if (!nearest || keyOf(nearest) !== key) return;
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
}
