// Files to take away: all records, and workbooks to fill in.
import { get, query } from './api.js';
import { busy, button, field, fetchFile, h, select } from './dom.js';
import { language, LANGUAGES, t } from './texts.js';

const languages = (id) =>
  field({ label: t('export.titles_in'), control: select({ id, value: language }, LANGUAGES) });

/** Fetches a file with a session that is valid: a sign-in that is due comes first. */
const take = (control, address) =>
  busy(control, async () => {
    await get('/v1/session');
    fetchFile(address());
  });

export function templates() {
  const titles = languages('template-language');
  const workbook = (layout, text) => {
    const control = button(
      text,
      () =>
        take(
          control,
          () => `/v1/export/template${query({ layout, language: titles.control.value })}`,
        ),
      { id: `template-${layout}`, kind: 'quiet' },
    );
    return control;
  };
  return h(
    'details',
    {},
    h('summary', { id: 'templates' }, t('export.templates')),
    h(
      'div',
      { class: 'actions choices' },
      titles.root,
      workbook('products', t('export.by_product')),
      workbook('links', t('export.by_link')),
    ),
  );
}

export function exporting() {
  const format = field({
    label: t('export.layout'),
    control: select({ id: 'export-format', value: 'xlsx' }, [
      ['xlsx', t('export.workbook')],
      ['csv', 'CSV'],
      ['jsonl', 'JSON Lines'],
      ['json', 'JSON'],
    ]),
  });
  const titles = languages('export-language');
  format.control.addEventListener('change', () => {
    titles.root.hidden = /json/.test(format.control.value);
  });
  const start = button(
    t('export.start'),
    () =>
      take(
        start,
        () =>
          `/v1/export${query({ format: format.control.value, language: titles.root.hidden ? undefined : titles.control.value })}`,
      ),
    { id: 'export' },
  );
  return h(
    'section',
    { 'aria-labelledby': 'export-title' },
    h('h2', { id: 'export-title' }, t('export.heading')),
    h('p', { class: 'soft' }, t('export.lead')),
    h('div', { class: 'actions choices' }, format.root, titles.root, start),
  );
}
