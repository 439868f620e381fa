// The links of a record in the editor: where a scan goes, and more links.
import { append, button, h, notify, put } from './dom.js';
import { linkCard } from './link-row.js';
import { DEFAULT, newLink, VARIANT } from './model.js';
import { locale, t } from './texts.js';
import { pickType } from './type-picker.js';
import { isDefault, isVariant } from './words.js';

/** Lists of links with a card for each, by kind: default links, variants of them, and others. */
export class LinkLists {
  /** `links` is the array of the record, which is changed in place; `changed` is called after that. */
  constructor({ links, words, changed }) {
    const roles = (words.roles ?? []).map((role) => role.name);
    Object.assign(this, { links, changed, contexts: contexts(words), roles });
    this.cards = new Map();
    this.lists = {
      default: list('default-links'),
      variant: list('variant-links'),
      link: list('more-links'),
    };
  }

  /** The section about where a scan goes, with the field for what a request without a link type gets. */
  plain(answer) {
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
      answer,
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

  /** The section about more links. */
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

  card(link, open) {
    const known = this.cards.get(link.id);
    if (known) return known;
    const card = linkCard(
      link,
      {
        links: () => this.links,
        contexts: this.contexts,
        roles: this.roles,
        changed: () => this.changed(),
        setAddress: (other, href) => this.cards.get(other.id).setAddress(href),
        setTime: (other, member, value) => this.cards.get(other.id).setTime(member, value),
        add: (one) => this.add(one),
        moved: (one, step) => this.move(one, step),
        removed: (one) => this.remove(one),
      },
      { open },
    );
    this.cards.set(link.id, card);
    return card;
  }

  /** Puts every card into the list of its kind, in order. */
  structure() {
    const main = this.links.find(
      (link) => isDefault(link.linkType) && !link.validFrom && !link.validUntil,
    );
    for (const [kind, node] of Object.entries(this.lists)) {
      const links = this.links.filter((link) => kindOf(link) === kind);
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
    const some = this.links.some((link) => isDefault(link.linkType));
    this.addDefault.hidden = some;
    this.addTimed.hidden = !some;
    this.fallback.hidden = some;
  }

  add(link) {
    this.links.push(link);
    const card = this.card(link, true);
    this.structure();
    this.changed();
    card.focus(isVariant(link.linkType) ? 'hreflang' : 'href');
    card.root.scrollIntoView({ block: 'nearest' });
  }

  remove(link) {
    const at = this.links.indexOf(link);
    const card = this.cards.get(link.id).root;
    const near = card.nextElementSibling ?? card.previousElementSibling;
    this.links.splice(at, 1);
    this.structure();
    this.changed();
    (near?.querySelector('.card-toggle') ?? document.getElementById('add-link'))?.focus();
    notify(t('record.link_removed'), {
      action: button(
        t('record.undo'),
        () => {
          this.links.splice(at, 0, link);
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
    const { links } = this;
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
}

function list(id) {
  return append(h('ul', { class: 'cards', id }), []);
}

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
