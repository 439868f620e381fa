// What was typed and not saved, kept for this tab: neither the end of a session nor a reload loses it.
import { t } from './texts.js';

const PREFIX = 'draft:';

/** Keeps a draft; `key` is "new" or the key of the record. */
export function keep(key, draft) {
  try {
    sessionStorage.setItem(
      PREFIX + key,
      JSON.stringify({ ...draft, kept: new Date().toISOString() }),
    );
  } catch {
    /* full: the page itself still has it */
  }
}

export function kept(key) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + key)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function drop(key) {
  sessionStorage.removeItem(PREFIX + key);
}

/** All drafts: [{key, name}]. */
export function drafts() {
  return Object.keys(sessionStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => {
      const key = name.slice(PREFIX.length);
      const draft = kept(key);
      return { key, name: draft?.description || (key === 'new' ? t('records.draft_new') : key) };
    });
}
