import { existsSync } from 'node:fs'
import { expectedVariables, startEmbeddedProvider } from '../embedded/embedded-provider.ts'
import { targetFrom } from '../target/config.ts'
import { type Environment, readEnvironment, targetNameFrom } from '../target/environment.ts'
import { SetupError } from '../target/problem.ts'
import type { TargetName } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'

export interface TargetOptions {
  readonly target?: string
  readonly out?: string
}

/** A target that is ready to be used, with whatever was started for it. */
interface OpenTarget {
  readonly target: Target
  /** Ends the embedded provider, where it was started. */
  close(): Promise<void>
}

/**
 * Finds out which target is meant, and starts the embedded provider where it is that and no address is given.
 * @param provider options of the embedded provider, where it is started
 */
export async function openTarget(
  options: TargetOptions = {},
  provider: readonly string[] = [],
): Promise<OpenTarget> {
  const { name, environment, starts } = meant(options)
  if (!starts) return { target: configured(name, environment), close: async () => undefined }
  // What is announced but not available is there where it is to be checked.
  const planned = wantsPlanned(environment) ? ['--variant', 'webhooks'] : []
  const { variables, close } = await startEmbeddedProvider([...planned, ...provider])
  try {
    return { target: targetFrom(name, { ...environment, ...variables }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Hands the target that is meant to `use`; whatever was started for it ends afterwards. */
export async function withTarget<T>(
  options: TargetOptions,
  use: (target: Target) => Promise<T>,
  provider: readonly string[] = [],
): Promise<T> {
  const { target, close } = await openTarget(options, provider)
  try {
    return await use(target)
  } finally {
    await close()
  }
}

/** The target that is meant, for a command that sends nothing to it: of the embedded provider what it will be like. */
export function targetToPlan(options: TargetOptions): Target {
  const { name, environment, starts } = meant(options)
  const variables = starts ? expectedVariables(wantsPlanned(environment)) : {}
  return configured(name, { ...environment, ...variables })
}

/** A target of the variables; where nothing says which, the file that is to be made comes first of what is missing. */
function configured(name: TargetName, environment: Environment): Target {
  try {
    return targetFrom(name, environment)
  } catch (error) {
    const file = `.env.${name}`
    const isBare = environment.IDP_BASE_URL === undefined && !existsSync(file)
    if (!(error instanceof SetupError) || !isBare) throw error
    const what = `is not there: cp .env.example ${file}, then fill it in`
    throw new SetupError([{ name: file, what }, ...error.problems], error.advice)
  }
}

function meant(options: TargetOptions) {
  const directory = process.cwd()
  const name = targetNameFrom(options.target, process.env, directory)
  const out = options.out === undefined ? {} : { REPORT_DIR: options.out }
  const environment: Environment = { ...readEnvironment(name, process.env, directory), ...out }
  return { name, environment, starts: name === 'embedded' && environment.IDP_BASE_URL === undefined }
}

function wantsPlanned({ ENABLE = '' }: Environment): boolean {
  return ENABLE.split(',').some((effect) => effect.trim() === 'planned')
}

/** REPORT_DIR, for commands that read runs and start nothing. */
export function reportDirectory({ target, out }: TargetOptions = {}): string {
  if (out !== undefined) return out
  const directory = process.cwd()
  const name = targetNameFrom(target, process.env, directory)
  return readEnvironment(name, process.env, directory).REPORT_DIR ?? 'reports'
}
