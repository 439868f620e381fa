// Checks the use of texts in the code of the console, and the plural forms of each language.
//
//   node texts.mjs CONSOLE-FOLDER < TEXTS.json          TEXTS: { tag: { direction, table: { name: text } } }
//
// Prints one finding per line.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';

const folder = process.argv[2];
const languages = JSON.parse(readFileSync(0, 'utf8'));
const tablesOf = (texts) => Object.entries(texts).filter(([, table]) => typeof table === 'object');
const english = Object.fromEntries(tablesOf(languages.en));

/** Words in the code that are not for people: keys, errors, headers, formats and classes. */
const NAMES = new Set([
  'AbortError', 'Accept', 'Accept-Language', 'ArrowDown', 'Backspace', 'Enter', 'Escape', 'JSON Lines', 'TypeError',
  'noopener noreferrer', 'noreferrer noopener', 'Problem', 'AI (', 'HTTP', 'fingerpost', 'https://', 'www.example.com',
  'application/pdf, */*;q=0.1', 'English',
]);

/** The attributes that people read or hear. */
const READ = new Set(['alt', 'aria-label', 'label', 'hint', 'placeholder', 'title']);

/** Functions that show their first argument, and those that show everything after the second. */
const SHOWS_FIRST = new Set(['button', 'heading', 'notify']);
const SHOWS_CHILDREN = new Set(['h', 'svg']);

const findings = [];
const report = (file, node, what) => findings.push(`${file}:${node.loc.start.line}: ${what}`);

/** The strings of the code that may be keys: whole ones, beginnings of computed ones, and tables whose texts are looked up by name. */
const whole = new Set();
const beginnings = new Set();
const tables = new Set();

for (const file of readdirSync(folder).filter((name) => name.endsWith('.js') && name !== 'facts.js')) {
  const code = parse(readFileSync(join(folder, file), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  visit(code, [], (node, parents) => {
    if (node.type === 'CallExpression' && node.callee.name === 'raw') lookUp(...node.arguments);
    if (node.type === 'TemplateLiteral' && node.expressions.length > 0) beginnings.add(node.quasis[0].value.cooked);
    const text = node.type === 'TemplateElement' ? node.value.cooked : node.type === 'Literal' ? node.value : undefined;
    if (typeof text !== 'string') return;
    whole.add(text);
    if (parents.at(-1).type === 'ImportDeclaration') return;
    if (isKey(node, parents)) {
      if (textOf(english, text) === undefined) report(file, node, `there is no text ${text}`);
    } else if (!NAMES.has(text.trim()) && !isClass(parents) && (isProse(text) || (isShown(node, parents) && /\p{L}/u.test(text)))) {
      report(file, node, `"${text}" belongs into data/texts/console`);
    }
  });
}

for (const [table, texts] of Object.entries(english)) {
  for (const name of Object.keys(texts)) {
    const key = `${table}.${name}`;
    const isComputed = [...beginnings].some((start) => start.length > table.length && key.startsWith(start));
    if (!whole.has(key) && !isComputed && !tables.has(table)) findings.push(`${key} is not used`);
  }
}

for (const [language, file] of Object.entries(languages)) {
  const locale = new Intl.Locale(language);
  const { direction } = locale.getTextInfo?.() ?? locale.textInfo;
  if (file.direction !== direction) findings.push(`${language}: the direction is ${direction}`);
  const rules = new Intl.PluralRules(language);
  const possible = new Set(rules.resolvedOptions().pluralCategories);
  // Numbers in the console are small: a form that only millions have may be missing.
  const needed = new Set(Array.from({ length: 1001 }, (_, number) => rules.select(number)));
  for (const [table, texts] of tablesOf(file)) {
    for (const [name, forms] of Object.entries(texts)) {
      if (typeof forms !== 'object') continue;
      for (const form of needed) if (!(form in forms)) findings.push(`${language}: ${table}.${name} has no form "${form}"`);
      for (const form of Object.keys(forms)) if (!possible.has(form)) findings.push(`${language}: ${table}.${name} has a form "${form}", which the language has not`);
    }
  }
}

console.log(findings.join('\n'));

function visit(node, parents, see) {
  see(node, parents);
  for (const value of Object.values(node)) {
    for (const child of [value].flat()) {
      if (child && typeof child.type === 'string') visit(child, [...parents, node], see);
    }
  }
}

/** Notes a call of `raw(table, name)`, which may find any text of the table whose name begins so. */
function lookUp(table, name) {
  if (table.type !== 'Literal') return;
  if (name.type === 'Literal') whole.add(`${table.value}.${name.value}`);
  else if (name.type === 'TemplateLiteral') beginnings.add(`${table.value}.${name.quasis[0].value.cooked}`);
  else tables.add(table.value);
}

function textOf(texts, key) {
  const dot = key.indexOf('.');
  return texts[key.slice(0, dot)]?.[key.slice(dot + 1)];
}

/** Whether a string is the key of a text: the first argument of `t`, or what it is chosen from. */
function isKey(node, parents) {
  for (const parent of parents.toReversed()) {
    if (parent.type === 'CallExpression') return parent.callee.name === 't' && parent.arguments[0] === node;
    if (parent.type === 'TemplateLiteral' || (parent.type === 'ConditionalExpression' && parent.test === node)) return false;
    node = parent;
  }
  return false;
}

/** Whether people see or hear a string as it is: a child of an element, a title, a label. */
function isShown(node, parents) {
  for (const parent of parents.toReversed()) {
    if (parent.type === 'CallExpression') {
      const at = parent.arguments.indexOf(node);
      return (SHOWS_FIRST.has(parent.callee.name) && at === 0) || (SHOWS_CHILDREN.has(parent.callee.name) && at >= 2);
    }
    if (parent.type === 'Property' && parent.value === node) return READ.has(parent.key.name ?? parent.key.value);
    if (['BinaryExpression', 'MemberExpression', 'ArrowFunctionExpression', 'ObjectExpression'].includes(parent.type)) return false;
    if (parent.type === 'ConditionalExpression' && parent.test === node) return false;
    node = parent;
  }
  return false;
}

function isClass(parents) {
  return parents.some((parent) => parent.type === 'Property' && parent.key.name === 'class');
}

/** Whether a string reads like words for people: it begins as a sentence does, or has two words beside each other. */
function isProse(text) {
  return /^\s*[A-Z][a-z]/.test(text) || /(^|\s)[A-Za-z]{2,} [A-Za-z]{2,}($|\s)/.test(text);
}
