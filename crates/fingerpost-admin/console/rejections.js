// Changes of this user that somebody else rejected, until the user has seen it.
import { all } from './api.js';
import { button, h, notice, put } from './dom.js';
import { keyOf } from './server.js';
import { session } from './session.js';
import { keyInWords, who } from './words.js';
import { t } from './texts.js';

const place = () => `rejections:${session().user.id}`;

/** Everything that was rejected until now is seen. */
export function see(until = new Date().toISOString()) {
  localStorage.setItem(place(), until);
}

/** A notice about the changes that others rejected since; at a record, or everywhere. */
export async function rejected(key) {
  const asked = { state: 'rejected', own: true, key: key && `/${key}` };
  const since = Date.parse(localStorage.getItem(place()) ?? '') || 0;
  const others = (await all('proposals', asked)).filter(
    (one) => one.decidedBy?.actor !== one.by.actor && Date.parse(one.decidedAt) > since,
  );
  const root = h('div', { id: 'rejected' });
  const said = (one) =>
    h(
      'p',
      {},
      t('approvals.was_rejected', {
        name: who(one.decidedBy),
        item: one.item || keyInWords(keyOf(one.keys[0])),
      }),
      one.reason && ` ${t('approvals.reason', { reason: one.reason })}`,
    );
  const close = () => {
    see();
    put(root);
  };
  put(
    root,
    others.length > 0 &&
      notice(
        'bad',
        others.slice(-3).map(said),
        h(
          'div',
          { class: 'actions' },
          h('a', { href: '#/approvals?state=rejected' }, t('approvals.see_rejected')),
          button(t('approvals.seen'), close, { id: 'rejected-seen', kind: 'quiet' }),
        ),
      ),
  );
  return root;
}
