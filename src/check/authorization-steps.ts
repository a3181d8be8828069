import type { Act, Landing as AnyLanding, AuthorizeOptions, Redirect, UserAgent } from '../browser/index.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { backoffMs } from '../http/retry-after.ts'
import {
  type AuthorizationRequest,
  authorizationRequest,
  type Changes,
} from '../oauth/authorization-request.ts'
import { randomValue } from '../oauth/pkce.ts'
import { alteredRedirectUris, disguisedRedirectUris, withAddedQuery } from '../oauth/redirect-uri.ts'
import { exchangeForm } from '../oauth/token-forms.ts'
import type { Application } from '../target/target.ts'
import type { CheckExecution } from './execution.ts'
import { isRefusedLanding, type Landing } from './landing.ts'
import { requireTargetToBlame } from './refused-by-configuration.ts'
import type { RunContext } from './run-context.ts'
import { retryOnce, transientErrorOf, Unfinished } from './transient.ts'
import { unrecognised } from './unrecognised-page.ts'
import { inUnusedWindow, openAgent } from './user-agent.ts'
import { Inconclusive } from './verdict.ts'

/** Where an authorization request ended, with the request. */
export interface Authorization {
  readonly request: AuthorizationRequest
  readonly landing: Landing
}

/** The first authorization of a run. */
interface FirstAuthorization extends Authorization {
  readonly agent: UserAgent
  /** Milliseconds since the epoch. */
  readonly landedAt: number
  /** Something was typed or pressed. */
  readonly interactive: boolean
  /** Where it was refused: what shows that the configuration is not the reason. */
  readonly evidence: string | undefined
}

/** An authorization code that has not been exchanged yet. */
export interface Code {
  readonly code: string
  readonly request: AuthorizationRequest
  readonly agent: UserAgent
}

/**
 * The user of an authorization request: signed in, in the shared window, or without a session, in a window of its own;
 * and what the user does with pages: answers them, leaves them alone, or cancels.
 */
const users = {
  'signed-in': { session: 'shared', act: 'sign-in' },
  passive: { session: 'shared', act: 'stop' },
  denying: { session: 'shared', act: 'cancel' },
  'new-login': { session: 'own', act: 'sign-in' },
  anonymous: { session: 'own', act: 'stop' },
  cancelling: { session: 'own', act: 'cancel' },
} as const

export type User = keyof typeof users

const secondLogin = 'second login'

/** A code older than this may have expired, as codes are made to be exchanged at once (RFC 6749, 4.1.2), in milliseconds. */
const freshMs = 20_000

/** Steps with the authorization endpoint, in a browser. */
export class AuthorizationSteps {
  readonly #run: RunContext
  readonly #execution: CheckExecution

  constructor(run: RunContext, execution: CheckExecution) {
    this.#run = run
    this.#execution = execution
  }

  /**
   * The first complete authorization of the run: one typed login, shared.
   * @throws {Inconclusive} where it was refused for a reason that may lie in the configuration
   */
  first(): Promise<FirstAuthorization> {
    return this.#run.shared('first authorization', async () => {
      const { journeySteps, target } = this.#run
      const first = await retryOnce(this.#run.budget, async () => {
        const agent = await openAgent(this.#run, (close) => this.#run.onClose(close))
        const request = authorizationRequest(target)
        const steps = journeySteps.length
        const landing = await this.#land(agent, request, 'sign-in', 'to the end')
        return { agent, request, landing, interactive: journeySteps.length > steps }
      })
      if (codeIn(first.landing)) this.#run.controlWorked('authorization')
      const landedAt = Date.now()
      const evidence = await requireTargetToBlame(first, target, this.#probes(first.agent))
      return { ...first, landedAt, evidence }
    })
  }

  /** Requests that tell who is to blame where the first one was refused. */
  #probes(first: UserAgent): Parameters<typeof requireTargetToBlame>[2] {
    const { provider, target } = this.#run
    return {
      authorize: async (changes, window) => {
        const agent =
          window === 'same' ? first : await openAgent(this.#run, (close) => this.#execution.onClose(close))
        return this.#land(agent, authorizationRequest(target, changes), 'stop').catch(() => undefined)
      },
      exchange: async () => {
        if (!target.allowedEffects.includes('bad-credentials')) return undefined
        const exchange = provider.token(exchangeForm(randomValue(), authorizationRequest(target)))
        return (await exchange.catch(() => undefined))?.object?.error
      },
    }
  }

  /**
   * Where a changed authorization request ends. In the shared session, the valid one returned a code within the last minute.
   * @param documented how a request differs that the specification has refused; follows the word "request"
   */
  async authorize(
    user: User,
    changes: Changes = {},
    application: Application = this.#run.target.application,
    documented?: string,
  ): Promise<Authorization> {
    const request = authorizationRequest(this.#run.target, changes, application)
    const { session, act } = users[user]
    const exchanges: Exchange[] = []
    const journey = (agent: UserAgent) =>
      this.#run.recorder.during(
        () => this.#land(agent, request, act, act === 'cancel' ? 'to the end' : 'anywhere'),
        exchanges,
      )
    let landing: Landing
    if (session === 'shared') {
      const agent = await this.#signedInAgent()
      if (this.#run.controlIsStale('authorization')) await this.code()
      landing = await journey(agent)
    } else landing = await inUnusedWindow(this.#run, this.#execution, journey)
    // Without a known application and its redirect URI, an error need not be sent anywhere.
    const isOfApplication = changes.client_id === undefined && changes.redirect_uri === undefined
    if (isOfApplication && isRefusedLanding(landing)) {
      const difference = documented ?? differenceOf(changes)
      this.#run.refusals.push({
        difference,
        documented: documented !== undefined,
        request,
        landing,
        exchanges,
      })
    }
    return { request, landing }
  }

  /** Where the unchanged request ends in the shared session, once more and without any interaction. */
  repeated(): Promise<Authorization> {
    return this.#run.shared('repeated authorization', () => this.authorize('passive'))
  }

  /**
   * Where a valid request ends whose redirect URI is altered in one part; sent once a run for each part.
   * @param part as `alteredRedirectUris` and `disguisedRedirectUris` name it, or `query`
   * @returns undefined where the registered redirect URI has no such part
   */
  async withAlteredRedirectUri(part: string): Promise<Authorization | undefined> {
    const { redirectUri } = this.#run.target.application
    const uris = new Map([
      ...alteredRedirectUris(redirectUri),
      ...disguisedRedirectUris(redirectUri),
      ['query', withAddedQuery(redirectUri)] as const,
    ])
    const uri = uris.get(part)
    if (uri === undefined) return undefined
    return this.#run.shared(`redirect URI with another ${part}`, () =>
      this.authorize('signed-in', { redirect_uri: uri }),
    )
  }

  /** Whether the user had to do something for the first code of the run. */
  async interacts(): Promise<boolean> {
    return (await this.first()).interactive
  }

  /** A fresh code in the shared session, for the application or another one. */
  async code(application: Application = this.#run.target.application, changes: Changes = {}): Promise<Code> {
    const agent = await this.#signedInAgent()
    return this.#codeFrom(agent, authorizationRequest(this.#run.target, changes, application))
  }

  /**
   * A fresh code of a second typed login, for checks that may end a session or its tokens: those of the first login,
   * which all other checks share, stay valid.
   */
  async ownLogin(): Promise<Code> {
    await this.firstCode()
    const attempt = async () => {
      const agent = await this.#run.shared(secondLogin, () =>
        openAgent(this.#run, (close) => this.#run.onClose(close)),
      )
      return this.#codeFrom(agent, authorizationRequest(this.#run.target))
    }
    return retryOnce(this.#run.budget, attempt, () => {
      this.#run.forget(secondLogin)
      return attempt()
    })
  }

  /** The code of the shared login. @throws {Inconclusive} where the flow returned none */
  async firstCode(): Promise<Code> {
    const { request, landing, agent } = await this.first()
    return { code: this.#codeOf(landing), request, agent }
  }

  /** The code of the shared login, or another one in its session where that may have expired. */
  async freshCode(): Promise<Code> {
    const { landedAt } = await this.first()
    return Date.now() - landedAt < freshMs ? this.firstCode() : this.code()
  }

  /**
   * @param expected `to the end` for a journey that must return to the application: a page with buttons that Plumbline
   * does not recognise then needs a login recipe. Elsewhere it may be a refusal.
   */
  async #land(
    agent: UserAgent,
    request: AuthorizationRequest,
    act: Act,
    expected: 'to the end' | 'anywhere' = 'anywhere',
  ): Promise<Landing> {
    const { user } = this.#run.target
    this.#run.vault.add(request.state, request.nonce, request.verifier)
    const landing = await this.#journey(agent, request.url, {
      redirectUri: request.redirectUri,
      act,
      patient: expected === 'to the end',
      onStep: (step) => this.#run.journeySteps.push(step),
      ...(user && { user }),
      ...(this.#run.onStuck && { onStuck: this.#run.onStuck }),
    })
    if (landing.kind === 'failed') throw new Unfinished(landing)
    if (expected === 'to the end' && landing.kind === 'page' && landing.asks && landing.status < 400)
      throw unrecognised(landing)
    if (landing.kind === 'redirect') this.#learnFrom(landing)
    return landing
  }

  /**
   * An authorization request, retried once where the answer is an error that asks to try again later.
   * @throws {Inconclusive} where the second answer is such an error, too
   */
  async #journey(agent: UserAgent, url: URL, options: AuthorizeOptions): Promise<AnyLanding> {
    const first = await agent.authorize(url, options)
    if (transientErrorOf(first) === undefined) return first
    this.#run.budget.pauseFor(backoffMs(0))
    const second = await agent.authorize(url, options)
    const error = transientErrorOf(second)
    if (error === undefined) return second
    throw new Inconclusive(`the authorization endpoint answered error=${error}, which is transient, twice`)
  }

  async #signedInAgent(): Promise<UserAgent> {
    return (await this.firstCode()).agent
  }

  async #codeFrom(agent: UserAgent, request: AuthorizationRequest): Promise<Code> {
    const landing = await this.#land(agent, request, 'sign-in', 'to the end')
    const code = this.#codeOf(landing)
    this.#run.controlWorked('authorization')
    return { code, request, agent }
  }

  #codeOf(landing: Landing): string {
    const code = codeIn(landing)
    if (code) return code
    throw new Inconclusive('the valid request returned no authorization code', {
      dependsOn: ['AUTHZ-CODE-FLOW'],
    })
  }

  /** Remembers codes, tokens and state of a redirect as secrets, in whichever part it carries them. */
  #learnFrom({ query, fragment, form }: Redirect): void {
    for (const name of ['code', 'access_token', 'id_token', 'refresh_token', 'state']) {
      for (const part of [query, fragment, form]) this.#run.vault.add(...(part?.getAll(name) ?? []))
    }
  }
}

/** How a request with changes differs from the valid one. */
function differenceOf(changes: Changes): string {
  const differences = Object.entries(changes).map(([name, value]) =>
    value === null ? `without ${name}` : `with another ${name}`,
  )
  return differences.join(' and ') || 'without changes'
}

/** The code where it has to be: in the query of a redirect. */
function codeIn(landing: Landing): string | undefined {
  return (landing.kind === 'redirect' && landing.query.get('code')) || undefined
}
