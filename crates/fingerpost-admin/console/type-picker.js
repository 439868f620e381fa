// Chooses a link type by what it is for.
import { button, dialog, english, field, h, input, put } from './dom.js';
import { vocabulary } from './server.js';
import {
  curie,
  GROUP_ORDER,
  isDefault,
  isVariant,
  OTHER,
  typeGroup,
  typeSynonyms,
  typeTitle,
} from './words.js';
import { t } from './texts.js';

/** Asks for a type; gives its CURIE or name, or undefined. */
export async function pickType(present) {
  const words = await vocabulary();
  return dialog(
    t('types.heading'),
    (close) => {
      const list = h('div', { class: 'types', id: 'type-list' });
      const search = h('input', {
        type: 'search',
        id: 'type-search',
        autocomplete: 'off',
        placeholder: t('types.example'),
      });
      const none = h('p', { class: 'soft', role: 'status' });
      const groups = grouped(words.linkTypes).map(([name, terms]) =>
        group(name, terms, present, close),
      );
      const narrow = () => {
        const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
        let left = 0;
        for (const one of groups) left += one.narrow(wanted);
        put(none, left ? '' : t('types.none'));
      };
      search.addEventListener('input', narrow);
      search.addEventListener('keydown', (event) => {
        const first = visible(list)[0];
        if (event.key === 'ArrowDown' && first) {
          event.preventDefault();
          first.focus();
        }
        if (event.key === 'Enter') {
          event.preventDefault();
          first?.click();
        }
      });
      list.addEventListener('keydown', (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const all = visible(list);
        const to = all.indexOf(document.activeElement) + step;
        (to < 0 ? search : all[Math.min(to, all.length - 1)])?.focus();
      });
      put(
        list,
        groups.map((one) => one.root),
      );
      const find = field({ label: t('types.search'), control: search });
      return [
        find.root,
        none,
        list,
        own(words, close),
        h(
          'div',
          { class: 'actions' },
          button(t('common.cancel'), () => close(), { kind: 'quiet' }),
        ),
      ];
    },
    { wide: true, id: 'type-picker' },
  );
}

const visible = (list) =>
  [...list.querySelectorAll('button:not([disabled])')].filter((one) => one.offsetParent);

function grouped(terms) {
  const groups = new Map(GROUP_ORDER.map((name) => [name, []]));
  for (const term of terms) {
    if (
      term.class === 'system' ||
      term.class === 'deprecated' ||
      isDefault(term.id) ||
      isVariant(term.id)
    )
      continue;
    groups.get(typeGroup(term)).push(term);
  }
  return [...groups].filter(([, members]) => members.length);
}

function group(name, terms, present, close) {
  const cards = terms.map((term) => {
    const short = curie(term.id);
    const refused = term.allowed === false;
    const node = h(
      'button',
      {
        type: 'button',
        class: 'type',
        disabled: refused,
        data: { type: short },
        'aria-current': curie(present) === short ? 'true' : undefined,
        on: { click: () => close(short) },
      },
      h('span', { class: 'type-title' }, typeTitle(term.id)),
      h('code', {}, short),
      h(
        'span',
        { class: 'type-what' },
        term.description && english(term.description),
        refused && ` ${t('types.refused')}`,
      ),
    );
    return {
      node,
      text: `${typeTitle(term.id)} ${short} ${term.description ?? ''} ${typeSynonyms(term.id)}`.toLowerCase(),
    };
  });
  const shown = name !== OTHER;
  const body = h(
    'div',
    { class: 'type-group' },
    cards.map((card) => card.node),
  );
  const root = shown
    ? h('section', {}, h('h3', {}, name), body)
    : h('details', {}, h('summary', {}, name), body);
  return {
    root,
    narrow(wanted) {
      let left = 0;
      for (const { node, text } of cards) {
        node.hidden = !wanted.every((word) => text.includes(word));
        if (!node.hidden) left += 1;
      }
      root.hidden = left === 0;
      if (!shown) root.open = wanted.length > 0;
      return left;
    },
  };
}

function own(words, close) {
  const namespaces = words.namespaces ?? [];
  const hint = namespaces.length
    ? t('types.namespaces', {
        prefixes: namespaces.map((one) => one.prefix).join(t('common.list_comma')),
      })
    : t('types.own_example');
  const other = field({
    label: t('types.own'),
    hint,
    control: input({ id: 'type-own' }),
    optional: true,
  });
  const use = () => {
    const text = other.control.value.trim();
    if (text) close(text);
  };
  other.control.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      use();
    }
  });
  return h(
    'details',
    { class: 'own' },
    h('summary', {}, t('types.another')),
    h('div', { class: 'bar' }, other.root, button(t('types.use'), use, { id: 'type-own-use' })),
  );
}
