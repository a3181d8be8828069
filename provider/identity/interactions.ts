import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'
import { Secret, TOTP } from 'otpauth'
import { PASSWORD_LEVEL, SECOND_FACTOR_LEVEL, type User } from '../deployment.ts'
import { type HttpRequest, type HttpResponse, htmlResponse } from '../http.ts'
import type { Consents } from './accounts.ts'
import type { IdentityContext } from './context.ts'
import { errorPage, type LoginView } from './pages.ts'
import { INTERACTION_PATH } from './paths.ts'

type Messages = {
  req: Parameters<Provider['interactionDetails']>[0]
  res: Parameters<Provider['interactionDetails']>[1]
}

/** One request to an interaction page. */
interface Visit {
  messages: Messages
  interaction: Awaited<ReturnType<Provider['interactionDetails']>>
  view: LoginView
}

/** The login and consent pages: shows them, reads their forms, and passes the result to oidc-provider. */
export class Interactions {
  private readonly provider: Provider
  private readonly context: IdentityContext
  private readonly consents: Consents
  /** Users whose password was right and whose one-time code is awaited, by interaction. */
  private readonly awaitingCode = new Map<string, User>()

  constructor(provider: Provider, context: IdentityContext, consents: Consents) {
    this.provider = provider
    this.context = context
    this.consents = consents
  }

  async handle(messages: Messages, { method, path, form }: HttpRequest): Promise<HttpResponse> {
    const { deployment, behaviour } = this.context
    const interaction = await this.provider
      .interactionDetails(messages.req, messages.res)
      .catch(() => undefined)
    if (!interaction || path !== `${INTERACTION_PATH}/${interaction.uid}`) {
      return htmlResponse(400, errorPage('session expired', 'Start again from the application.'))
    }
    const { prompt, params } = interaction
    const application = deployment.applications.find(({ id }) => id === params.client_id)
    const view: LoginView = { action: path, application: application?.name ?? '', step: 'start' }
    if (method === 'POST') return this.submit({ messages, interaction, view }, form ?? new URLSearchParams())
    if (prompt.name === 'consent')
      return htmlResponse(200, behaviour.pages.consent({ ...view, scopes: scopesOf(params) }))
    return htmlResponse(200, behaviour.pages.login(view))
  }

  private submit(visit: Visit, form: URLSearchParams): HttpResponse | Promise<HttpResponse> {
    const { uid, prompt, params, session } = visit.interaction
    if (form.get('action') === 'cancel') {
      this.awaitingCode.delete(uid)
      const error = this.context.behaviour.cancelError
      return this.finish(visit, { error, error_description: 'the user cancelled' })
    }
    if (prompt.name === 'consent') {
      this.consents.allow(session?.accountId ?? '', String(params.client_id), scopesOf(params))
      return this.finish(visit, { consent: {} })
    }
    const code = form.get('code')
    const user = this.awaitingCode.get(uid)
    return user && code !== null ? this.submitCode(visit, user, code) : this.submitPassword(visit, form)
  }

  private submitPassword(visit: Visit, form: URLSearchParams): HttpResponse | Promise<HttpResponse> {
    const { deployment, behaviour } = this.context
    const username = form.get('username') ?? ''
    const password = form.get('password')
    if (password === null)
      return htmlResponse(200, behaviour.pages.login({ ...visit.view, username, step: 'password' }))
    const user = deployment.users.find((candidate) => candidate.username === username.trim().toLowerCase())
    if (!user || user.password !== password) {
      const error = 'The user name or the password is wrong.'
      return htmlResponse(200, behaviour.pages.login({ ...visit.view, username, error }))
    }
    if (!user.totpSecret) return this.logIn(visit, user, PASSWORD_LEVEL)
    this.awaitingCode.set(visit.interaction.uid, user)
    return htmlResponse(200, behaviour.pages.code(visit.view))
  }

  private submitCode(visit: Visit, user: User, code: string): HttpResponse | Promise<HttpResponse> {
    const totp = new TOTP({ secret: Secret.fromBase32(user.totpSecret ?? '') })
    if (totp.validate({ token: code.trim(), window: 1 }) === null) {
      const view = { ...visit.view, error: 'The code is wrong.' }
      return htmlResponse(200, this.context.behaviour.pages.code(view))
    }
    this.awaitingCode.delete(visit.interaction.uid)
    return this.logIn(visit, user, SECOND_FACTOR_LEVEL)
  }

  private logIn(visit: Visit, user: User, acr: string): Promise<HttpResponse> {
    const accountId = this.context.behaviour.accountAtLogin(user.account)
    return this.finish(visit, { login: { accountId, acr } })
  }

  private async finish({ messages }: Visit, result: InteractionResults): Promise<HttpResponse> {
    const location = await this.provider.interactionResult(messages.req, messages.res, result, {
      mergeWithLastSubmission: true,
    })
    return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: '' }
  }
}

function scopesOf(params: Record<string, unknown>): string[] {
  return String(params.scope ?? '')
    .split(' ')
    .filter(Boolean)
}
