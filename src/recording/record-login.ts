import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { type LoginRecipe, loadLoginRecipe } from '../browser/index.ts'
import { errorOf } from '../check/authorization/landing-content.ts'
import { landingSentence } from '../check/authorization/landing-text.ts'
import { obstacleOf } from '../check/obstacle.ts'
import { reasonText } from '../check/result.ts'
import { exitCodes } from '../exit-codes.ts'
import { Budget } from '../http/budget.ts'
import { writeAtomically } from '../results/stored-file.ts'
import { withBrowser, withContext } from '../run/context.ts'
import { exitCodeOfFailure, exitCodeOfSignIn, withSignIn } from '../run/sign-in.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import {
  type LoginFailure,
  type ManualLogin,
  type RecordingOptions,
  recordingFailure,
  recordManualLogin,
} from './manual-login.ts'
import { cancelRecipe, type RecordedRecipe, signInRecipe } from './recipe-from-actions.ts'

export interface RecordLoginOptions extends Pick<RecordingOptions, 'signal' | 'actor'> {
  /** Path of the recipe to write. */
  readonly out: string
  readonly force?: boolean
  /** Records how to cancel a login instead of how to sign in. */
  readonly cancel?: boolean
  /** Hosts that the login pages need, besides those of the target. */
  readonly hosts?: readonly string[]
  /** Called when the window opens, and when the verification of the recipe starts. */
  readonly onStage?: (stage: 'recording' | 'verification', recipe: LoginRecipe) => void
}

/** The result of a recording, without typed values. */
export interface RecordedLogin {
  /** Path of the written recipe; null if no recipe was written. */
  readonly file: string | null
  /** What the recipe lacks; see `RecordedRecipe`. */
  readonly missing: readonly string[]
  /** Steps that a person should review; see `RecordedRecipe`. */
  readonly remarks: readonly string[]
  /** Why the recording or the verification failed; null if the recipe works. */
  readonly trouble: LoginFailure | null
  readonly requests: number
  readonly logins: number
}

/**
 * Opens the login page for a person, records the login, and verifies the recipe with a second login.
 * @throws {SetupError} if the recording cannot start, before any request
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
  if (!cancel) requireLogins(target)
  const login = await recordManualLogin(target, {
    ...options,
    budget,
    hosts: moreHosts,
    onOpen: () => options.onStage?.('recording', {}),
  })
  signal.throwIfAborted()
  const { scrub } = login
  const failure = recordingFailure(login, cancel)
  if (failure)
    return { file: null, missing: [], remarks: [], trouble: { ...failure, reason: scrub(failure.reason) } }

  const { recipe: recorded, missing, remarks } = scrub(recipeOf(login, target, cancel))
  if (Object.keys(recorded).length === 0) {
    const reason = 'the recording contains no action that a recipe can repeat'
    return { file: null, missing, remarks, trouble: { reason, exitCode: exitCodes.setup } }
  }
  const recipe: LoginRecipe = { ...kept, ...(moreHosts.length > 0 && { hosts: moreHosts }), ...recorded }
  if (missing.length > 0) {
    const reason = 'the recipe is incomplete, so it was not verified'
    const file = writeRecipe(unverifiedPath(out), recipe)
    return { file, missing, remarks, trouble: { reason, exitCode: exitCodes.setup } }
  }
  options.onStage?.('verification', recipe)
  const trouble = await verify(target, recipe, budget, options)
  signal.throwIfAborted()
  const file = writeRecipe(trouble ? unverifiedPath(out) : out, recipe)
  return { file, missing, remarks, trouble }
}

/** @throws {SetupError} without TEST_USER, or if the budget does not allow two logins: by hand and with the recipe */
function requireLogins({ user, loginBudget }: Target): void {
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
    const targetWithRecipe = { ...target, loginRecipe }
    return cancel
      ? verifyCancel(targetWithRecipe, signal, budget)
      : verifySignIn(targetWithRecipe, signal, budget)
  })
}

/** Signs in with the recipe of a target, in a new headless browser. @returns null if the recipe works */
function verifySignIn(target: Target, signal: AbortSignal, budget: Budget): Promise<LoginFailure | null> {
  return withSignIn(target, { signal, budget }, async ({ signIn, authorization }) => {
    const exitCode = exitCodeOfSignIn(signIn, authorization)
    const { trouble, landed } = signIn
    return exitCode === exitCodes.ok ? null : { reason: trouble ? reasonText(trouble) : landed, exitCode }
  })
}

/** Cancels a login with the recipe of a target, in a new headless browser. @returns null if the recipe works */
function verifyCancel(target: Target, signal: AbortSignal, budget: Budget): Promise<LoginFailure | null> {
  return withBrowser(target, { signal }, (browser) =>
    withContext(target, browser, { budget }, async ({ run, authorization }) => {
      const outcome = await authorization.authorize('cancelling').catch(obstacleOf)
      if ('reason' in outcome) {
        return { reason: run.vault.scrub(reasonText(outcome)), exitCode: exitCodeOfFailure(outcome.cause) }
      }
      const { landing } = outcome
      return errorOf(landing) === undefined
        ? { reason: landingSentence(landing), exitCode: exitCodes.inconclusive }
        : null
    }),
  )
}

/**
 * The parts of a recipe file that the recording keeps. Creates the directory, so that the command fails before the
 * login if the path cannot be written.
 * @param cancel whether the recording replaces only the steps to cancel
 * @returns an empty recipe if there is no file
 * @throws {SetupError} if the file cannot be written, or already contains the parts to record
 */
function keptParts(
  path: string,
  { force, cancel }: { readonly force: boolean; readonly cancel: boolean },
): LoginRecipe {
  const directory = dirname(path)
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
  } catch {
    throw outError(`${path} cannot be written: ${directory} is not a writable directory`)
  }
  if (!existsSync(path)) return {}
  if (!cancel && !force) throw outError(`${path} already exists; --force replaces its sign-in steps`)
  const recipe = loadLoginRecipe(path)
  if (cancel && recipe.cancel && !force)
    throw outError(`${path} already contains steps to cancel; --force replaces them`)
  if (cancel) return recipe
  const { signIn: _, consent: _c, loginPage: _l, consentPage: _p, ...kept } = recipe
  return kept
}

/** Writes a recipe atomically. @returns the path */
function writeRecipe(path: string, recipe: LoginRecipe): string {
  writeAtomically(path, formatRecipe(recipe), 'free some space, or choose another path')
  return path
}

function unverifiedPath(path: string): string {
  const { dir, name, ext } = parse(path)
  return join(dir, `${name}.unproved${ext}`)
}

/** Writes a recipe to a temporary file, which is removed after `use`. */
async function withRecipeFile<T>(recipe: LoginRecipe, use: (path: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-recipe-'))
  try {
    return await use(writeRecipe(join(directory, 'login-recipe.json'), recipe))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function outError(what: string): SetupError {
  return new SetupError({ name: '--out', what })
}

/** A recipe with one step per line, as in the documentation. */
function formatRecipe(recipe: LoginRecipe): string {
  const members = Object.entries(recipe).map(([name, value]) => {
    const items = Array.isArray(value) && value.map((item) => `    ${onOneLine(item)}`).join(',\n')
    return `  ${JSON.stringify(name)}: ${items === false ? onOneLine(value) : `[\n${items}\n  ]`}`
  })
  return `{\n${members.join(',\n')}\n}\n`
}

/** JSON on one line, with spaces: `{ "do": "click" }`. */
function onOneLine(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`,
  )
  return `{ ${members.join(', ')} }`
}
