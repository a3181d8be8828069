import { chromium } from 'playwright'
import { request } from 'undici'
import type { RunningProvider } from '../provider/index.ts'
import { findChromium } from '../src/browser/find-chromium.mjs'
import { codeChallenge, codeVerifier } from '../src/oauth/pkce.ts'

/**
 * The lower bound of a run: the same numbers of sequential requests with undici and of logins with Playwright, without
 * pacer, evidence and verdicts.
 * @returns wall time in milliseconds
 */
export async function floor(provider: RunningProvider, requests: number, logins: number): Promise<number> {
  const { variables } = provider
  const started = performance.now()
  const search = `${provider.partnerApiUrl}/events/search?from=2026-01-01T00:00:00&to=2026-01-01T01:00:00`
  const headers = {
    'X-Client-Id': variables.PARTNER_CLIENT_ID ?? '',
    'X-Client-Secret': variables.PARTNER_CLIENT_SECRET ?? '',
  }
  for (let sent = 0; sent < requests; sent += 1) {
    await (await request(search, { headers })).body.dump()
  }
  const executablePath = findChromium(process.env)?.path
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-gpu',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
  try {
    for (let done = 0; done < logins; done += 1) {
      const context = await browser.newContext()
      const page = await context.newPage()
      const redirectUri = variables.REDIRECT_URI ?? ''
      const landed = page.waitForRequest((candidate) => candidate.url().startsWith(redirectUri))
      await page.goto(authorizationUrl(variables))
      await page
        .locator('input[type=text], input[name*=user], input[type=email]')
        .first()
        .fill(variables.TEST_USER ?? '')
      await page.locator('input[type=password]').fill(variables.TEST_PASSWORD ?? '')
      await page.locator('input[type=password]').press('Enter')
      const consent = page.getByRole('button', { name: /allow/i })
      await Promise.race([landed, consent.click().catch(() => undefined)])
      await landed
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return performance.now() - started
}

function authorizationUrl(variables: Record<string, string>): string {
  const url = new URL(`${variables.IDP_BASE_URL}/mga/sps/oauth/oauth20/authorize`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: variables.CLIENT_ID ?? '',
    redirect_uri: variables.REDIRECT_URI ?? '',
    scope: 'openid',
    state: codeVerifier(),
    nonce: codeVerifier(),
    code_challenge: codeChallenge(codeVerifier()),
    code_challenge_method: 'S256',
  }).toString()
  return url.href
}
