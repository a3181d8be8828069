import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'
import { Secret, TOTP } from 'otpauth'
import { PASSWORD_LEVEL, SECOND_FACTOR_LEVEL, type User } from '../deployment.ts'
import { type Answer, htmlAnswer, type Received } from '../http.ts'
import type { Consents } from './accounts.ts'
import { errorPage } from './pages.ts'
import { INTERACTION_PATH } from './paths.ts'
import type { IdentityContext } from './provider.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>
type Messages = {
  req: Parameters<Provider['interactionDetails']>[0]
  res: Parameters<Provider['interactionDetails']>[1]
}

/** The login and consent pages: shows them, reads what they send, and hands the result to oidc-provider. */
export function createInteractions(provider: Provider, context: IdentityContext, consents: Consents) {
  const { behaviour, deployment } = context
  /** Users whose password was right and whose one-time code is awaited, by interaction. */
  const awaitingCode = new Map<string, User>()

  async function finish({ req, res }: Messages, result: InteractionResults): Promise<Answer> {
    const location = await provider.interactionResult(req, res, result, { mergeWithLastSubmission: true })
    return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: '' }
  }

  function loggedIn(messages: Messages, user: User, acr: string): Promise<Answer> {
    return finish(messages, { login: { accountId: behaviour.accountAtLogin(user.account), acr } })
  }

  function login(
    messages: Messages,
    interaction: Interaction,
    view: View,
    form: URLSearchParams,
  ): Answer | Promise<Answer> {
    const username = form.get('username') ?? ''
    const password = form.get('password')
    if (password === null)
      return htmlAnswer(200, behaviour.pages.login({ ...view, username, step: 'password' }))
    const user = deployment.users.find((candidate) => candidate.username === username.trim().toLowerCase())
    if (!user || user.password !== password) {
      const error = 'The user name or the password is wrong.'
      return htmlAnswer(200, behaviour.pages.login({ ...view, username, error, step: 'start' }))
    }
    if (!user.totpSecret) return loggedIn(messages, user, PASSWORD_LEVEL)
    awaitingCode.set(interaction.uid, user)
    return htmlAnswer(200, behaviour.pages.code(view))
  }

  function secondFactor(
    messages: Messages,
    uid: string,
    user: User,
    view: View,
    code: string,
  ): Answer | Promise<Answer> {
    const totp = new TOTP({ secret: Secret.fromBase32(user.totpSecret ?? '') })
    if (totp.validate({ token: code.trim(), window: 1 }) === null) {
      return htmlAnswer(200, behaviour.pages.code({ ...view, error: 'The code is wrong.' }))
    }
    awaitingCode.delete(uid)
    return loggedIn(messages, user, SECOND_FACTOR_LEVEL)
  }

  function answerForm(messages: Messages, interaction: Interaction, view: View, form: URLSearchParams) {
    const { uid, prompt, params, session } = interaction
    if (form.get('action') === 'cancel') {
      awaitingCode.delete(uid)
      return finish(messages, { error: behaviour.cancelError, error_description: 'the user cancelled' })
    }
    if (prompt.name === 'consent') {
      consents.allow(session?.accountId ?? '', String(params.client_id), scopesOf(params))
      return finish(messages, { consent: {} })
    }
    const code = form.get('code')
    const user = awaitingCode.get(uid)
    return user && code !== null
      ? secondFactor(messages, uid, user, view, code)
      : login(messages, interaction, view, form)
  }

  /** Handles a request to an interaction page. */
  return async function handle(messages: Messages, received: Received): Promise<Answer> {
    const interaction = await provider.interactionDetails(messages.req, messages.res).catch(() => undefined)
    if (!interaction || received.path !== `${INTERACTION_PATH}/${interaction.uid}`) {
      return htmlAnswer(400, errorPage('session expired', 'Start again from the application.'))
    }
    const { prompt, params } = interaction
    const application = deployment.applications.find(({ id }) => id === params.client_id)
    const view: View = { action: received.path, application: application?.name ?? '', step: 'start' }
    if (received.method === 'POST') {
      return answerForm(messages, interaction, view, received.form ?? new URLSearchParams())
    }
    if (prompt.name === 'consent') {
      return htmlAnswer(200, behaviour.pages.consent({ ...view, scopes: scopesOf(params) }))
    }
    return htmlAnswer(200, behaviour.pages.login(view))
  }
}

interface View {
  action: string
  application: string
  step: 'start' | 'password'
}

function scopesOf(params: Record<string, unknown>): string[] {
  return String(params.scope ?? '')
    .split(' ')
    .filter(Boolean)
}
