// The selection in a list, and the actions on selected records.
import { button, checkbox, errorText, h, notice, put } from './dom.js';
import { removeAll } from './undo.js';
import { exportAll, labels } from './selected-files.js';
import { mayIn, rights } from './session.js';
import { t } from './texts.js';

/** Most records of one action. */
export const MOST = 10000;

/** What is selected in a list whose boxes have `data-key`: a map of keys to revisions, a box for all that are shown, and a bar with actions. */
export class Chosen {
  constructor(results, acts, chosen = new Map()) {
    this.results = results;
    this.chosen = chosen;
    this.chosenText = h('strong', { id: 'selected', role: 'status' });
    this.bar = h(
      'div',
      {
        class: 'foot selected',
        id: 'selected-bar',
        hidden: true,
        role: 'group',
        'aria-label': t('selection.what'),
      },
      this.chosenText,
      acts,
      button(t('selection.clear'), () => this.clear(), { id: 'select-none', kind: 'quiet' }),
    );
    this.all = checkbox(t('selection.all_shown'), { id: 'select-shown' });
    this.all.control.addEventListener('change', () =>
      this.choose(this.boxes(), this.all.control.checked),
    );
    results.addEventListener('change', (event) => {
      if (event.target.dataset.key) this.choose([event.target], event.target.checked);
    });
  }

  /** A box for an item. */
  box(key, label, revision) {
    return h('input', {
      type: 'checkbox',
      'aria-label': label,
      checked: this.chosen.has(String(key)),
      data: { key, revision },
    });
  }

  boxes() {
    return [...this.results.querySelectorAll('input[data-key]')];
  }

  choose(boxes, yes) {
    for (const box of boxes) {
      box.checked = yes;
      if (yes) this.chosen.set(box.dataset.key, Number(box.dataset.revision));
      else this.chosen.delete(box.dataset.key);
    }
    this.chose();
  }

  clear() {
    this.chosen.clear();
    for (const box of this.boxes()) box.checked = false;
    this.chose();
  }

  chose() {
    this.draw();
  }

  draw() {
    const boxes = this.boxes();
    const count = boxes.filter((box) => box.checked).length;
    this.all.root.hidden = boxes.length === 0;
    this.all.control.checked = boxes.length > 0 && count === boxes.length;
    this.all.control.indeterminate = count > 0 && count < boxes.length;
    this.bar.hidden = this.chosen.size === 0;
    put(this.chosenText, t('selection.count', { count: this.chosen.size }));
  }
}

/** The actions on a selection of records, as buttons. `keys` gives what is selected, as Map of keys to revisions; `done` draws the list again. */
export function actions(keys, place, done) {
  const editor = rights().some((right) => mayIn(right, 'editor'));
  const run = (control, work) => async () => {
    if (control.getAttribute('aria-busy') === 'true') return;
    control.setAttribute('aria-busy', 'true');
    try {
      await work(keys());
    } catch (error) {
      if (error.name !== 'AbortError') put(place, notice('bad', h('p', {}, errorText(error))));
    } finally {
      control.removeAttribute('aria-busy');
    }
  };
  const make = (text, id, sign, work, kind) => {
    const control = button(text, undefined, { id, icon: sign, kind });
    control.addEventListener('click', run(control, work));
    return control;
  };
  return [
    make(t('export.heading'), 'selected-export', 'transfer', (all) =>
      exportAll([...all.keys()], place),
    ),
    make(t('selection.labels'), 'selected-labels', 'copy', (all) => labels([...all.keys()], place)),
    editor &&
      make(t('recall.recall'), 'selected-recall', 'warning', (all) => {
        keep([...all.keys()]);
        location.hash = '#/recall/selection';
      }),
    editor &&
      make(t('common.delete'), 'selected-delete', 'bin', (all) => removeAll(all, place, done)),
  ];
}

/** Where the keys of a recall are kept when its page is loaded again. */
const KEPT = 'selection';

function keep(keys) {
  sessionStorage.setItem(KEPT, JSON.stringify(keys));
}

/** Returns the keys of a recall of selected records. */
export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? '[]');
  } catch {
    return [];
  }
}
