import { existsSync } from 'node:fs'
import { expectedVariables, startEmbeddedProvider } from '../embedded/embedded-provider.ts'
import { targetFrom } from '../target/config.ts'
import { type Environment, readEnvironment, targetNameFrom } from '../target/environment.ts'
import { type RequiredPart, variablesOf } from '../target/parts.ts'
import { type Problem, SetupError } from '../target/problem.ts'
import type { TargetName } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'
import { listText } from '../text/format.ts'

export interface TargetOptions {
  readonly target?: string
  readonly out?: string
  /** Parts of the target that the command cannot do without, with what needs them; all of them by default. */
  readonly required?: RequiredParts
}

type RequiredParts = ReadonlyMap<RequiredPart, string>

/** A chosen target, whose embedded provider is starting if it needs one. */
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
  const { name, environment, starts } = resolveTarget(options)
  if (!starts)
    return {
      ready: async (required) => configured(name, environment, required),
      close: async () => undefined,
    }
  // The embedded provider offers the planned features if the run checks them.
  const planned = wantsPlanned(environment) ? ['--variant', 'webhooks'] : []
  const starting = startEmbeddedProvider([...planned, ...provider])
  // `ready` throws the error.
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

/** The target for a command that sends no request: the embedded provider is not started, its values are predicted. */
export function targetToPlan(options: TargetOptions): Target {
  const { name, environment, starts } = resolveTarget(options)
  const variables = starts ? expectedVariables(wantsPlanned(environment)) : {}
  return configured(name, { ...environment, ...variables }, options.required)
}

/** The target of the variables. If none is set and their file does not exist, one problem replaces those of the variables. */
function configured(name: TargetName, environment: Environment, required: RequiredParts | undefined): Target {
  try {
    return targetFrom(name, environment, required)
  } catch (error) {
    const file = `.env.${name}`
    const settings: readonly string[] = Object.values(variablesOf).flat()
    const isBare = !existsSync(file) && settings.every((setting) => environment[setting] === undefined)
    if (!(error instanceof SetupError) || !isBare) throw error
    const isMissing = ({ name, variables }: Problem) =>
      environment[name] === undefined && variables === undefined
    const missing = error.problems.filter(isMissing).map(({ name }) => name)
    const what = `does not exist, and ${listText(missing)} ${missing.length === 1 ? 'is' : 'are'} not set`
    if (missing.length === 0) throw error
    const them = missing.length === 1 ? 'it' : 'them'
    const advice = `cp .env.example ${file}, then set ${them} in this file; or set ${them} in the environment`
    const others = error.problems.filter((problem) => !isMissing(problem))
    throw new SetupError([{ name: file, what, advice }, ...others])
  }
}

function resolveTarget(options: TargetOptions) {
  const name = targetNameFrom(options.target)
  const out = options.out === undefined ? {} : { REPORT_DIR: options.out }
  const environment: Environment = { ...readEnvironment(name), ...out }
  return { name, environment, starts: name === 'embedded' && environment.IDP_BASE_URL === undefined }
}

function wantsPlanned({ ENABLE = '' }: Environment): boolean {
  return ENABLE.split(',').some((effect) => effect.trim() === 'planned')
}

/** REPORT_DIR, for commands that only read runs. */
export function reportDirectory({ target, out }: TargetOptions = {}): string {
  if (out !== undefined) return out
  const name = targetNameFrom(target)
  return readEnvironment(name).REPORT_DIR ?? 'reports'
}
