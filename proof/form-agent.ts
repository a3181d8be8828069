import { CookieJar } from 'tough-cookie'
import {
  type Agent,
  type AuthorizeOptions,
  absolute,
  type ClaimPage,
  type ClaimRecipe,
  failedBy,
  type Landing,
  parseDestination,
  type UserAgentOptions,
} from '../src/browser/index.ts'
import { HttpFailure } from '../src/http/failures.ts'
import { Http } from '../src/http/http.ts'
import type { HttpRequest } from '../src/http/request.ts'
import { type HttpResponse, mediaTypeOf } from '../src/http/response.ts'

type Form = NonNullable<HttpRequest['form']>

/**
 * A user agent that submits the embedded provider's forms over HTTP, because a browser would double the processor time
 * of a case. Cases with `needsBrowser` use a browser.
 */
export class FormAgent implements Agent {
  readonly #http: Http
  readonly #hosts: readonly string[]
  readonly #cookies = new CookieJar()

  private constructor({ budget, recorder, hosts }: UserAgentOptions) {
    this.#http = new Http(budget, recorder)
    this.#hosts = hosts
  }

  static async open(options: UserAgentOptions): Promise<FormAgent> {
    return new FormAgent(options)
  }

  async authorize(url: URL, options: AuthorizeOptions): Promise<Landing> {
    try {
      return await this.#navigate(url, options)
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      return failedBy(error)
    }
  }

  claimPage(_recipe: ClaimRecipe, url: URL): ClaimPage {
    const read = async () => fieldsOf(await this.#request(url))
    return {
      read: async () => (await read()).givenName,
      write: async (valueAfter) => {
        const { token, givenName } = await read()
        const form = [
          ['token', token],
          ['given_name', valueAfter(givenName)],
        ] as const
        const saved = await this.#request(url, form)
        if (saved.status !== 303) throw new Error('a case whose account page saves nothing needs a browser')
        return givenName
      },
    }
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  async #navigate(start: URL, options: AuthorizeOptions): Promise<Landing> {
    let url = start
    let form: Form | undefined
    let interactive = false
    const submitted = new Set<FormPage['kind']>()
    let redirects: number[] = []
    for (;;) {
      const response = await this.#request(url, form)
      const { status } = response
      const location = response.header('location')
      if (location !== undefined && status >= 300 && status < 400) {
        const next = new URL(absolute(location, url.href))
        if (!this.#hosts.includes(next.host))
          return { kind: 'redirect', ...parseDestination(next.href), status, redirects, interactive }
        url = next
        form = undefined
        redirects.push(status)
        continue
      }
      const page = pageOf(response.text)
      if (page === undefined) return endPage(response, redirects)
      if (options.act === 'stop') return { kind: page.kind }
      if (submitted.has(page.kind) || (interactive && options.act === 'cancel'))
        throw new Error('a case in which a page is shown again needs a browser')
      submitted.add(page.kind)
      form = filledIn(page, options)
      redirects = []
      url = new URL(page.action, url)
      interactive = true
      if (options.act === 'cancel') options.onCancel?.(page.kind)
      options.onStep?.({
        did: 'press',
        what: 'submit',
        where: null,
        page: `${url.origin}${url.pathname}`,
        pageHasDigests: false,
      })
    }
  }

  /** A GET request, or a POST request with a form, with the cookies of this user agent. */
  async #request(url: URL, form?: Form): Promise<HttpResponse> {
    const cookie = await this.#cookies.getCookieString(url.href)
    const headers: [string, string][] = cookie === '' ? [] : [['Cookie', cookie]]
    const response = await this.#http.send(
      form
        ? { method: 'POST', url, headers, form, retry: 'after-429-or-503' }
        : { method: 'GET', url, headers, retry: 'safe' },
    )
    for (const set of [response.headers['set-cookie'] ?? []].flat())
      await this.#cookies.setCookie(set, url.href)
    return response
  }
}

/** A login or consent page of the embedded provider. */
interface FormPage {
  readonly kind: 'login-page' | 'consent-page'
  readonly action: string
  readonly html: string
}

function pageOf(html: string): FormPage | undefined {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1]
  if (action === undefined) return undefined
  return { kind: html.includes('value="allow"') ? 'consent-page' : 'login-page', action, html }
}

/** The fields of the account page. @throws if the response is another page */
function fieldsOf({ text }: HttpResponse): { readonly token: string; readonly givenName: string } {
  const [token, givenName] = ['token', 'given_name'].map(
    (name) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1],
  )
  if (token === undefined || givenName === undefined)
    throw new Error('a case without an account page needs a browser')
  return { token, givenName }
}

/** @throws if the page has fields that only a browser fills in */
function filledIn({ kind, html }: FormPage, { act, user }: AuthorizeOptions): Form {
  if (act === 'cancel') return [['action', 'cancel']]
  if (kind === 'consent-page') return [['action', 'allow']]
  if (!html.includes('name="username"') || !html.includes('name="password"') || !user)
    throw new Error('a case with other login pages needs a browser')
  return [
    ['username', user.name],
    ['password', user.password],
    ['action', 'login'],
  ]
}

function endPage(response: HttpResponse, redirects: readonly number[]): Landing {
  return {
    kind: 'page',
    status: response.status,
    mediaType: mediaTypeOf(response.header('content-type')),
    redirects,
    hasUnknownButtons: false,
    hasLinks: false,
    dynamic: response.text.includes('<script'),
  }
}
