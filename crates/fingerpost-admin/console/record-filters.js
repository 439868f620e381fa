// The search of the list of records: a text, and filters.
import { get } from './api.js';
import { busy, button, field, h, input, select } from './dom.js';
import { may, session } from './session.js';
import { number, t } from './texts.js';
import { keyOptions, typeTitle } from './words.js';
import { vocabulary } from './server.js';

/** Returns the form and its values, which are those of the address `asked` at first; `run` searches. */
export function filterForm(asked, run) {
  const text = h('input', {
    type: 'search',
    id: 'search',
    name: 'text',
    autocomplete: 'off',
    value: asked.get('text') ?? '',
  });
  const make = (name, label, control) => {
    control.name = name;
    if (asked.get(name))
      control.value = name === 'changedSince' ? asked.get(name).slice(0, 10) : asked.get(name);
    return field({ label, control });
  };
  const types = select({ id: 'filter-link-type' }, [['', t('records.any')]]);
  vocabulary().then(({ linkTypes }) => {
    types.append(...linkTypes.map((term) => h('option', { value: term.id }, typeTitle(term.id))));
    types.value = asked.get('linkType') ?? '';
  });
  const me = `user:${session().user.id}`;
  const people = select({ id: 'filter-author' }, [
    ['', t('records.anybody')],
    [me, t('records.me')],
    ['local:import', t('records.import')],
  ]);
  if (may('admin')) {
    get('/v1/users?limit=1000').then(({ data }) => {
      people.append(
        ...data.users
          .filter((user) => `user:${user.id}` !== me)
          .map((user) => h('option', { value: `user:${user.id}` }, user.name || user.login)),
      );
      people.value = asked.get('author') ?? '';
    });
  }
  const fields = [
    make('under', t('records.under'), input({ id: 'filter-under', placeholder: '01/0950…' })),
    make(
      'companyPrefix',
      t('records.prefix'),
      input({ id: 'filter-prefix', inputmode: 'numeric' }),
    ),
    make(
      'keyType',
      t('records.kind'),
      select({ id: 'filter-key-type' }, [['', t('records.any')], ...keyOptions()]),
    ),
    make('linkType', t('records.has_type'), types),
    make(
      'targetHost',
      t('records.host'),
      input({ id: 'filter-host', placeholder: 'www.example.com' }),
    ),
    make(
      'recalled',
      t('records.state'),
      select({ id: 'filter-recalled' }, [
        ['', t('records.any')],
        ['true', t('records.recalled')],
        ['false', t('records.not_recalled')],
        ['broken', t('records.broken')],
        ['deleted', t('history.deleted')],
      ]),
    ),
    make('author', t('records.changed_by'), people),
    make('changedSince', t('records.changed_since'), input({ id: 'filter-since', type: 'date' })),
  ];
  const values = () => {
    const all = { text: text.value.trim() };
    for (const { control } of fields) all[control.name] = control.value.trim();
    // The options of these come later than the first search.
    if (types.length === 1) all.linkType = asked.get('linkType') ?? '';
    if (!all.author && people.length === 3) all.author = asked.get('author') ?? '';
    if (all.changedSince) all.changedSince = new Date(`${all.changedSince}T00:00`).toISOString();
    return all;
  };
  const set = fields.filter(({ control }) => asked.get(control.name)).length;
  const submit = button(t('types.search'), undefined, {
    type: 'submit',
    icon: 'search',
    id: 'search-button',
  });
  const root = h(
    'form',
    {
      class: 'search',
      role: 'search',
      on: {
        submit: (event) => {
          event.preventDefault();
          busy(submit, () => run(values()));
        },
      },
    },
    h(
      'div',
      { class: 'bar' },
      h('label', { for: 'search', class: 'unseen' }, t('records.search')),
      text,
      submit,
    ),
    h(
      'details',
      { open: set > 0 },
      h('summary', { id: 'filters' }, t('records.filters'), set ? ` (${number(set)})` : ''),
      h(
        'div',
        { class: 'grid' },
        fields.map((one) => one.root),
      ),
      h(
        'div',
        { class: 'actions' },
        button(t('records.apply'), undefined, { type: 'submit' }),
        h('a', { class: 'button quiet', href: '#/records' }, t('records.clear')),
      ),
    ),
  );
  text.placeholder = t('records.example');
  return { root, values };
}
