import { randomBytes } from 'node:crypto'
import type { HttpResponse } from '../http/response.ts'
import { issuedAccessToken } from '../oauth/token-keeper.ts'
import { applicationOf } from '../target/parts.ts'
import type { Application } from '../target/target.ts'
import type { AuthorizationSteps } from './authorization-steps.ts'
import type { Tokens } from './issued-tokens.ts'
import { codeOf } from './landing.ts'
import type { ResourceSteps } from './resource-steps.ts'
import type { RunContext } from './run-context.ts'
import type { TokenSteps } from './token-steps.ts'
import { isFresh } from './valid-requests.ts'
import { NotApplicable } from './verdict.ts'

const tokensName = 'tokens of the second application'

interface Steps {
  readonly authorization: AuthorizationSteps
  readonly tokens: TokenSteps
  readonly resources: ResourceSteps
}

/** Requests of the second application for the shared user. Each is sent once per run. */
export class SecondClientSteps {
  readonly #run: RunContext
  readonly #steps: Steps

  constructor(run: RunContext, steps: Steps) {
    this.#run = run
    this.#steps = steps
  }

  /** The tokens of the shared user at the second application. @throws {NotApplicable} if there is none */
  tokens(): Promise<Tokens> {
    return this.#run.once(tokensName, () => this.#newTokens())
  }

  async #newTokens(): Promise<Tokens> {
    const code = await this.#steps.authorization.code(this.#application)
    return this.#steps.tokens.tokensIn(await this.#steps.tokens.exchange(code), code.request)
  }

  get #application(): Application {
    const { secondApplication } = this.#run.target
    if (secondApplication) return secondApplication
    throw new NotApplicable('there is no second application')
  }

  /**
   * A code exchange of the second application that is valid except for its secret: that of the first application, or a
   * random one if both have the same. The valid exchange of the same code follows, or that of another code, since a
   * target may end a code after a failed authentication.
   */
  withWrongSecret(): Promise<HttpResponse> {
    return this.#run.once('second application with a wrong secret', async () => {
      const { authorization, tokens } = this.#steps
      await tokens.control()
      const code = await authorization.code(this.#application)
      // The secret of the first application, which a target may take for one of any application.
      const { secret } = applicationOf(this.#run.target)
      const other = secret === this.#application.secret ? randomBytes(24).toString('hex') : secret
      const wrong = { ...this.#application, secret: other }
      const response = await tokens.alteredExchange(code, {}, wrong)
      await this.#run.once(tokensName, async () => {
        const valid = await tokens.alteredExchange(code)
        const isIssued = issuedAccessToken(valid) !== undefined
        return isIssued ? tokens.tokensIn(valid, code.request) : this.#newTokens()
      })
      return response
    })
  }

  /**
   * The second exchange of the code of the second application, or of another code if that may have expired.
   * @throws {Inconclusive} if the first exchange is refused
   */
  codeReplay(): Promise<HttpResponse> {
    return this.#run.once('replay of the second application', async () => {
      const shared = await this.tokens()
      const { response, request } = isFresh(shared.receivedAt) ? shared : await this.#newTokens()
      this.#run.recorder.recall([response.exchange])
      const redirect = this.#run.redirects.find((one) => one.request === request)
      const code = (redirect && codeOf(redirect.landing)) ?? ''
      return this.#steps.tokens.alteredExchange({ code, request })
    })
  }

  /**
   * The response of UserInfo to the access token of the second application, or of a new one if that has ended; UserInfo
   * accepts the one of the first application.
   */
  async userinfo(): Promise<HttpResponse> {
    const { resources } = this.#steps
    await resources.userinfoControl()
    const response = await resources.userinfoWithValid((await this.tokens()).accessToken)
    return response.status === 401
      ? resources.userinfoWithValid((await this.#newTokens()).accessToken)
      : response
  }
}
