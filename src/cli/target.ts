import { type EmbeddedProvider, startEmbeddedProvider } from '../run/embedded-provider.ts'
import { readEnvironment, targetFrom, targetNameFrom } from '../target/config.ts'
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
  const directory = process.cwd()
  const name = targetNameFrom(options.target, process.env, directory)
  const environment = readEnvironment(name, process.env, directory)
  const out = options.out === undefined ? {} : { REPORT_DIR: options.out }
  const starts = name === 'embedded' && environment.IDP_BASE_URL === undefined
  if (!starts) return use(targetFrom(name, { ...environment, ...out }))
  let started: EmbeddedProvider | undefined
  try {
    started = await startEmbeddedProvider([...plannedFeatures(environment.ENABLE), ...provider])
    return await use(targetFrom(name, { ...environment, ...started.variables, ...out }))
  } finally {
    await started?.close()
  }
}

/** Options that give the embedded provider what is announced but not available, where that is to be checked. */
function plannedFeatures(enabled = ''): readonly string[] {
  const isWanted = enabled.split(',').some((effect) => effect.trim() === 'planned')
  return isWanted ? ['--variant', 'webhooks'] : []
}

/** REPORT_DIR, for commands that read runs and start nothing. */
export function reportDirectory({ target, out }: TargetOptions = {}): string {
  if (out !== undefined) return out
  const directory = process.cwd()
  const name = targetNameFrom(target, process.env, directory)
  return readEnvironment(name, process.env, directory).REPORT_DIR ?? 'reports'
}
