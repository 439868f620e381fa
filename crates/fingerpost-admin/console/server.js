// The questions of the console to the API that more than one view asks.
import { api, get } from './api.js';
import { learn, learnRoles } from './words.js';

/** The key of something that the API names, or of its text: `01/09506000134352/10/ABC`, without a slash before it. */
export function keyOf(thing) {
  // A text has a method `anchor`.
  return String(
    typeof thing === 'string' ? thing : (thing.key ?? thing.anchor ?? thing.record?.anchor),
  ).replace(/^\//, '');
}

/** One level: {record, etag, revision, at, by}; undefined when nothing is registered there. */
export async function level(key) {
  try {
    const { data, etag } = await get(`/v1/levels/${key}`);
    return {
      ...data,
      record: data.record ?? data,
      etag: etag ?? (data.revision && `"${data.revision}"`),
    };
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

let words;
/** The link types, the foreign namespaces and the values of contexts; asked once. */
export function vocabulary() {
  words ??= get('/v1/vocabulary')
    .then(({ data }) => {
      learn(data.linkTypes);
      learnRoles(data.roles);
      return data;
    })
    .catch((error) => {
      words = undefined;
      throw error;
    });
  return words;
}

/** Forgets what was asked once: after another person signed in. */
export function forget() {
  words = undefined;
}

/** Reads whatever somebody typed as a key. */
export async function check(text, signal) {
  return (await get(`/v1/check?text=${encodeURIComponent(text)}`, { signal })).data;
}

/** What is registered, or was, for whatever somebody typed as a key: {key, nearest, deleted, similar, meant}. */
export async function search(text, signal) {
  return (await get(`/v1/search?text=${encodeURIComponent(text)}`, { signal })).data;
}

/** What a scan would get; `records` are laid over what is stored. */
export async function explain(question, signal) {
  return (await api('POST', '/v1/explain', { json: question, signal })).data;
}
