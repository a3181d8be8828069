import type { LoginRecipe } from '../browser/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { Budget } from '../http/budget.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import {
  type LoginFailure,
  type ManualLogin,
  type RecordingOptions,
  recordingFailure,
  recordManualLogin,
} from './manual-login.ts'
import { keptParts, unverifiedPath, withRecipeFile, writeRecipe } from './recipe-file.ts'
import { cancelRecipe, type RecordedRecipe, signInRecipe } from './recipe-from-actions.ts'
import { verifyCancel, verifySignIn } from './verification.ts'

export interface RecordLoginOptions extends Pick<RecordingOptions, 'signal' | 'actor'> {
  /** Path of the recipe. */
  readonly out: string
  readonly force?: boolean
  /** Records how to cancel a login instead of how to sign in. */
  readonly cancel?: boolean
  /** Hosts that the login pages need besides the target's. */
  readonly hosts?: readonly string[]
  /** Called when the window opens, and when the verification of the recipe starts. */
  readonly onStage?: (stage: 'recording' | 'verification', recipe: LoginRecipe) => void
}

/** The result of a recording, without typed values. */
export interface RecordedLogin {
  /** Path of the written recipe; null if there is none. */
  readonly file: string | null
  readonly recipe: LoginRecipe
  /** Plumbline signed in, or cancelled, with the recipe alone. */
  readonly verified: boolean
  readonly missing: readonly string[]
  readonly remarks: readonly string[]
  /** Why the recording or the verification failed; null if both succeeded. */
  readonly trouble: LoginFailure | null
  readonly requests: number
  readonly logins: number
}

/**
 * Opens the login page for a person, records the login, and verifies the recipe in a second login.
 * @throws {SetupError} if the recording cannot start; no request is sent then
 */
export async function recordLogin(target: Target, options: RecordLoginOptions): Promise<RecordedLogin> {
  const budget = new Budget({ ...target, signal: options.signal })
  const recorded = await record(budget, target, options)
  return { ...recorded, requests: budget.requests, logins: budget.logins }
}

async function record(
  budget: Budget,
  target: Target,
  options: RecordLoginOptions,
): Promise<Omit<RecordedLogin, 'requests' | 'logins'>> {
  const { out, force = false, cancel = false, hosts = [], signal } = options
  const kept = keptParts(out, { force, cancel })
  const moreHosts = [...new Set([...(kept.hosts ?? []), ...hosts])]
  if (!cancel) checkLogins(target)
  const login = await recordManualLogin(target, {
    ...options,
    budget,
    hosts: moreHosts,
    onOpen: () => options.onStage?.('recording', {}),
  })
  signal.throwIfAborted()
  const { scrub } = login
  const nothing = { file: null, recipe: {}, verified: false, missing: [], remarks: [] }
  const broken = recordingFailure(login, cancel)
  if (broken) return { ...nothing, trouble: { ...broken, reason: scrub(broken.reason) } }

  const recorded = scrub(recipeOf(login, target, cancel))
  if (Object.keys(recorded.recipe).length === 0) {
    const reason = 'the recording contains no action that a recipe can repeat'
    return { ...nothing, missing: recorded.missing, trouble: { reason, exitCode: exitCodes.setup } }
  }
  const recipe: LoginRecipe = {
    ...kept,
    ...(moreHosts.length > 0 && { hosts: moreHosts }),
    ...recorded.recipe,
  }
  const shown = { recipe, missing: recorded.missing, remarks: recorded.remarks }
  if (recorded.missing.length > 0) {
    const reason = 'the recipe is incomplete, so it was not verified'
    const file = writeRecipe(unverifiedPath(out), recipe)
    return { ...nothing, ...shown, file, trouble: { reason, exitCode: exitCodes.setup } }
  }
  options.onStage?.('verification', recipe)
  const trouble = await verify(target, recipe, budget, options)
  signal.throwIfAborted()
  const file = writeRecipe(trouble ? unverifiedPath(out) : out, recipe)
  return { ...shown, file, verified: trouble === null, trouble }
}

/** A recording needs two logins: one by hand, and one with the recipe. @throws {SetupError} */
function checkLogins({ user, loginBudget }: Target): void {
  if (user === undefined) {
    const what = 'is not set, so Plumbline cannot recognise the user name when it is typed'
    throw new SetupError({ name: 'TEST_USER', what, example: 'tester@example.com' })
  }
  if (loginBudget < 2) {
    const what = `is ${loginBudget}, but recording and verifying a recipe needs two logins`
    throw new SetupError({ name: 'LOGIN_BUDGET', what, example: '2' })
  }
}

function recipeOf({ actions, unsupported }: ManualLogin, { user }: Target, cancel: boolean): RecordedRecipe {
  const secrets = [user?.name, user?.name.split('@')[0], user?.password, user?.totpSecret]
    .filter((value) => value !== undefined)
    .filter(({ length }) => length > 2)
  const recorded = cancel ? cancelRecipe(actions, secrets) : signInRecipe(actions, secrets)
  const byHand = unsupported.map((what) => `${what}: write that step by hand`)
  return { ...recorded, missing: [...recorded.missing, ...byHand] }
}

function verify(
  { claimRecipe: _, ...target }: Target,
  recipe: LoginRecipe,
  budget: Budget,
  { cancel, signal }: RecordLoginOptions,
): Promise<LoginFailure | null> {
  return withRecipeFile(recipe, (loginRecipe) => {
    const tried = { ...target, loginRecipe }
    return cancel ? verifyCancel(tried, signal, budget) : verifySignIn(tried, signal, budget)
  })
}
