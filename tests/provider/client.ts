import { createHash, randomBytes } from 'node:crypto'
import { fetch, type RequestInit, type Response } from 'undici'
import type { RunningProvider } from '../../provider/index.ts'

/** Input of the user. */
interface Act {
  username?: string
  password?: string
  /** One-time code. */
  code?: string
  cancel?: boolean
}

/** A user agent and client for tests of the provider: plain requests, a cookie jar, redirects followed by hand. */
export class TestClient {
  readonly running: RunningProvider
  readonly variables: Record<string, string>
  private readonly cookies: { name: string; value: string; path: string }[] = []

  constructor(running: RunningProvider) {
    this.running = running
    this.variables = running.variables
  }

  value(name: string): string {
    return this.variables[name] ?? ''
  }

  url(path: string): string {
    return `${this.running.issuer}${path}`
  }

  /** One request with the jar's cookies, without following redirects. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url, this.running.issuer)
    const cookie = this.cookies
      .filter(({ path }) => target.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const headers = new Headers(init.headers as HeadersInit)
    if (cookie) headers.set('cookie', cookie)
    const response = await fetch(target, {
      ...init,
      headers: Object.fromEntries(headers),
      redirect: 'manual',
    })
    for (const line of response.headers.getSetCookie()) this.keep(line, target.pathname)
    return response
  }

  private keep(line: string, requestPath: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? requestPath
    const index = this.cookies.findIndex((cookie) => cookie.name === name && cookie.path === path)
    if (index >= 0) this.cookies.splice(index, 1)
    if (value) this.cookies.push({ name, value, path })
  }

  form(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  }

  /** Parameters of a valid authorization request, and its code verifier. */
  authorizationRequest(overrides: Record<string, string | undefined> = {}) {
    const verifier = randomBytes(32).toString('base64url')
    const parameters = {
      response_type: 'code',
      client_id: this.value('CLIENT_ID'),
      redirect_uri: this.value('REDIRECT_URI'),
      scope: this.value('SCOPE'),
      state: randomBytes(8).toString('base64url'),
      nonce: randomBytes(8).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...overrides,
    }
    const given = Object.entries(parameters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    return { verifier, parameters: Object.fromEntries(given) as Record<string, string> }
  }

  /** Sends an authorization request, fills in the login and consent pages, and returns the last response. */
  async authorize(
    parameters: Record<string, string>,
    act: Act = {},
  ): Promise<{ landing: URL | undefined; response: Response; pages: string[] }> {
    const pages: string[] = []
    let response = await this.request(`/mga/sps/oauth/oauth20/authorize?${new URLSearchParams(parameters)}`)
    for (let hop = 0; hop < 15; hop++) {
      const location = response.headers.get('location')
      if (location) {
        const target = new URL(location, this.running.issuer)
        if (target.origin !== this.running.issuer) return { landing: target, response, pages }
        response = await this.request(target.href)
        continue
      }
      const html = await response.clone().text()
      const action = /action="([^"]+)"/.exec(html)?.[1]
      if (!action || pages.length > 4) return { landing: undefined, response, pages }
      pages.push(html)
      response = await this.form(action, this.fields(html, act))
    }
    return { landing: undefined, response, pages }
  }

  private fields(html: string, act: Act) {
    if (act.cancel) return { action: 'cancel' }
    if (/value="allow"/.test(html)) return { action: 'allow' }
    if (/one-time-code/.test(html)) return { code: act.code ?? '', action: 'login' }
    const username = act.username ?? this.value('TEST_USER')
    const password = act.password ?? this.value('TEST_PASSWORD')
    return /type="password"/.test(html)
      ? { username, password, action: 'login' }
      : { username, action: 'login' }
  }

  basic(id = this.value('CLIENT_ID'), secret = this.value('CLIENT_SECRET')): Record<string, string> {
    return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
  }

  token(fields: Record<string, string>, headers = this.basic()): Promise<Response> {
    return this.form('/mga/sps/oauth/oauth20/token', fields, headers)
  }

  /** A fresh code with the parameters of its exchange. */
  async code(overrides: Record<string, string | undefined> = {}) {
    const { verifier, parameters } = this.authorizationRequest(overrides)
    const { landing } = await this.authorize(parameters)
    const code = landing?.searchParams.get('code') ?? ''
    return {
      landing,
      parameters,
      exchange: {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: parameters.redirect_uri ?? '',
      },
    }
  }

  async login(): Promise<Record<string, unknown>> {
    const { exchange } = await this.code()
    return (await (await this.token(exchange)).json()) as Record<string, unknown>
  }

  search(query: Record<string, string>, headers = this.partner()): Promise<Response> {
    return this.request(`${this.running.partnerApiUrl}/events/search?${new URLSearchParams(query)}`, {
      headers,
    })
  }

  partner(): Record<string, string> {
    return {
      'x-client-id': this.value('PARTNER_CLIENT_ID'),
      'x-client-secret': this.value('PARTNER_CLIENT_SECRET'),
    }
  }
}

export function claimsOf(jwt: unknown): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString())
}
