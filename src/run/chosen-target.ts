import { existsSync } from 'node:fs'
import { expectedVariables, startEmbeddedProvider } from '../embedded/embedded-provider.ts'
import { targetFrom } from '../target/config.ts'
import { type Environment, type FileProblem, readVariables, targetNameFrom } from '../target/environment.ts'
import { type RequiredPart, variablesOf } from '../target/parts.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { TargetName } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'
import { listText } from '../text/format.ts'

/** How a command chooses its target. */
export interface TargetOptions {
  /** The value of `--target`. */
  readonly target?: string | undefined
  /** The value of `--out`, which replaces REPORT_DIR. */
  readonly out?: string
  /** The parts of the target that the command needs, as for `targetFrom`. */
  readonly required?: RequiredParts
}

type RequiredParts = ReadonlyMap<RequiredPart, string>

/** A resolved target. Its embedded provider, if it has one, is still starting. */
export interface StartingTarget {
  /**
   * Waits until the target is ready for use.
   * @throws {SetupError} if variables are not valid, or the embedded provider does not start
   */
  ready(required?: RequiredParts): Promise<Target>
  /** Stops the embedded provider, if it was started. */
  close(): Promise<void>
}

/**
 * Resolves the target, and starts the embedded provider if the target is `embedded` and no address is set.
 * @param provider options of the embedded provider, if it is started
 */
export function startTarget(options: TargetOptions = {}, provider: readonly string[] = []): StartingTarget {
  const resolved = resolveTarget(options)
  const { name, environment } = resolved
  if (!resolved.startsProvider || resolved.mistakes.length > 0)
    return { ready: async (required) => configured(resolved, required), close: async () => undefined }
  const webhooks = enablesPlanned(environment) ? ['--variant', 'webhooks'] : []
  const starting = startEmbeddedProvider([...webhooks, ...provider])
  // `ready` throws the error of a failed start. Without this handler, Node would end the process before.
  starting.catch(() => undefined)
  return {
    ready: async () => targetFrom(name, { ...environment, ...(await starting).variables }),
    close: async () => (await starting.catch(() => undefined))?.close(),
  }
}

/** Opens the target for `use`, and closes it afterwards. */
export async function withTarget<T>(
  options: TargetOptions,
  use: (target: Target) => Promise<T>,
  provider: readonly string[] = [],
): Promise<T> {
  const starting = startTarget(options, provider)
  try {
    return await use(await starting.ready(options.required))
  } finally {
    await starting.close()
  }
}

/**
 * The target for a command that sends no request. If the target is the embedded provider, it is not started: its
 * variables have placeholders for port and secrets.
 */
export function targetToPlan(options: TargetOptions): Target {
  return configured(resolveTarget(options), options.required)
}

/** Builds the target. @throws {SetupError} with the mistakes in files and all other problems */
function configured(
  { name, mistakes, startsProvider, ...resolved }: ResolvedTarget,
  required: RequiredParts | undefined,
): Target {
  const predicted = startsProvider ? expectedVariables(enablesPlanned(resolved.environment)) : {}
  const environment = { ...resolved.environment, ...predicted }
  let target: Target | undefined
  let invalid: SetupError | undefined
  try {
    target = targetFrom(name, environment, required)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    invalid =
      isUnconfigured(name, environment) && mistakes.length === 0
        ? withMissingFile(name, environment, error)
        : error
  }
  if (target && mistakes.length === 0) return target
  // A misspelt name also leaves its variable unset. Report only the misspelling.
  const isMisspelt = ({ name }: Problem) =>
    environment[name] === undefined && mistakes.some(({ meant }) => meant === name)
  const others = (invalid?.problems ?? []).filter((problem) => !isMisspelt(problem))
  throw new SetupError([...mistakes, ...others], invalid?.advice)
}

/** Whether no variable of the target is set, and its file does not exist. */
function isUnconfigured(name: TargetName, environment: Environment): boolean {
  const settings: readonly string[] = Object.values(variablesOf).flat()
  return !existsSync(`.env.${name}`) && settings.every((setting) => environment[setting] === undefined)
}

/** Replaces the problems of all missing variables by one: their file does not exist. */
function withMissingFile(name: TargetName, environment: Environment, error: SetupError): SetupError {
  const file = `.env.${name}`
  const missing = error.problems.filter((problem) => isMissing(environment, problem)).map(({ name }) => name)
  if (missing.length === 0) return error
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
  const what = `does not exist, and ${listText(missing)} ${are} not set`
  const advice = `cp .env.example ${file}, then set ${them} in this file; or set ${them} in the environment`
  const others = error.problems.filter((problem) => !isMissing(environment, problem))
  return new SetupError([{ name: file, what, advice }, ...others])
}

/** Whether the problem is just that one variable is not set. A problem with `variables` concerns several variables. */
function isMissing(environment: Environment, { name, variables }: Problem): boolean {
  return environment[name] === undefined && variables === undefined
}

interface ResolvedTarget {
  readonly name: TargetName
  readonly environment: Environment
  readonly mistakes: readonly FileProblem[]
  /** Whether Plumbline starts the embedded provider. If so, `environment` lacks its addresses and credentials. */
  readonly startsProvider: boolean
}

function resolveTarget(options: TargetOptions): ResolvedTarget {
  const name = targetNameFrom(options.target)
  const out = options.out === undefined ? {} : { REPORT_DIR: options.out }
  const { environment, mistakes } = readVariables(name)
  const startsProvider = name === 'embedded' && environment.IDP_BASE_URL === undefined
  return { name, environment: { ...environment, ...out }, mistakes, startsProvider }
}

/** Whether ENABLE contains the effect `planned`, which needs the webhooks of the embedded provider. */
function enablesPlanned({ ENABLE = '' }: Environment): boolean {
  return ENABLE.split(',').some((effect) => effect.trim() === 'planned')
}
