#!/usr/bin/env node
/** Serves the embedded provider in the foreground. */
import { dirname } from 'node:path'
import { activeKey } from './keys.ts'
import { readArguments, USAGE, UsageError } from './options.ts'
import { dotenv, isForeign, runningOwner, variablesFor, writeVariables } from './variables-file.ts'

/** Faults and variants, with the ids of their requirements. */
async function listAlterations() {
  const [{ faults }, { variants }] = await Promise.all([
    import('./faults/index.ts'),
    import('./variants/index.ts'),
  ])
  return {
    faults: faults.map(({ name, summary, violates, consequences }) => ({
      name,
      summary,
      requirements: violates,
      consequences,
    })),
    variants: variants.map(({ name, summary, concerns, mustBeInconclusive }) => ({
      name,
      summary,
      requirements: concerns,
      inconclusive: mustBeInconclusive,
    })),
  }
}

/**
 * Refuses a file that no provider wrote, or that belongs to a provider that is still running.
 * @throws UsageError
 */
async function refuseFileInUse(file: string): Promise<void> {
  if (await isForeign(file))
    throw new UsageError(
      `--env: ${file} was not written by a provider, so Plumbline leaves it unchanged: choose another file, or move it away.`,
    )
  const owner = await runningOwner(file)
  if (owner !== undefined)
    throw new UsageError(
      `--env: ${file} belongs to a provider that is still running at ${owner}, so Plumbline leaves it unchanged: stop that provider (Ctrl+C in its terminal), or choose another file.`,
    )
}

/** Exits without an error if the reader of the output closes the pipe early, as `| head` does. */
function endQuietlyWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

async function main(): Promise<void> {
  endQuietlyWithoutReader()
  // Ctrl+C interrupts the parent process too, which then ends this one.
  if (process.send) process.on('SIGINT', () => {})
  const { options, envFile, help, list } = readArguments(process.argv.slice(2))
  if (help) {
    process.stdout.write(USAGE)
    return
  }
  if (list) {
    process.stdout.write(`${JSON.stringify(await listAlterations(), null, 2)}\n`)
    return
  }
  if (envFile) await refuseFileInUse(envFile)
  // Generates the key in another thread while the provider is loaded.
  const key = activeKey()
  const { startProvider } = await import('./start.ts')
  await key
  const running = await startProvider({
    ...options,
    onFailedDelivery: (line) => void process.stderr.write(`${line}\n`),
  })
  const { variables } = running
  const written = variablesFor(envFile, variables)

  const close = async () => {
    await running.close()
    process.disconnect?.()
  }
  if (!process.send) process.once('SIGINT', close)
  process.once('SIGTERM', close)
  process.once('disconnect', () => process.exit(0))

  if (envFile) {
    try {
      await writeVariables(envFile, written)
    } catch (error) {
      await running.close()
      const { code } = error as NodeJS.ErrnoException
      const why = code === 'ENOENT' ? `there is no folder ${dirname(envFile)}` : code
      throw new UsageError(`--env: ${envFile} cannot be written (${why}).`)
    }
  }
  process.stdout.write(`# Listening on ${running.issuer}; stop with Ctrl+C.\n${dotenv(written)}`)
  process.send?.({ ready: true, variables })
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(3)
})
