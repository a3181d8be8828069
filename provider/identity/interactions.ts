import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'
import { Secret, TOTP } from 'otpauth'
import { PASSWORD_LEVEL, SECOND_FACTOR_LEVEL, type User } from '../deployment.ts'
import { type HttpRequest, type HttpResponse, htmlResponse } from '../http.ts'
import { type Consents, userOf } from './accounts.ts'
import type { IdentityContext } from './context.ts'
import { errorPage, type FollowingPage, type LoginView } from './pages.ts'
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

/** A page that follows the login or the consent, and that the user has not answered yet. */
interface Following {
  page: FollowingPage
  account: string
  /** Continues the interaction. @param visit the request that answered the page */
  resume: (visit: Visit) => Promise<HttpResponse>
}

/** The login and consent pages: shows them, reads their forms, and passes the result to oidc-provider. */
export class Interactions {
  private readonly provider: Provider
  private readonly context: IdentityContext
  private readonly consents: Consents
  /** Users who have entered the password and must enter the one-time code, by interaction. */
  private readonly awaitingCode = new Map<string, User>()
  /** Pages that users have not answered yet, by interaction. */
  private readonly following = new Map<string, Following>()
  /** Accounts whose users have answered a page. They never see a page with `once` again. */
  private readonly answered = new Set<string>()

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
    const view: LoginView = {
      action: this.context.basePath + path,
      application: application?.name ?? '',
      step: 'start',
    }
    if (method === 'POST') return this.submit({ messages, interaction, view }, form ?? new URLSearchParams())
    if (prompt.name === 'consent')
      return htmlResponse(200, behaviour.pages.consent({ ...view, scopes: scopesOf(params) }))
    const user = userOf(deployment, interaction.session?.accountId ?? '')
    if (prompt.name === 'select_account' && user && behaviour.pages.knownAccount)
      return htmlResponse(200, behaviour.pages.knownAccount({ ...view, ...namesOf(user) }))
    return htmlResponse(200, behaviour.pages.login(view))
  }

  private submit(visit: Visit, form: URLSearchParams): HttpResponse | Promise<HttpResponse> {
    const { uid, prompt, params, session } = visit.interaction
    if (form.get('action') === 'cancel') {
      this.awaitingCode.delete(uid)
      this.following.delete(uid)
      const error = this.context.behaviour.cancelError
      return this.finish(visit, { error, error_description: 'the user cancelled' })
    }
    const following = this.following.get(uid)
    if (following) return this.answer(visit, following, form)
    if (prompt.name === 'select_account') return this.finish(visit, { select_account: {} })
    if (prompt.name === 'consent') {
      const scopes = scopesOf(params)
      const { pages, consentGiven, afterConsent } = this.context.behaviour
      if (!consentGiven(form, scopes)) {
        const error = 'Tick what you want to share.'
        return htmlResponse(200, pages.consent({ ...visit.view, scopes, error }))
      }
      const account = session?.accountId ?? ''
      return this.follow(visit, afterConsent, account, (answering) => {
        this.consents.allow(account, String(params.client_id), scopes)
        return this.finish(answering, { consent: {} })
      })
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

  private logIn(visit: Visit, user: User, acr: string): HttpResponse | Promise<HttpResponse> {
    const { accountAtLogin, afterLogin } = this.context.behaviour
    const accountId = accountAtLogin(user.account)
    return this.follow(visit, afterLogin, user.account, (answering) =>
      this.finish(answering, { login: { accountId, acr } }),
    )
  }

  /**
   * Shows `page`, if any, before the interaction continues. Skips a page with `once` for a user who has answered one
   * before.
   */
  private follow(
    visit: Visit,
    page: FollowingPage | undefined,
    account: string,
    resume: Following['resume'],
  ): HttpResponse | Promise<HttpResponse> {
    if (!page || (page.once && this.answered.has(account))) return resume(visit)
    this.following.set(visit.interaction.uid, { page, account, resume })
    return htmlResponse(200, page.html(visit.view))
  }

  private answer(
    visit: Visit,
    { page, account, resume }: Following,
    form: URLSearchParams,
  ): HttpResponse | Promise<HttpResponse> {
    if (!page.accepts(form)) return htmlResponse(200, page.html({ ...visit.view, error: 'Please answer.' }))
    this.following.delete(visit.interaction.uid)
    this.answered.add(account)
    return resume(visit)
  }

  private async finish({ messages }: Visit, result: InteractionResults): Promise<HttpResponse> {
    const location = await this.provider.interactionResult(messages.req, messages.res, result, {
      mergeWithLastSubmission: true,
    })
    return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: '' }
  }
}

function namesOf({ username, givenName, familyName }: User): { user: string; fullName: string } {
  return { user: username, fullName: `${givenName} ${familyName}` }
}

function scopesOf(params: Record<string, unknown>): string[] {
  return String(params.scope ?? '')
    .split(' ')
    .filter(Boolean)
}
