// A field that holds several short values, each shown as a chip with its name: languages, countries.
import { h, field, icon, put, unique } from './dom.js';
import { t } from './texts.js';

let pressed = false;
const press = (event) => {
  pressed = event.type === 'pointerdown';
};
for (const type of ['pointerdown', 'pointerup', 'pointercancel'])
  document.addEventListener(type, press, true);

/** `named(value)` gives the words for a value, `read(text)` the value for what was typed, `offered` the suggestions. */
export function tags({ id, label, hint, values, offered, named, read, changed }) {
  const list = h('ul', {
    class: 'chips',
    id: `${id}-chosen`,
    'aria-label': t('common.chosen', { label }),
  });
  const options = h(
    'datalist',
    { id: unique('offered') },
    offered.map((value) => h('option', { value }, named(value))),
  );
  const entry = h('input', {
    type: 'text',
    id,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    list: options.id,
    enterkeyhint: 'enter',
  });
  const outer = field({ label, hint, control: entry });
  const holder = h('div', { class: 'tags' });
  entry.replaceWith(holder);
  holder.append(list, entry, options);

  const draw = () => {
    list.hidden = values.length === 0;
    put(
      list,
      values.map((value, at) =>
        h(
          'li',
          {},
          h('span', {}, words(value)),
          h(
            'button',
            {
              type: 'button',
              class: 'chip-remove',
              'aria-label': t('common.remove_named', { name: named(value) }),
              on: {
                click: () => {
                  values.splice(at, 1);
                  draw();
                  changed();
                  entry.focus();
                },
              },
            },
            icon('close'),
          ),
        ),
      ),
    );
  };
  const words = (value) =>
    named(value) === value ? value : [named(value), h('span', { class: 'soft' }, ` ${value}`)];
  const take = () => {
    const found = entry.value
      .split(/[,;\n]/)
      .map((text) => text.trim())
      .filter(Boolean)
      .map(read);
    entry.value = '';
    if (!found.length) return;
    for (const value of found) if (!values.includes(value)) values.push(value);
    draw();
    changed();
  };
  entry.addEventListener('keydown', (event) => {
    if ((event.key === 'Enter' || event.key === ',') && entry.value.trim()) {
      event.preventDefault();
      take();
    } else if (event.key === 'Enter') event.preventDefault();
    else if (event.key === 'Backspace' && !entry.value && values.length) {
      values.pop();
      draw();
      changed();
    }
  });
  entry.addEventListener('change', () => {
    if (offered.includes(entry.value)) take();
  });
  // A chip moves what is below it, so a press on a button there is over before the chip appears.
  entry.addEventListener('blur', () => {
    if (!pressed) take();
    else
      for (const type of ['pointerup', 'pointercancel'])
        document.addEventListener(type, take, { once: true, capture: true });
  });
  draw();
  return outer;
}
