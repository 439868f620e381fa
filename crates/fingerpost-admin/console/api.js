// Speaks to the admin API: problems become errors, a session that ended is renewed in place and the request repeated.

import { english, h } from './dom.js';
import { language, raw, t } from './texts.js';

/** What the server said instead of doing it (RFC 9457). */
export class Problem extends Error {
  constructor(status, body, headers) {
    const detail = sentence(body?.detail || body?.title || '');
    const own =
      raw('problems', body?.code) ??
      raw('problems', OF_STATUS[status]) ??
      t('problems.answered', { status: String(status) });
    super(detail.length > 1 && language === 'en' ? detail : own);
    /** What the server said, where the message is a translation that says less. */
    this.english =
      detail.length > 1 && language !== 'en' && !COMPLETE.has(body?.code) ? detail : undefined;
    this.name = 'Problem';
    this.status = status;
    this.code = body?.code;
    this.errors = body?.errors ?? [];
    this.warnings = body?.warnings ?? [];
    this.body = body;
    this.etag = headers?.get('etag') ?? undefined;
    this.retryAfter = Number(headers?.get('retry-after')) || undefined;
  }
}

const OF_STATUS = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  412: 'precondition-failed',
  413: 'too-large',
  429: 'throttled',
  500: 'internal-error',
  503: 'busy',
};

/** Problems of which the translation says all that the server said. */
const COMPLETE = new Set([
  'unauthenticated',
  'code-required',
  'not-found',
  'precondition-failed',
  'throttled',
  'internal-error',
  'busy',
  'storage-full',
  'store-unavailable',
  'too-slow',
  'sign-in-refused',
]);

/** What a fault says: in other languages than English what its field needs, and the words of the server. */
export function faultText(fault) {
  const detail = sentence(fault.detail ?? '');
  if (language === 'en' || fault.own) return detail;
  const own = ownText(fault);
  return own ? [own, ' ', english(detail)] : english(detail);
}

/** The same with what the server says folded away, for lists of many faults. */
export function foldedFault(fault) {
  const own = language !== 'en' && !fault.own && ownText(fault);
  if (!own) return faultText(fault);
  const said = english(sentence(fault.detail ?? ''));
  return [own, h('details', { lang: 'en' }, h('summary', {}, 'English'), said)];
}

/** The members that the rules for links are about, in the order of their sections. */
const RULED = ['href', 'linkType', 'title', 'hreflang', 'type', 'context', 'validFrom'];

function ownText({ id, pointer }) {
  const parts = String(pointer ?? '').split('/');
  const member = parts.findLast((part) => part && !/^\d+$/.test(part));
  const rule = /^RES-2\.5\.([1-7])-/.exec(id ?? '')?.[1];
  const ofSheet = /(cell|row) \w+$/.test(pointer ?? '') ? 'spreadsheet' : undefined;
  const names = [id, member, rule && RULED[rule - 1], ofSheet];
  return names.map((name) => name && raw('faults', name)).find(Boolean);
}

/** What a check of a key says: {detail, hint, faults: [{code}]}. */
export function checkText({ detail, hint, faults = [] }) {
  const own = language === 'en' ? undefined : raw('checks', faults[0]?.code);
  if (language === 'en') return [sentence(detail), hint ? ` ${sentence(hint)}` : ''];
  return own
    ? [own, ' ', english(sentence(detail))]
    : english(`${sentence(detail)}${hint ? ` ${sentence(hint)}` : ''}`);
}

/** A server's message as a sentence: it begins with a capital and ends with a full stop. */
export function sentence(text) {
  const trimmed = String(text).trim();
  const first = /^[a-z]+\b/.test(trimmed) ? trimmed[0].toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

let csrf;
let renewing;
let renew = async () => false;

/** Sets the token that proves that a request comes from this page. */
export function holdToken(token) {
  csrf = token;
}

/** The token that proves that a request comes from this page. */
export const token = () => csrf;

/** Sets what asks the person to sign in again; resolves to true once that is done. */
export function onExpiry(ask) {
  renew = ask;
}

const SAFE = new Set(['GET', 'HEAD']);

/** One request. Gives {status, data, etag, headers}; throws Problem, or an Error when the server cannot be reached. */
export async function api(method, path, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(method, path, options);
    const data = await read(response);
    if (response.ok || response.status === 304) {
      return {
        status: response.status,
        data,
        etag: response.headers.get('etag') ?? undefined,
        headers: response.headers,
      };
    }
    const problem = new Problem(
      response.status,
      typeof data === 'object' ? data : undefined,
      response.headers,
    );
    if (!options.plain && attempt < 2 && (await again(problem))) continue;
    throw problem;
  }
}

/** Is it worth to send the request once more? */
export async function again(problem) {
  if (problem.status === 403 && problem.code === 'cross-site') {
    const { data } = await api('GET', '/v1/session', { plain: true });
    if (data?.csrf && data.csrf !== csrf) {
      holdToken(data.csrf);
      return true;
    }
    return false;
  }
  if (problem.status !== 401) return false;
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function send(method, path, { json, body, type, headers = {}, etag, signal }) {
  const all = new Headers(headers);
  all.set('accept', 'application/json, application/problem+json');
  if (!SAFE.has(method) && csrf) all.set('x-csrf-token', csrf);
  if (etag) all.set('if-match', etag);
  if (json !== undefined) all.set('content-type', 'application/json');
  else if (type) all.set('content-type', type);
  try {
    return await fetch(path, {
      method,
      headers: all,
      body: json !== undefined ? JSON.stringify(json) : body,
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error(t('problems.unreachable'));
  }
}

async function read(response) {
  if (response.status === 204 || response.status === 304) return undefined;
  const text = await response.text();
  if (!/json/.test(response.headers.get('content-type') ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const get = (path, options) => api('GET', path, options);
export const post = (path, json, options) => api('POST', path, { json, ...options });
export const patch = (path, json, options) => api('PATCH', path, { json, ...options });
export const remove = (path, options) => api('DELETE', path, options);

/** A query from the members that hold something. */
export function query(members) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(members))
    if (value !== undefined && value !== null && value !== '') search.set(name, value);
  const text = search.toString();
  return text && `?${text}`;
}

/** All of a list, which comes in pages. */
export async function all(path, { page = 'after', items = path, ...members } = {}) {
  const found = [];
  let next;
  do {
    const { data } = await get(`/v1/${path}${query({ ...members, [page]: next, limit: 1000 })}`);
    found.push(...data[items]);
    next = data.next;
  } while (next);
  return found;
}

/** A request that only the newest call of `run` answers: earlier ones are given up. */
export function latest() {
  let current;
  return async (run) => {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    const result = await run(mine.signal);
    if (current !== mine) throw new DOMException('superseded', 'AbortError');
    return result;
  };
}
