import type { Agent } from '../../browser/index.ts'
import type { Exchange } from '../../evidence/exchange.ts'
import {
  type AuthorizationRequest,
  authorizationRequest,
  type Changes,
} from '../../oauth/authorization-request.ts'
import { longCodeVerifier } from '../../oauth/pkce.ts'
import { alteredRedirectUri, type UriAlteration } from '../../oauth/redirect-uri.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Application } from '../../target/target.ts'
import type { CheckExecution } from '../execution.ts'
import { unlessUndecided } from '../obstacle.ts'
import { retryAfterFailure } from '../retry-after-failure.ts'
import { RunSteps } from '../run-steps.ts'
import { isFresh } from '../valid-requests.ts'
import { Inconclusive } from '../verdict.ts'
import { diagnosticRequests } from './diagnostic-requests.ts'
import { type CompletedLanding, codeInQuery, codeOf, isRefusedLanding } from './landing-content.ts'
import { withShorterState } from './long-state.ts'
import { codeForLongValues } from './long-values.ts'
import { refusedSecond, ruleOutConfiguration } from './refused-by-configuration.ts'
import { inUnusedWindow, openAgent, requireNotBlocked, sendAuthorization } from './send-authorization.ts'
import { differenceOf, keepRequestValid, type UnusualRequest, unusualRequests } from './unusual-requests.ts'
import { type UserBehaviour, userBehaviours } from './user-behaviour.ts'

export interface Authorization {
  readonly request: AuthorizationRequest
  readonly landing: CompletedLanding
}

interface FirstAuthorization extends Authorization {
  readonly agent: Agent
  /** Milliseconds since the epoch. */
  readonly landedAt: number
  /** Whether the user typed or pressed something. */
  readonly interactive: boolean
  /** If the request was refused: the evidence that the configuration is not the reason. */
  readonly evidence: string | undefined
}

/** An authorization code that has not been exchanged yet. */
export interface Code {
  readonly code: string
  readonly request: AuthorizationRequest
  readonly agent: Agent
}

/** Alterations of the redirect URI to send without a session. Similar alterations are sent in the shared session. */
const withoutSession: ReadonlySet<UriAlteration> = new Set(['host below it', 'dot segment'])

/** Steps with the authorization endpoint, in a browser. */
export class AuthorizationSteps extends RunSteps<{ readonly execution: CheckExecution }> {
  /**
   * The first complete authorization of the run, with the typed login that other checks share.
   * @throws {Inconclusive} if the target refused the request, and the configuration may be the reason
   */
  first(): Promise<FirstAuthorization> {
    return this.run.once(this.first, async () => {
      const { browser, target } = this.run
      const send = async () => {
        const agent = await openAgent(this.run)
        const request = authorizationRequest(target)
        const steps = browser.steps.length
        const landing = await sendAuthorization(this.run, agent, request, 'sign-in', { mustReturn: true })
        return { agent, request, landing, interactive: browser.steps.length > steps }
      }
      const sendUnblocked = async () => {
        const sent = await send()
        // After a typed password, a 403 may refuse the password, and a retry would type it again.
        if (!sent.interactive) requireNotBlocked(sent.landing)
        return sent
      }
      const first = await retryAfterFailure(this.run.budget, sendUnblocked, send)
      if (codeInQuery(first.landing)) this.run.controls.worked('authorization')
      const landedAt = Date.now()
      const evidence = await ruleOutConfiguration(first, target, this.#diagnosticRequests(first.agent))
      return { ...first, landedAt, evidence }
    })
  }

  /**
   * Finds out why a valid request without a session was refused.
   * @returns the evidence that the configuration is not the reason; undefined if the request was not refused
   * @throws {Inconclusive} if the configuration may be the reason
   */
  diagnoseRefusal(landing: CompletedLanding): Promise<string | undefined> {
    return ruleOutConfiguration({ landing, interactive: false }, this.run.target, this.#diagnosticRequests())
  }

  /** @param first user agent of the refused request, if it can be used again */
  #diagnosticRequests(first?: Agent) {
    return diagnosticRequests(this.run, this.steps.execution, first)
  }

  /**
   * The landing of a changed authorization request.
   * @param forbiddenDifference why the specification requires a refusal; completes "a request …"
   */
  async authorize(
    user: UserBehaviour,
    changes: Changes = {},
    application: Application = applicationOf(this.run.target),
    forbiddenDifference?: string,
  ): Promise<Authorization> {
    const request = authorizationRequest(this.run.target, changes, application)
    const { session, act } = userBehaviours[user]
    if (act !== 'cancel' && keepRequestValid(changes)) this.run.validRequests.authorizations.add(request)
    const exchanges: Exchange[] = []
    const journey = (agent: Agent) =>
      this.run.recorder.collectInto(exchanges, () =>
        sendAuthorization(this.run, agent, request, act, { mustReturn: act === 'cancel' }),
      )
    const landing =
      session === 'shared'
        ? await journey(await this.#recentlyAcceptedAgent())
        : await inUnusedWindow(this.run, this.steps.execution, journey)
    const shorter = withShorterState(landing, changes)
    if (shorter && !this.run.browser.cancelledAt.has(request))
      return this.authorize(user, shorter, application, forbiddenDifference)
    // An error must be redirected only if client_id and redirect_uri are those of the application.
    const isOfApplication = changes.client_id === undefined && changes.redirect_uri === undefined
    if (isOfApplication && isRefusedLanding(landing))
      this.run.authorizationLog.refusals.push({
        difference: forbiddenDifference ?? differenceOf(changes),
        isRequired: forbiddenDifference !== undefined,
        request,
        landing,
        exchanges,
      })
    return { request, landing }
  }

  /** The user agent of the shared session, with which a valid request returned a code within the last minute. */
  async #recentlyAcceptedAgent(): Promise<Agent> {
    const agent = await this.#signedInAgent()
    if (this.run.controls.isStale('authorization')) await this.code()
    return agent
  }

  /**
   * Like `authorize`, but without a session. If the target shows a login page before it refuses a request, later calls
   * use the shared session, so that they cost no logins.
   */
  async authorizeWithoutSession(changes: Changes, forbiddenDifference?: string): Promise<Authorization> {
    const { browser, target } = this.run
    const send = (user: UserBehaviour) =>
      this.authorize(user, changes, applicationOf(target), forbiddenDifference)
    if (this.run.authorizationLog.refusesAfterLogin) return send('signed-in')
    const { length } = browser.steps
    try {
      return await send('new-login')
    } catch (error) {
      if (!(error instanceof Inconclusive)) throw error
      return send('signed-in')
    } finally {
      this.run.authorizationLog.refusesAfterLogin = browser.steps.length > length
    }
  }

  /** The landing of another valid request in the shared session. The user types and presses nothing. */
  repeated(): Promise<Authorization> {
    return this.unusual('a long nonce')
  }

  /**
   * The landing of a valid request with an unusual value. Each such request is sent once per run. If the target refuses
   * a request of the user `signed-in`, a second attempt shows whether the value is the reason. AUTHZ-CODE-FLOW judges
   * refusals that do not recur.
   */
  unusual(difference: UnusualRequest): Promise<Authorization> {
    const { user, changes } = unusualRequests[difference]
    const send = () => this.authorize(user, changes(this.run.target))
    return this.run.once([this.unusual, difference], async () => {
      const first = await send()
      if (user !== 'signed-in' || !isRefusedLanding(first.landing)) return first
      const second = await send()
      return codeOf(second.landing) === undefined ? first : second
    })
  }

  /**
   * A code that only the caller exchanges. To save an authorization, the first call sends the unusual request and
   * returns its code. Later calls send another request, with `changes`.
   */
  async codeOfUnusualRequest(difference: UnusualRequest, changes: Changes = {}): Promise<Code> {
    const agent = await this.#signedInAgent()
    const { length } = this.run.authorizationLog.redirects
    const sent = await unlessUndecided(this.unusual(difference))
    const code = sent && codeInQuery(sent.landing)
    const isNew = this.run.authorizationLog.redirects
      .slice(length)
      .some(({ landing }) => landing === sent?.landing)
    return sent && code && isNew ? { code, request: sent.request, agent } : this.code(undefined, changes)
  }

  /**
   * The landing of a request that is valid except for its altered redirect URI. Sent once per run for each alteration.
   * @returns undefined if the registered redirect URI has no such part; otherwise `how` describes the alteration, as a
   * phrase that follows "redirect URI"
   */
  async withAlteredRedirectUri(
    alteration: UriAlteration,
  ): Promise<(Authorization & { readonly how: string }) | undefined> {
    const altered = alteredRedirectUri(applicationOf(this.run.target).redirectUri, alteration)
    if (!altered) return undefined
    const { uri, how } = altered
    const changes = { redirect_uri: uri }
    const sent = await this.run.once([this.withAlteredRedirectUri, alteration], () =>
      withoutSession.has(alteration)
        ? this.authorizeWithoutSession(changes)
        : this.authorize('signed-in', changes),
    )
    return { ...sent, how }
  }

  /** A fresh code in the shared session, for the application or another one. */
  async code(
    application: Application = applicationOf(this.run.target),
    changes: Changes = {},
  ): Promise<Code> {
    const agent = await this.#signedInAgent()
    return this.#isOfSecond(application)
      ? this.#codeForLongValues(agent, application, changes)
      : this.#codeFrom(agent, authorizationRequest(this.run.target, changes, application))
  }

  /**
   * A fresh code of a second typed login, for checks that may invalidate a session or its tokens. The session and
   * tokens of the first login, which all other checks share, stay valid.
   */
  async codeOfSecondLogin(): Promise<Code> {
    await this.firstCode()
    const attempt = async () => {
      const agent = await this.run.once(this.codeOfSecondLogin, () => openAgent(this.run))
      return this.#codeForLongValues(agent, applicationOf(this.run.target), {}, longCodeVerifier())
    }
    return retryAfterFailure(this.run.budget, attempt, () => {
      this.run.forget(this.codeOfSecondLogin)
      return attempt()
    })
  }

  /** The code of the shared login. @throws {Inconclusive} if the flow returned none */
  async firstCode(): Promise<Code> {
    const { request, landing, agent } = await this.first()
    return { code: this.#requireCode(landing), request, agent }
  }

  /** The code of the shared login or, if it may have expired, another code of the same session. */
  async freshCode(): Promise<Code> {
    const { landedAt } = await this.first()
    return isFresh(landedAt) ? this.firstCode() : this.code()
  }

  async #signedInAgent(): Promise<Agent> {
    return (await this.firstCode()).agent
  }

  async #codeFrom(agent: Agent, request: AuthorizationRequest): Promise<Code> {
    this.run.validRequests.authorizations.add(request)
    const landing = await sendAuthorization(this.run, agent, request, 'sign-in', { mustReturn: true })
    if (this.#isOfSecond(request.application) && isRefusedLanding(landing)) throw refusedSecond(landing)
    return this.#received(this.#requireCode(landing), request, agent)
  }

  /** A code for a request with long values or, if the target returns none, for the same request without them. */
  async #codeForLongValues(
    agent: Agent,
    application: Application,
    changes: Changes,
    verifier?: string,
  ): Promise<Code> {
    const received = await codeForLongValues(this.run, agent, { application, changes, verifier })
    return received
      ? this.#received(received.code, received.request, agent)
      : this.#codeFrom(agent, authorizationRequest(this.run.target, changes, application))
  }

  #received(code: string, request: AuthorizationRequest, agent: Agent): Code {
    const isOfSecond = this.#isOfSecond(request.application)
    this.run.controls.worked(isOfSecond ? 'authorization of the second application' : 'authorization')
    return { code, request, agent }
  }

  #isOfSecond({ id }: Application): boolean {
    return id !== applicationOf(this.run.target).id
  }

  #requireCode(landing: CompletedLanding): string {
    const code = codeInQuery(landing)
    if (code) return code
    // AUTHZ-RESPONSE-QUERY judges a code in another place.
    const elsewhere = codeOf(landing) === undefined ? [] : (['AUTHZ-RESPONSE-QUERY'] as const)
    throw new Inconclusive('the valid request returned no authorization code in the query', [
      'AUTHZ-CODE-FLOW',
      ...elsewhere,
    ])
  }
}
