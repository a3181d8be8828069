import { type JourneyStep, saveScreenshot } from '../browser/index.ts'
import type { Authorization } from '../check/authorization/authorization-steps.ts'
import { landingSentence } from '../check/authorization/landing-text.ts'
import type { CheckContext } from '../check/fixtures.ts'
import { type Obstacle, obstacleOf } from '../check/obstacle.ts'
import type { Host } from '../check/requirement.ts'
import { reasonText } from '../check/result.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Budget } from '../http/budget.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import { type BrowserDisplay, withBrowser, withContext } from './context.ts'
import { preflight, requireReachable } from './preflight.ts'

/** The outcome of a login, without secrets. */
interface SignIn {
  /** Where the login ended, as a clause. */
  readonly landed: string
  readonly steps: readonly JourneyStep[]
  readonly durationMs: number
  readonly requests: number
  /** Why the login did not complete, with its cause; null if it did. */
  readonly trouble: Obstacle | null
  /** Path of a picture of a page that Plumbline did not recognise, with its fields covered; null if there is none. */
  readonly screenshot: string | null
}

/** A login that has ended, successfully or not, with the fixtures of its run. */
interface CompletedSignIn {
  readonly signIn: SignIn
  readonly context: CheckContext
  /** Undefined if the login did not complete. */
  readonly authorization: Authorization | undefined
}

interface SignInOptions extends BrowserDisplay {
  readonly signal: AbortSignal
  readonly budget?: Budget
  /** Where to save a picture of a page that Plumbline does not recognise. */
  readonly screenshot?: string
}

const hosts: ReadonlySet<Host> = new Set(['identity-provider'])

/**
 * Launches a browser, runs one complete authorization with the test user, and closes the browser after `use` or on the
 * signal.
 * @throws {SetupError} if no test user is configured, the browser does not start, or the provider is unreachable
 */
export async function withSignIn<T>(
  target: Target,
  { signal, screenshot, ...display }: SignInOptions,
  use: (completed: CompletedSignIn) => Promise<T>,
): Promise<T> {
  if (target.user === undefined) {
    throw new SetupError({
      name: 'TEST_USER',
      what: 'is not set, so there is no user to sign in',
      example: 'tester@example.com',
    })
  }
  return withBrowser(target, { ...display, signal }, (browser) =>
    withContext(target, browser, { ...display, signal }, async (context) => {
      const { run } = context
      const started = performance.now()
      let saved: string | null = null
      if (screenshot !== undefined)
        run.browser.onStuck = async (page) => {
          if (await saveScreenshot(page, screenshot, target.user?.name ?? '')) saved = screenshot
        }
      const outcome = await context.authorization.first().catch(obstacleOf)
      const trouble = 'reason' in outcome ? outcome : null
      // The browser does not report which host it could not reach. The preflight does, and names its variable.
      if (trouble?.cause === 'environment')
        requireReachable(await preflight(target, hosts, run.budget), hosts)
      const authorization = 'reason' in outcome ? undefined : outcome
      const signIn: SignIn = run.vault.scrubAll({
        landed: authorization ? landedOf(authorization) : 'the login did not complete',
        steps: run.browser.steps,
        durationMs: Math.round(performance.now() - started),
        requests: run.budget.requests,
        trouble,
        screenshot: saved,
      })
      return use({ signIn, context, authorization })
    }),
  )
}

/** A failure as text, advice first. Only the advice to write a login recipe comes last: it refers to the reason. */
export function loginFailureText(failure: Obstacle): string {
  const { cause, advice, variables } = failure
  const isFirst = advice !== null && variables[0] !== 'LOGIN_RECIPE'
  const text = isFirst ? `${advice}; ${reasonText({ ...failure, advice: null })}` : reasonText(failure)
  return `(${cause}): ${text}`
}

/** `ok` for an authorization code, `setup` if the configuration prevented it, otherwise `inconclusive`. */
export function exitCodeOfSignIn(
  { trouble }: SignIn,
  authorization: Authorization | undefined,
): ExitCode<'ok' | 'inconclusive' | 'setup'> {
  if (trouble) return exitCodeOfFailure(trouble.cause)
  const landing = authorization?.landing
  const hasCode = landing?.kind === 'redirect' && landing.query.get('code')
  return hasCode ? exitCodes.ok : exitCodes.inconclusive
}

export function exitCodeOfFailure(cause: string): ExitCode<'inconclusive' | 'setup'> {
  return cause === 'configuration' ? exitCodes.setup : exitCodes.inconclusive
}

function landedOf({ landing, request }: Authorization): string {
  if (landing.kind !== 'redirect') return landingSentence(landing)
  const address = request.redirectUri.split(/[?#]/, 1)[0]
  const notLoaded = '(Plumbline does not load that address)'
  return landing.query.get('code')
    ? `signed in; the provider redirected to ${address} with a code ${notLoaded}`
    : `${landingSentence(landing)}, to ${address} ${notLoaded}`
}
