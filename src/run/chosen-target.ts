import { existsSync } from 'node:fs'
import {
  type EmbeddedProvider,
  expectedVariables,
  startEmbeddedProvider,
} from '../embedded/embedded-provider.ts'
import { type Environment, readEnvironment, targetFrom, targetNameFrom } from '../target/config.ts'
import { SetupError } from '../target/problem.ts'
import type { TargetName } from '../target/profiles.ts'
import type { Target } from '../target/target.ts'

export interface TargetOptions {
  readonly target?: string
  readonly out?: string
}

/**
 * Finds out which target is meant, starts the embedded provider where it is that and no address is given,
 * and hands the validated target to `use`; whatever was started ends afterwards.
 * @param provider options of the embedded provider, where it is started
 */
export async function withTarget<T>(
  options: TargetOptions,
  use: (target: Target) => Promise<T>,
  provider: readonly string[] = [],
): Promise<T> {
  const { name, environment, starts } = meant(options)
  if (!starts) return use(configured(name, environment))
  let started: EmbeddedProvider | undefined
  try {
    // What is announced but not available is there where it is to be checked.
    const planned = wantsPlanned(environment) ? ['--variant', 'webhooks'] : []
    started = await startEmbeddedProvider([...planned, ...provider])
    return await use(targetFrom(name, { ...environment, ...started.variables }))
  } finally {
    await started?.close()
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
