// A provider of identities for the tests of sign-in: oidc-provider (certified for OpenID Connect), with the accounts below. Some of
// them make it misbehave after it has signed its token, as a forger would.
//
// node provider.mjs ISSUER CALLBACK [--public] [--thin]
//   --public  the client has no secret
//   --thin    claims are at the UserInfo endpoint alone, as OpenID Connect Core 1.0 section 5.4 has it
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { SignJWT, UnsecuredJWT, decodeJwt, exportJWK, generateKeyPair, importJWK } from 'jose';

const [issuer, callback, ...flags] = process.argv.slice(2);
const secret = 'the secret of the client, long enough to sign with';

const accounts = new Map([
  ['ada', { name: 'Ada <b>Lovelace</b>', preferred_username: 'ada.lovelace', groups: ['staff', 'editors'] }],
  ['bob', { name: 'Bob', groups: ['visitors'] }],
  ['carl', { name: 'Carl' }],
]);

/** A key that is new each time the provider starts. */
async function newKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...await exportJWK(privateKey), kid: randomUUID(), alg: 'RS256', use: 'sig' };
}

const key = await newKey();
const other = await newKey();

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

provider.use(async (ctx, next) => {
  // /test/groups?login=…&groups=…: an administrator of the provider at work.
  if (ctx.path === '/test/groups') {
    accounts.set(ctx.query.login, { ...accounts.get(ctx.query.login), groups: ctx.query.groups.split(',') });
    ctx.status = 204;
    return;
  }
  await next();
  if (ctx.path === '/token' && ctx.body?.id_token) {
    const claims = decodeJwt(ctx.body.id_token);
    const forge = forgeries[claims.sub];
    if (forge) ctx.body = { ...ctx.body, id_token: await forge(claims) };
  }
});

createServer(provider.callback()).listen(Number(new URL(issuer).port), '127.0.0.1', () => console.log('ready'));
