import type { Page } from 'playwright'
import {
  cancelFrom,
  connectBrowser,
  type LoginRecipe,
  type Recorded,
  signInFrom,
  UserAgent,
  type WatchedLogin,
} from '../../browser/index.ts'
import { causeOf } from '../../http/failures.ts'
import type { GateState } from '../../http/gate.ts'
import { authorizationRequest } from '../../oauth/authorization-request.ts'
import { SetupError } from '../../target/problem.ts'
import type { Target } from '../../target/target.ts'
import { launchFor, withSession } from '../session.ts'
import { type Proof, proveCancel, proveSignIn, type Trouble } from './proof.ts'
import { keptOf, unprovedPath, withRecipeFile, writeRecipe } from './recipe-file.ts'

export interface RecordLoginOptions {
  /** Where the recipe goes. */
  readonly out: string
  readonly force?: boolean
  /** Records how a login is given up, in place of how to sign in. */
  readonly cancel?: boolean
  /** Hosts that the login pages need besides the target's. */
  readonly hosts?: readonly string[]
  readonly signal: AbortSignal
  /** Hears when the window is open and when the recipe is tried. */
  readonly onStage?: (stage: 'recording' | 'proving', recipe: LoginRecipe) => void
  /** Is handed the window, which stays out of sight: for whoever acts in place of a person. */
  readonly actor?: (page: Page) => void
}

/** What a recording came to, without any value that was typed. */
export interface RecordedLogin {
  /** Where the recipe was written; null where there is none. */
  readonly file: string | null
  readonly recipe: LoginRecipe
  /** The recipe did by itself what was done by hand. */
  readonly proved: boolean
  readonly missing: readonly string[]
  readonly remarks: readonly string[]
  /** What kept the recording or the trial from its end; null where nothing did. */
  readonly trouble: Trouble | null
  readonly requests: number
  readonly logins: number
}

interface Watched extends WatchedLogin {
  readonly gate: GateState & { readonly logins: number }
  readonly scrub: <T>(data: T) => T
}

/**
 * Opens the login page for a person, records what they do, and tries the recipe in a second login.
 * @throws {SetupError} where it cannot begin: nothing was sent then
 */
export async function recordLogin(target: Target, options: RecordLoginOptions): Promise<RecordedLogin> {
  const { out, force = false, cancel = false, hosts = [], signal } = options
  const kept = keptOf(out, { force, cancel })
  const besides = [...new Set([...(kept.hosts ?? []), ...hosts])]
  if (!cancel) checkLogins(target)
  const watched = await watch(target, besides, options)
  signal.throwIfAborted()
  const { gate, scrub } = watched
  const used = { requests: gate.requests, logins: gate.logins }
  const nothing = { file: null, recipe: {}, proved: false, missing: [], remarks: [], ...used }
  const broken = troubleWith(watched, cancel)
  if (broken) return { ...nothing, trouble: { ...broken, reason: scrub(broken.reason) } }

  const recorded = scrub(recordedOf(watched, target, cancel))
  if (Object.keys(recorded.recipe).length === 0) {
    const reason = 'nothing was done on the pages that a recipe could repeat'
    return { ...nothing, missing: recorded.missing, trouble: { reason, exitCode: 3 } }
  }
  const recipe: LoginRecipe = { ...kept, ...(besides.length > 0 && { hosts: besides }), ...recorded.recipe }
  const told = { recipe, missing: recorded.missing, remarks: recorded.remarks }
  if (recorded.missing.length > 0) {
    const reason = 'the recipe is not complete, so it was not tried'
    const file = writeRecipe(unprovedPath(out), recipe)
    return { ...nothing, ...told, file, trouble: { reason, exitCode: 3 } }
  }
  options.onStage?.('proving', recipe)
  const { trouble, requests } = await prove(target, recipe, watched, options)
  signal.throwIfAborted()
  const logins = gate.logins + (cancel ? 0 : 1)
  const file = writeRecipe(trouble ? unprovedPath(out) : out, recipe)
  return { ...told, file, proved: trouble === null, trouble, requests, logins }
}

/** One by hand, and one with the recipe. @throws {SetupError} */
function checkLogins({ user, loginBudget }: Target): void {
  if (user === undefined) {
    throw new SetupError([
      {
        name: 'TEST_USER',
        what: 'is not set, so what is typed could not be told from other values',
        example: 'tester@example.com',
      },
    ])
  }
  if (loginBudget < 2) {
    throw new SetupError([
      {
        name: 'LOGIN_BUDGET',
        what: `is ${loginBudget}, but to record and to try a recipe are two logins`,
        example: '2',
      },
    ])
  }
}

async function watch(
  { loginRecipe: _, claimRecipe: _c, ...target }: Target,
  besides: readonly string[],
  { signal, actor, onStage }: RecordLoginOptions,
): Promise<Watched> {
  const launched = await launchFor(
    { ...target, hosts: [...target.hosts, ...besides] },
    { headed: actor === undefined },
  )
  const stop = () => void launched.close()
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await withSession(target, launched, {}, async ({ world }) => {
      const browser = await connectBrowser(launched.wsEndpoint)
      world.onClose(() => browser.close())
      const { gate, recorder, vault } = world
      const { redirectUri } = target.application
      const hosts = [...target.hosts, ...besides]
      const agent = await UserAgent.open(browser, { gate, recorder, hosts, redirectUris: [redirectUri] })
      const request = authorizationRequest(target)
      vault.add(request.state, request.nonce, request.verifier)
      onStage?.('recording', {})
      const watched = await agent.record(request.url, {
        redirectUri,
        ...(target.user && { user: target.user }),
        ...(actor && { onWindow: actor }),
      })
      return {
        ...watched,
        gate: { ...gate.state, logins: gate.logins },
        scrub: (data) => vault.scrubAll(data),
      }
    })
  } finally {
    signal.removeEventListener('abort', stop)
    await launched.close()
  }
}

/** Why a recording is no use; undefined where it ended as it should. */
function troubleWith({ end, refusedHosts }: Watched, cancel: boolean): Trouble | undefined {
  const needs = refusedHosts.slice(0, 5)
  if (end === undefined) {
    const hint =
      needs.length === 0
        ? ''
        : `; the pages also asked for ${needs.join(', ')}, which --host would let them load`
    return { reason: `the window was closed before the login came to its end${hint}`, exitCode: 3 }
  }
  if ('failure' in end) {
    const { failure } = end
    const hint = failure.kind === 'host-refused' ? '; --host names it for this recording' : ''
    return { reason: failure.message + hint, exitCode: causeOf(failure) === 'configuration' ? 3 : 2 }
  }
  const { query, fragment, form } = end.redirect
  const has = (name: string) => [query, fragment, form].some((part) => part?.has(name))
  if (cancel) {
    if (!has('code')) return undefined
    return { reason: 'the login was not given up: it ended with a code', exitCode: 3 }
  }
  if (has('code')) return undefined
  return {
    reason: has('error')
      ? 'the login ended with an error in place of a code (--cancel records how a login is given up)'
      : 'the login ended with neither a code nor an error',
    exitCode: 2,
  }
}

function recordedOf({ acts, beyond }: Watched, { user }: Target, cancel: boolean): Recorded {
  const told = [user?.name, user?.name.split('@')[0], user?.password, user?.totpSecret].filter(
    (value) => value !== undefined && value.length > 2,
  ) as string[]
  const recorded = cancel ? cancelFrom(acts, told) : signInFrom(acts, told)
  return {
    ...recorded,
    missing: [...recorded.missing, ...beyond.map((what) => `${what}: write that step by hand`)],
  }
}

function prove(
  { claimRecipe: _, ...target }: Target,
  recipe: LoginRecipe,
  { gate }: Watched,
  { cancel, signal }: RecordLoginOptions,
): Promise<Proof> {
  const loginBudget = target.loginBudget - gate.logins
  return withRecipeFile(recipe, (loginRecipe) => {
    const tried = { ...target, loginRecipe, loginBudget }
    return cancel ? proveCancel(tried, signal, gate) : proveSignIn(tried, signal, gate)
  })
}
