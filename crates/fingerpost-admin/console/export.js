// Files to take away: all records, and workbooks to fill in.
import { get, query } from './api.js';
import { busy, button, field, fetchFile, h, select } from './dom.js';

const LANGUAGES = [['en', 'English'], ['ar', 'العربية'], ['de', 'Deutsch'], ['es', 'Español'], ['fr', 'Français'], ['ja', '日本語'], ['pt', 'Português']];

const own = () => {
  const tag = (navigator.language ?? 'en').slice(0, 2);
  return LANGUAGES.some(([known]) => known === tag) ? tag : 'en';
};

const languages = (id) => field({ label: 'Titles in', control: select({ id, value: own() }, LANGUAGES) });

/** Fetches a file with a session that is valid: a sign-in that is due comes first. */
const take = (control, address) => busy(control, async () => { await get('/v1/session'); fetchFile(address()); });

export function templates() {
  const language = languages('template-language');
  const workbook = (layout, text) => {
    const control = button(text, () => take(control, () => `/v1/export/template${query({ layout, language: language.control.value })}`), { id: `template-${layout}`, kind: 'quiet' });
    return control;
  };
  return h('details', {}, h('summary', { id: 'templates' }, 'No file yet? Start with a workbook to fill in'),
    h('div', { class: 'actions choices' }, language.root, workbook('products', 'A row for each product'), workbook('links', 'A row for each link')));
}

export function exporting() {
  const format = field({ label: 'Layout', control: select({ id: 'export-format', value: 'xlsx' }, [['xlsx', 'Workbook (XLSX)'], ['csv', 'CSV'], ['jsonl', 'JSON Lines'], ['json', 'JSON']]) });
  const language = languages('export-language');
  format.control.addEventListener('change', () => { language.root.hidden = /json/.test(format.control.value); });
  const start = button('Export all records', () => take(start, () => `/v1/export${query({ format: format.control.value, language: language.root.hidden ? undefined : language.control.value })}`), { id: 'export' });
  return h('section', { 'aria-labelledby': 'export-title' }, h('h2', { id: 'export-title' }, 'Export'),
    h('p', { class: 'soft' }, 'Every record that you may read. The import takes the file back. A workbook has room for a million links.'),
    h('div', { class: 'actions choices' }, format.root, language.root, start));
}
