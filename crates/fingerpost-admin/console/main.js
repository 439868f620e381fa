// Starts the console: the session, the frame around every view, and which view an address shows.
import { get, holdToken, onExpiry, remove } from './api.js';
import { button, errorText, forgetMessages, h, icon, notify, put } from './dom.js';
import { LINKS, termsPage } from './by-mail.js';
import { changePassword, languageChoice, signInAgain, signInPage } from './sign-in.js';
import { forget } from './server.js';
import { session, setSession, may, mayEverywhere } from './session.js';
import { records } from './records.js';
import { newRecord, editRecord } from './editor.js';
import { history as pastOf } from './history.js';
import { insight } from './insight.js';
import { linkHealth } from './link-health.js';
import { preview } from './preview.js';
import { recall } from './recall.js';
import { changeSets, recallBoard } from './undo.js';
import { successor } from './successor.js';
import { approvals, waiting } from './approvals.js';
import { transfer } from './import.js';
import { account } from './account.js';
import { keys } from './keys.js';
import { organisations } from './organisations.js';
import { users } from './users.js';
import { webhooks } from './webhooks.js';
import { audit } from './audit.js';
import { status } from './status.js';
import { number, t } from './texts.js';

const VIEWS = [
  { name: 'records', title: t('frame.records'), icon: 'records', view: records },
  { name: 'new', of: 'records', view: newRecord },
  { name: 'record', of: 'records', view: editRecord },
  { name: 'history', of: 'records', view: pastOf },
  { name: 'recall', of: 'records', view: recall, for: 'editor' },
  { name: 'successor', of: 'records', view: successor, for: 'editor' },
  { name: 'recalls', title: t('recall.board'), icon: 'warning', view: recallBoard },
  { name: 'links', title: t('health.heading'), icon: 'arrow', view: linkHealth },
  { name: 'insight', title: t('insight.heading'), icon: 'chart', view: insight },
  { name: 'preview', title: t('frame.scan'), icon: 'phone', view: preview },
  { name: 'import', title: t('frame.transfer'), icon: 'transfer', view: transfer },
  { name: 'changes', title: t('undo.heading'), icon: 'clock', view: changeSets },
  { name: 'approvals', title: t('frame.approvals'), icon: 'check', view: approvals },
  { name: 'keys', title: t('frame.keys'), icon: 'key', view: keys },
  {
    name: 'webhooks',
    title: t('webhooks.heading'),
    icon: 'transfer',
    view: webhooks,
    for: 'admin',
  },
  { name: 'users', title: t('frame.users'), icon: 'people', view: users, for: 'admin' },
  {
    name: 'organisations',
    title: t('frame.organisations'),
    icon: 'house',
    view: organisations,
    for: 'admin',
  },
  { name: 'account', view: account },
  { name: 'audit', title: t('frame.audit'), icon: 'log', view: audit, for: 'admin' },
  { name: 'status', title: t('status.heading'), icon: 'chart', view: status, everywhere: 'reader' },
];

const app = document.getElementById('app');
let shown = 0;
let frame;
let before;

async function start() {
  onExpiry(signInAgain);
  const { name, rest } = place();
  if (LINKS[name]) {
    // The token must not stay in the history.
    const done = () => {
      history.replaceState(null, '', location.pathname);
      start();
    };
    document.title = 'fingerpost';
    put(app, LINKS[name](rest, done));
    app.querySelector('input')?.focus();
    return undefined;
  }
  try {
    const { data } = await get('/v1/session', { plain: true });
    if (data?.user) return enter(data);
    return leave(data?.signIn);
  } catch (error) {
    if (error.status === 401) return leave(error.body?.signIn);
    return put(
      app,
      h(
        'main',
        { class: 'alone' },
        h('h1', {}, t('frame.cannot_start')),
        h('p', {}, errorText(error)),
        button(t('frame.again'), start, { kind: 'primary' }),
      ),
    );
  }
}

function leave(ways) {
  setSession(undefined);
  holdToken(undefined);
  frame = undefined;
  document.title = `${t('sign_in.title')} · fingerpost`;
  put(app, signInPage(ways, enter));
  app.querySelector('input')?.focus();
}

function enter(data) {
  setSession(data);
  holdToken(data.csrf);
  forget();
  if (data.termsRequired) {
    document.title = `${t('sign_in.terms')} · fingerpost`;
    put(app, termsPage(data.termsRequired, start, signOut));
    app.querySelector('h1').focus();
    return;
  }
  frame = shell();
  put(app, frame.root);
  if (data.secondFactorRequired) history.replaceState(null, '', '#/account');
  route();
}

function shell() {
  const main = h('main', { id: 'main', tabindex: '-1' });
  const links = VIEWS.filter(
    (view) =>
      view.title &&
      (!view.for || may(view.for)) &&
      (!view.everywhere || mayEverywhere(view.everywhere)),
  ).map((view) =>
    h(
      'a',
      { href: `#/${view.name}`, id: `nav-${view.name}`, data: { view: view.name } },
      icon(view.icon),
      h('span', {}, view.title),
    ),
  );
  const menu = h(
    'nav',
    { id: 'menu', 'aria-label': t('frame.console') },
    links,
    h(
      'div',
      { class: 'me' },
      h('p', { id: 'who' }, session().user.name || session().user.login),
      h('a', { href: '#/account', id: 'own-account' }, t('frame.account')),
      button(t('frame.password'), changePassword, { kind: 'quiet', id: 'change-password' }),
      languageChoice(),
      button(t('frame.sign_out'), signOut, { kind: 'quiet', id: 'sign-out' }),
    ),
  );
  const toggle = button(t('frame.menu'), () => open(menu.dataset.open !== 'true'), {
    kind: 'quiet',
    icon: 'menu',
    id: 'menu-button',
    expanded: false,
    controls: 'menu',
  });
  const open = (yes) => {
    menu.dataset.open = String(yes);
    toggle.setAttribute('aria-expanded', String(yes));
  };
  menu.addEventListener('click', (event) => {
    if (event.target.closest('a')) open(false);
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && menu.dataset.open === 'true') {
      open(false);
      toggle.focus();
    }
  });
  const skip = h(
    'a',
    {
      class: 'skip',
      href: '#main',
      on: {
        click: (event) => {
          event.preventDefault();
          main.focus();
        },
      },
    },
    t('frame.skip'),
  );
  const root = h(
    'div',
    { class: 'frame' },
    skip,
    h(
      'header',
      {},
      h(
        'a',
        { class: 'brand', href: '#/records' },
        h('img', { src: 'icon.svg', alt: '', width: 28, height: 28 }),
        h('span', {}, 'fingerpost'),
      ),
      toggle,
    ),
    menu,
    main,
  );
  return { root, main, links };
}

async function signOut() {
  try {
    await remove('/v1/session', { plain: true });
  } catch {
    /* it had ended already */
  }
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('draft:')) sessionStorage.removeItem(name);
  frame = undefined;
  shown += 1;
  history.replaceState(null, '', location.pathname);
  start();
}

/** What stands behind `#/`: the name of a view, the rest of the path as it is, and the query. */
export function place() {
  const text = location.hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const cut = path.indexOf('/');
  return {
    name: cut < 0 ? path : path.slice(0, cut),
    rest: cut < 0 ? '' : path.slice(cut + 1),
    search: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)),
  };
}

async function route() {
  if (!frame) return;
  const at = place();
  const view = VIEWS.find((one) => one.name === at.name) ?? VIEWS[0];
  const [mine, began] = [++shown, Date.now()];
  for (const link of frame.links) {
    if (link.dataset.view === (view.of ?? view.name)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  frame.main.setAttribute('aria-busy', 'true');
  const slow = setTimeout(() => {
    if (mine === shown) put(frame.main, h('p', { class: 'soft loading' }, t('frame.loading')));
  }, 200);
  let content;
  try {
    content = await view.view(at.rest, at.search);
  } catch (error) {
    content = [
      h('h1', { tabindex: '-1' }, error.status === 404 ? t('frame.not_found') : t('frame.failed')),
      h('p', {}, errorText(error)),
      h(
        'div',
        { class: 'actions' },
        button(t('frame.again'), route),
        h('a', { class: 'button quiet', href: '#/records' }, t('common.all_records')),
      ),
    ];
    if (error.name === 'TypeError') console.error(error);
  }
  clearTimeout(slow);
  if ((view.of ?? view.name) !== before) forgetMessages(began);
  before = view.of ?? view.name;
  if (mine !== shown) return;
  countWaiting();
  frame.main.removeAttribute('aria-busy');
  put(frame.main, content);
  const title = frame.main.querySelector('h1');
  document.title = `${title?.textContent ?? view.title} · fingerpost`;
  if (!frame.main.contains(document.activeElement)) title?.focus({ preventScroll: true });
  // Back leads to where one was.
  window.scrollTo(0, history.state?.scroll ?? 0);
}

/** Shows how many changes wait for this user's decision. */
async function countWaiting() {
  const link = frame.links.find((one) => one.dataset.view === 'approvals');
  const count = await waiting().catch(() => 0);
  link.querySelector('.badge')?.remove();
  if (count > 0)
    link.append(
      h(
        'span',
        { class: 'badge' },
        number(count),
        h('span', { class: 'unseen' }, ` ${t('frame.waiting')}`),
      ),
    );
}

window.addEventListener('hashchange', () => (LINKS[place().name] ? start() : route()));
window.addEventListener('decided', countWaiting);
window.addEventListener('unhandledrejection', (event) => {
  if (event.reason?.name === 'AbortError') return event.preventDefault();
  return notify(event.reason?.message ? errorText(event.reason) : t('frame.wrong'), {
    kind: 'bad',
  });
});
start();
