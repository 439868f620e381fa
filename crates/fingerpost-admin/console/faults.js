// Faults of a record in the editor: each beside its field, and all of them in a summary.
import { faultText } from './api.js';
import { button, h, icon, put } from './dom.js';
import { t } from './texts.js';
import { parts } from './words.js';

/** The faults of a record whose fields an editor has. */
export class Faults {
  constructor(editor) {
    this.editor = editor;
    this.summary = h('div', {
      class: 'notice bad summary',
      id: 'faults',
      tabindex: '-1',
      role: 'alert',
      hidden: true,
    });
  }

  clear() {
    const { top, keyField, description, answerField, lists } = this.editor;
    this.summary.hidden = true;
    put(top);
    keyField?.fault();
    description.fault();
    answerField?.fault();
    for (const card of lists.cards.values()) card.clearFaults();
  }

  /** Puts each fault beside its field, and all of them into a summary that leads there. */
  show(failures, ids) {
    // A link that is registered twice, under a second type, has its faults once.
    const about = (error) =>
      `${String(error.pointer ?? '').replace(/^\/links\/(\d+)/, (_, at) => `#${ids[Number(at)]}`)} ${error.detail ?? error.message ?? ''}`;
    const errors = failures.filter(
      (error, at) => failures.findIndex((other) => about(other) === about(error)) === at,
    );
    const fields = this.beside(errors, ids);
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
              fields[at]
                ? button(
                    plain(error),
                    () => {
                      fields[at].scrollIntoView({ block: 'center' });
                      fields[at].focus();
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

  /** Shows faults beside their fields; returns the field of each, if it has one. */
  beside(errors, ids) {
    const { keyField, description, names, answerField, lists } = this.editor;
    return errors.map((error) => {
      const [, first, at, member] = String(error.pointer ?? '').split('/');
      if (first === 'anchor' && keyField) {
        keyField.fault(
          plain(error),
          error.link && h('a', { href: error.link }, ` ${t('common.open')}`),
        );
        return keyField.control;
      }
      if (first === 'itemDescription') {
        description.fault(plain(error));
        return description.control;
      }
      if (first === 'itemDescriptions') {
        names.fault(plain(error));
        return names.control;
      }
      if (first === 'defaultLinkType' && answerField) {
        answerField.fault(plain(error));
        return answerField.control;
      }
      const card =
        first === 'links' && at !== undefined ? lists.cards.get(ids[Number(at)]) : undefined;
      return card?.fault(member ?? missing(error), plain(error));
    });
  }

  /** A link to what an error asks for, if a record of the product is missing. */
  advice(error) {
    const anchor = this.editor.anchor();
    if (/RES-2\.5\.9-1/.test(error.id ?? '') && parts(anchor ?? '').length > 1) {
      const key = anchor.split('/').slice(0, 2).join('/');
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

/** Warnings as a list; nothing if there are none. */
export function remarks(warnings) {
  return (
    warnings.length > 0 &&
    h(
      'ul',
      {},
      warnings.map((warning) => h('li', {}, plain(warning))),
    )
  );
}
