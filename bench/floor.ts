import { type Browser, type BrowserContext, chromium } from 'playwright'
import { request } from 'undici'
import { findChromium } from '../src/browser/find-chromium.mjs'
import type { Exchange } from '../src/evidence/exchange.ts'
import { codeChallenge, codeVerifier } from '../src/oauth/pkce.ts'

type Variables = Readonly<Record<string, string>>

const oauth = '/mga/sps/oauth/oauth20'

/**
 * Measures the lower bound for the duration of a run: the same number of requests and logins of each kind, one after
 * another, with undici and Playwright alone, without pacing, evidence and verdicts. The time includes the start of a
 * browser. Searches stand for requests of other kinds, and code exchanges for token refreshes.
 * @param variables the variables of the embedded provider
 * @param exchanges the exchanges of the run
 * @returns wall time in milliseconds
 */
export async function floor(
  variables: Variables,
  exchanges: readonly Exchange[],
  logins: number,
): Promise<number> {
  const countTo = (path: string) => exchanges.filter(({ request: { url } }) => url.includes(path)).length
  const authorizations = exchanges.filter(({ request: { url } }) =>
    url.includes(`${oauth}/authorize?`),
  ).length
  const [exchanged, userinfo] = [countTo(`${oauth}/token`), countTo(`${oauth}/userinfo`)]
  const others = exchanges.filter(({ by }) => by === 'http').length - exchanged - userinfo
  const started = performance.now()
  const browser = await bareBrowser()
  try {
    for (let done = 1; done < logins; done += 1) {
      const context = await browser.newContext()
      await signIn(context, variables)
      await context.close()
    }
    const context = await browser.newContext()
    await signIn(context, variables)
    let accessToken = ''
    for (let sent = 0; sent < Math.max(authorizations - logins, exchanged); sent += 1) {
      const { code, verifier } = await authorize(context, variables)
      if (sent < exchanged) accessToken = await exchange(variables, code, verifier)
    }
    const bearer = { Authorization: `Bearer ${accessToken}` }
    for (let sent = 0; sent < userinfo; sent += 1)
      await get(`${variables.IDP_BASE_URL}${oauth}/userinfo`, bearer)
    for (let sent = 0; sent < others; sent += 1) await search(variables)
  } finally {
    await browser.close()
  }
  return performance.now() - started
}

function bareBrowser(): Promise<Browser> {
  const executablePath = findChromium(process.env)?.path
  return chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-gpu',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
}

/** Signs in with the typed password, and consents. */
async function signIn(context: BrowserContext, variables: Variables): Promise<void> {
  const page = await context.newPage()
  const landed = page.waitForRequest((candidate) => candidate.url().startsWith(variables.REDIRECT_URI ?? ''))
  await page.goto(authorizationUrl(variables, codeVerifier()))
  await page
    .locator('input[type=text], input[name*=user], input[type=email]')
    .first()
    .fill(variables.TEST_USER ?? '')
  await page.locator('input[type=password]').fill(variables.TEST_PASSWORD ?? '')
  await page.locator('input[type=password]').press('Enter')
  const consent = page.getByRole('button', { name: /allow/i })
  await Promise.race([landed, consent.click().catch(() => undefined)])
  await landed
}

/** Sends an authorization request of the signed-in user, whose response needs no page. */
async function authorize(
  { request: client }: BrowserContext,
  variables: Variables,
): Promise<{ code: string; verifier: string }> {
  const verifier = codeVerifier()
  const response = await client.get(authorizationUrl(variables, verifier), { maxRedirects: 0 })
  const location = new URL(response.headers().location ?? '')
  return { code: location.searchParams.get('code') ?? '', verifier }
}

async function exchange(variables: Variables, code: string, verifier: string): Promise<string> {
  const credentials = `${variables.CLIENT_ID}:${variables.CLIENT_SECRET}`
  const { body } = await request(`${variables.IDP_BASE_URL}${oauth}/token`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: variables.REDIRECT_URI ?? '',
    }).toString(),
  })
  const { access_token: accessToken } = (await body.json()) as { access_token: string }
  return accessToken
}

function search(variables: Variables): Promise<void> {
  return get(`${variables.PARTNER_API_URL}/events/search?from=2026-01-01T00:00:00&to=2026-01-01T01:00:00`, {
    'X-Client-Id': variables.PARTNER_CLIENT_ID ?? '',
    'X-Client-Secret': variables.PARTNER_CLIENT_SECRET ?? '',
  })
}

async function get(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const { body } = await request(url, { headers })
  await body.dump()
}

function authorizationUrl(variables: Variables, verifier: string): string {
  const url = new URL(`${variables.IDP_BASE_URL}${oauth}/authorize`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: variables.CLIENT_ID ?? '',
    redirect_uri: variables.REDIRECT_URI ?? '',
    scope: 'openid',
    state: codeVerifier(),
    nonce: codeVerifier(),
    code_challenge: codeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  return url.href
}
