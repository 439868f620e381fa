/** Returns the module at an address, whatever media type the server gives it. */
export async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`cannot load ${url}: status ${response.status}; serve this file beside the package`);
  return WebAssembly.compile(await response.arrayBuffer());
}
