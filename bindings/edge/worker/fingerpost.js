// The edge worker: answers from the files of `fingerpost export --edge`, and passes on to the origin
// what they do not answer. docs/operations/edge.md describes it.
//
// `Resolver` needs one function of its platform: `read(name)`, which returns the bytes of a file as an
// ArrayBuffer, or null. Decisions are made in the module only, and it compares every file with its digest.

/** Files that may be missing one after the other: a page of the index, then shards. */
const MAX_ROUNDS = 4;

const latin1 = new TextDecoder("latin1");

export class Resolver {
  #module;
  #read;
  #refreshed = -Infinity;
  #root = null;

  /**
   * @param {WebAssembly.Module} module fingerpost.wasm
   * @param {(name: string) => Promise<ArrayBuffer | null>} read returns a file of the folder `records`
   */
  constructor(module, read) {
    this.#module = new WebAssembly.Instance(module, {}).exports;
    this.#read = read;
  }

  /** Reads the root if the last time is longer ago than `maxAge` milliseconds. */
  async refresh(now, maxAge) {
    if (now - this.#refreshed < maxAge) return;
    this.#refreshed = now;
    const root = await this.#read("root.json").catch(() => null);
    if (root === null) return;
    const text = latin1.decode(root);
    if (text === this.#root) return;
    this.#input(new Uint8Array(root));
    const refused = this.#module.edge_root();
    if (refused < 0) console.error(this.#output(-refused));
    else this.#root = text;
  }

  /**
   * Returns the response to a request, or null if the origin answers it.
   *
   * @param {Request} request
   * @param {number} now milliseconds since 1970
   */
  async answer(request, now) {
    const head = headOf(request);
    if (head === null) return null;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      this.#input(head);
      const length = this.#module.edge_answer(now);
      if (length > 0) return this.#response(length);
      if (length === 0) return null;
      const names = this.#output(-length).split("\n");
      const kept = await Promise.all(names.map((name) => this.#keep(name)));
      if (!kept.every(Boolean)) return null;
    }
    return null;
  }

  async #keep(name) {
    const object = await this.#read(`objects/${name.slice(0, 2)}/${name}`).catch(() => null);
    if (object === null) return false;
    const input = new Uint8Array(name.length + object.byteLength);
    input.set(bytesOf(name));
    input.set(new Uint8Array(object), name.length);
    this.#input(input);
    const refused = this.#module.edge_object(name.length);
    if (refused < 0) console.error(this.#output(-refused));
    return refused === 0;
  }

  #input(bytes) {
    const at = this.#module.edge_input(bytes.length);
    new Uint8Array(this.#module.memory.buffer, at, bytes.length).set(bytes);
  }

  #bytes(length) {
    return new Uint8Array(this.#module.memory.buffer, this.#module.edge_output(), length);
  }

  #output(length) {
    return latin1.decode(this.#bytes(length));
  }

  #response(length) {
    const bytes = this.#bytes(length);
    let end = 0;
    while (bytes[end] !== 10 || bytes[end + 1] !== 10) end++;
    const [status, ...lines] = latin1.decode(bytes.subarray(0, end)).split("\n");
    const headers = new Headers();
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers.append(line.slice(0, colon), line.slice(colon + 1));
    }
    // A copy: the memory of the module is used for the next request.
    const body = end + 2 < length ? bytes.slice(end + 2) : null;
    return new Response(body, { status: Number(status), headers });
  }
}

/** Returns method, target and fields as bytes; null if they are no bytes. */
function headOf(request) {
  // Not through URL, which changes the path.
  const origin = request.url.indexOf("/", request.url.indexOf("://") + 3);
  let head = `${request.method}\n${origin < 0 ? "/" : request.url.slice(origin)}`;
  for (const [name, value] of request.headers) head += `\n${name}:${value}`;
  return bytesOf(head);
}

function bytesOf(text) {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0xff) return null;
    bytes[at] = code;
  }
  return bytes;
}
