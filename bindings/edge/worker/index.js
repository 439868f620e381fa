// The entry of the worker on platforms with the interface of Cloudflare Workers, such as workerd.
//
// Bindings:
//   RECORDS  service with the folder `records`: static assets, a disk, or a bucket behind a host
//   ORIGIN   service that runs `fingerpost serve`; without it, requests go on to their own host
//   MAX_AGE  seconds for which the root is used before it is read again; 60 if absent

import module from "./fingerpost.wasm";
import { Resolver } from "./fingerpost.js";

let resolver = null;

export default {
  async fetch(request, env) {
    let response = null;
    try {
      resolver ??= new Resolver(module, (name) => read(env, name));
      const now = Date.now();
      await resolver.refresh(now, Number(env.MAX_AGE ?? 60) * 1000);
      response = await resolver.answer(request, now);
    } catch (fault) {
      // A module that failed once is not used again.
      resolver = null;
      console.error(fault);
    }
    return response ?? (env.ORIGIN ?? globalThis).fetch(request, { redirect: "manual" });
  },
};

async function read(env, name) {
  const response = await env.RECORDS.fetch(`http://records/${name}`);
  return response.ok ? response.arrayBuffer() : null;
}
