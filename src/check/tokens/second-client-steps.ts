import { randomBytes } from 'node:crypto'
import type { HttpResponse } from '../../http/response.ts'
import { applicationOf } from '../../target/parts.ts'
import type { Application } from '../../target/target.ts'
import type { AuthorizationSteps } from '../authorization/authorization-steps.ts'
import { codeOf } from '../authorization/landing-content.ts'
import type { ResourceSteps } from '../resource-steps.ts'
import { RunSteps } from '../run-steps.ts'
import { isFresh } from '../valid-requests.ts'
import { NotApplicable } from '../verdict.ts'
import { exchangesOfOneCode } from './exchanges-of-one-code.ts'
import type { Tokens } from './issued-tokens.ts'
import type { TokenSteps } from './token-steps.ts'

/** The flaw of a code exchange: the verifier of another request, or the secret of the first application. */
type FlawOfSecond = 'verifier' | 'secret'

interface Steps {
  readonly authorization: AuthorizationSteps
  readonly tokens: TokenSteps
  readonly resources: ResourceSteps
}

/** Requests of the second application for the shared user. Each is sent once per run. */
export class SecondClientSteps extends RunSteps<Steps> {
  /** The tokens of the shared user at the second application. @throws {NotApplicable} without a second application */
  tokens(): Promise<Tokens> {
    return this.run.once(this.tokens, () => this.#newTokens())
  }

  /** Requires that a valid request of the second application returned a code within the last minute. */
  async control(): Promise<void> {
    await this.tokens()
    if (this.run.controls.isStale('authorization of the second application'))
      await this.steps.authorization.code(this.#application)
  }

  async #newTokens(): Promise<Tokens> {
    return this.steps.tokens.tokensFor(await this.steps.authorization.code(this.#application))
  }

  get #application(): Application {
    const { secondApplication } = this.run.target
    if (secondApplication) return secondApplication
    throw new NotApplicable('there is no second application')
  }

  /**
   * The response to a code exchange of the second application that is valid except for a flaw. Exchanges with different
   * flaws share one code. The valid exchange of that code follows, and is the first valid one of the application.
   */
  async invalidExchange(flaw: FlawOfSecond): Promise<HttpResponse> {
    const response = (await this.#invalidExchanges()).get(flaw)
    if (response) return response
    throw new Error(`a check sends a wrong ${flaw} without declaring the effect credential-probes`)
  }

  #invalidExchanges(): Promise<ReadonlyMap<FlawOfSecond, HttpResponse>> {
    return this.run.once(this.#invalidExchanges, async () => {
      const { authorization, tokens } = this.steps
      await tokens.control()
      const { request } = await authorization.firstCode()
      const wrongSecret = this.#withOtherSecret()
      const mayProbe = this.run.target.allowedEffects.includes('credential-probes')
      const first = await authorization.code(this.#application)
      const { responses, accepted } = await exchangesOfOneCode<FlawOfSecond>(first, {
        flaws: mayProbe ? ['verifier', 'secret'] : ['verifier'],
        newCode: () => authorization.code(this.#application),
        send: (code, flaw) =>
          flaw === 'verifier'
            ? tokens.sendCodeExchange(code, { code_verifier: request.verifier })
            : tokens.sendCodeExchange(code, {}, wrongSecret),
        sendValid: (code) => tokens.sendCodeExchange(code),
      })
      if (accepted)
        await this.run.once(this.tokens, async () => tokens.tokensIn(accepted.response, accepted.request))
      return responses
    })
  }

  /**
   * The second application with the secret of the first, to detect a target that accepts the secret of any application.
   * If both applications have the same secret, it is replaced by a random one.
   */
  #withOtherSecret(): Application {
    const { secret } = applicationOf(this.run.target)
    const isOther = secret !== this.#application.secret
    return { ...this.#application, secret: isOther ? secret : randomBytes(24).toString('hex') }
  }

  /**
   * The response to the second exchange of a code of the second application. The code is the shared one or, if that may
   * have expired, a new one.
   * @throws {Inconclusive} if the first exchange is refused
   */
  codeReplay(): Promise<HttpResponse> {
    return this.run.once(this.codeReplay, async () => {
      const shared = await this.tokens()
      const { response, request } = isFresh(shared.receivedAt) ? shared : await this.#newTokens()
      this.run.recorder.useAsEvidence([response.exchange])
      const redirect = this.run.authorizationLog.redirects.find((received) => received.request === request)
      const code = (redirect && codeOf(redirect.landing)) ?? ''
      return this.steps.tokens.sendCodeExchange({ code, request })
    })
  }

  /**
   * The response of UserInfo to the access token of the second application or, after a 401, to a new one. As the
   * control, UserInfo must accept the access token of the first application.
   */
  async userinfo(): Promise<HttpResponse> {
    const { resources } = this.steps
    await resources.userinfoControl()
    const response = await resources.userinfoWithValid((await this.tokens()).accessToken)
    return response.status === 401
      ? resources.userinfoWithValid((await this.#newTokens()).accessToken)
      : response
  }
}
