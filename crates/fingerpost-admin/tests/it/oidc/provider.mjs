// A provider of identities for the tests of sign-in: oidc-provider (certified for OpenID Connect), with the accounts below. Some of
// them make it misbehave after it has signed its token, as a forger would.
//
// node provider.mjs ISSUER CALLBACK [--public] [--thin]
//   --public  the client has no secret
//   --thin    claims are at the UserInfo endpoint alone, as OpenID Connect Core 1.0 section 5.4 has it
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { SignJWT, UnsecuredJWT, decodeJwt, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';

const [issuer, callback, ...flags] = process.argv.slice(2);
const secret = 'the secret of the client, long enough to sign with';

const accounts = new Map([
  ['ada', { name: 'Ada <b>Lovelace</b>', preferred_username: 'ada.lovelace', groups: ['staff', 'editors'] }],
  ['bob', { name: 'Bob', groups: ['visitors'] }],
  ['carl', { name: 'Carl' }],
  // Somebody who calls himself as a user of the installation with a password.
  ['imitator', { name: 'Ada', preferred_username: 'ADA', email: 'ada', groups: ['editors'] }],
]);

async function newKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...await exportJWK(privateKey), kid: randomUUID(), alg: 'RS256', use: 'sig' };
}

/** Keys that stay the same when the provider starts again: making one takes long. */
async function keptKeys() {
  const kept = await readFile('keys.json').catch(() => undefined);
  if (kept) {
    return JSON.parse(kept);
  }
  const keys = [await newKey(), await newKey()];
  const file = `keys.${process.pid}`;
  await writeFile(file, JSON.stringify(keys));
  await rename(file, 'keys.json');
  return keys;
}

// New each time the provider starts.
const key = await newKey();
const [other, forEncryption] = await keptKeys();
const { d, p, q, dp, dq, qi, ...published } = key;

/** Lists in lists in lists. */
const deep = (depth) => '['.repeat(depth) + ']'.repeat(depth);

const forgeries = {
  expired: (claims) => sign({ ...claims, iat: claims.iat - 7200, exp: claims.iat - 3600 }),
  nonce: (claims) => sign({ ...claims, nonce: 'another' }),
  audience: (claims) => sign({ ...claims, aud: 'another' }),
  audiences: (claims) => sign({ ...claims, aud: [claims.aud, 'another'] }),
  issuer: (claims) => sign({ ...claims, iss: 'https://evil.example' }),
  signature: (claims) => sign(claims, other, key.kid),
  key: (claims) => sign(claims, other, other.kid),
  unsigned: (claims) => new UnsecuredJWT(claims).encode(),
  symmetric: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret)),
  hash: (claims) => sign({ ...claims, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }),
  absent: () => undefined,
  'authorized-party': (claims) => sign({ ...claims, azp: 'another' }),
  'no-party': (claims) => sign({ ...claims, aud: [claims.aud, 'another'], azp: claims.aud }),
  'public-key-as-secret': async (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid })
    .sign(new TextEncoder().encode(await exportSPKI(await importJWK(published, 'RS256')))),
  'modulus-as-secret': (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid })
    .sign(Buffer.from(published.n, 'base64url')),
  'own-key': async (claims) => {
    const jwk = { kty: other.kty, n: other.n, e: other.e };
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk, jku: `${issuer}/test/jwks`, x5u: `${issuer}/test/jwks` })
      .sign(await importJWK(other, 'RS256'));
  },
  'encryption-key': async (claims) => sign(claims, forEncryption),
  critical: async (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid, crit: ['exp'], exp: 1 })
    .sign(await importJWK(key, 'RS256'), { crit: { exp: true } }),
  huge: (claims) => sign({ ...claims, more: 'x'.repeat(1 << 21) }),
  deep: async (claims) => {
    const [head, , signature] = (await sign(claims)).split('.');
    const body = JSON.stringify(claims).replace('{', `{"more":${deep(100_000)},`);
    return [head, Buffer.from(body).toString('base64url'), signature].join('.');
  },
  'no-subject': (claims) => sign({ ...claims, sub: '' }),
  'two-parts': async (claims) => (await sign(claims)).split('.').slice(0, 2).join('.'),
  text: () => 'x',
  // Good tokens, whose claims are not what they seem.
  'as-object': (claims) => sign({ ...claims, groups: { editors: 'editors' } }),
  'in-list': (claims) => sign({ ...claims, groups: [['editors'], { editors: true }, 7, null] }),
  'as-one': (claims) => sign({ ...claims, groups: 'staff editors' }),
  'by-place': (claims) => sign({ ...claims, groups: ['installation', 'admin', 'Editors', 'editors ', 'editors\u0000', '*'] }),
};

async function sign(claims, by = key, kid = by.kid) {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(await importJWK(by, 'RS256'));
}

const isPublic = flags.includes('--public');
const provider = new Provider(issuer, {
  clients: [{
    client_id: 'fingerpost',
    redirect_uris: [callback],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    ...(isPublic ? { token_endpoint_auth_method: 'none' } : { client_secret: secret }),
  }],
  jwks: { keys: [key] },
  cookies: { keys: ['only for tests'] },
  conformIdTokenClaims: flags.includes('--thin'),
  pkce: { required: () => true },
  claims: { openid: ['sub'], profile: ['name', 'preferred_username'], groups: ['groups'] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, ...(accounts.get(id) ?? { groups: ['editors'] }) }),
  }),
});

// What a path answers instead of what it should.
const instead = new Map();
const answers = {
  redirect: (ctx) => ctx.redirect(ctx.state.to),
  huge: (ctx) => { ctx.type = 'json'; ctx.body = `{"keys":[],"x":"${'x'.repeat(1 << 24)}"}`; },
  deep: (ctx) => { ctx.type = 'json'; ctx.body = `{"keys":[],"x":${deep(100_000)}}`; },
  text: (ctx) => { ctx.body = '<html>'; },
  'many-keys': (ctx) => { ctx.body = { keys: Array(1500).fill({ ...published, kid: undefined }) }; },
  'long-key': (ctx) => { ctx.body = { keys: [{ ...published, n: 'z'.repeat(700_000) }] }; },
  'other-subject': async (ctx, next) => { await next(); ctx.body = { ...ctx.body, sub: 'ada' }; },
};

provider.use(async (ctx, next) => {
  // /test/instead?path=…&what=…&to=…: answers the path otherwise from now on; without `what` as it should.
  if (ctx.path === '/test/instead') {
    const { path, what, to } = ctx.query;
    what ? instead.set(path, { what, to }) : instead.delete(path);
    ctx.status = 204;
    return;
  }
  const found = instead.get(ctx.path);
  if (found) {
    ctx.state.to = found.to;
    await answers[found.what](ctx, next);
    return;
  }
  // /test/groups?login=…&groups=…: an administrator of the provider at work.
  if (ctx.path === '/test/groups') {
    accounts.set(ctx.query.login, { ...accounts.get(ctx.query.login), groups: ctx.query.groups.split(',') });
    ctx.status = 204;
    return;
  }
  await next();
  if (ctx.path === '/jwks') {
    const { kty, n, e, kid } = forEncryption;
    ctx.body = { keys: [...ctx.body.keys, { kty, n, e, kid, use: 'enc' }] };
  }
  if (ctx.path === '/token' && ctx.body?.id_token) {
    const claims = decodeJwt(ctx.body.id_token);
    const forge = forgeries[claims.sub];
    if (forge) ctx.body = { ...ctx.body, id_token: await forge(claims) };
  }
});

createServer(provider.callback()).listen(Number(new URL(issuer).port), '127.0.0.1', () => console.log('ready'));
