#!/usr/bin/env node
/** Serves the embedded provider in the foreground. */
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import type { LimitKey } from './behaviour.ts'
import { dotenv, isForeign, writeVariables } from './env-file.ts'
import type { ProviderOptions } from './index.ts'

const USAGE = `Usage: node provider/main.ts [options]

Serves the embedded provider on 127.0.0.1 and prints the variables to use it with.

  --port N                  port (any free one by default)
  --fault NAME              commit a fault; may be given again
  --variant NAME            follow a variant; may be given again
  --limit REQUESTS/SECONDS  limit requests per client, user and address (off by default)
  --limit-by KEYS           what they are counted by instead, such as client+user,address or nothing
  --seed TEXT               secrets and events depend on it
  --events-every SECONDS    make up a claim change so often, for pollers and webhooks
  --env FILE                also write the variables to FILE, which may be that of an earlier provider
  --list                    print faults and variants as JSON and end
  --help                    this text

Example: node provider/main.ts --port 4000 --variant descending-order --env .env.uat
`

/** A mistake in the options: told in one sentence. */
class UsageError extends Error {}

interface Arguments {
  options: ProviderOptions
  envFile?: string
  help: boolean
  list: boolean
}

function wholeNumber(text: string, option: string, largest: number, least = 0): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= largest))
    throw new UsageError(`--${option} must be a whole number from ${least} to ${largest}, not '${text}'.`)
  return value
}

function readArguments(args: string[]): Arguments {
  const { values } = parse(args)
  const options: ProviderOptions = { faults: values.fault ?? [], variants: values.variant ?? [] }
  if (values.port !== undefined) options.port = wholeNumber(values.port, 'port', 65_535)
  if (values.seed !== undefined) options.seed = values.seed
  if (values['events-every'] !== undefined)
    options.eventsEvery = wholeNumber(values['events-every'], 'events-every', 86_400, 1)
  if (values.limit !== undefined) {
    const match = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(values.limit)
    if (!match) throw new UsageError(`--limit must be REQUESTS/SECONDS such as 20/1, not '${values.limit}'.`)
    options.limit = { requests: Number(match[1]), windowSeconds: Number(match[2]) }
    if (values['limit-by'] !== undefined) options.limit.by = limitKeys(values['limit-by'])
  } else if (values['limit-by'] !== undefined) {
    throw new UsageError('--limit-by needs --limit, such as --limit 20/1.')
  }
  return {
    options,
    help: values.help ?? false,
    list: values.list ?? false,
    ...(values.env !== undefined && { envFile: values.env }),
  }
}

function limitKeys(text: string): LimitKey[] {
  if (text === 'nothing') return [[]]
  return text.split(',').map((key) =>
    key.split('+').map((part) => {
      if (part === 'client' || part === 'user' || part === 'address') return part
      throw new UsageError(
        `--limit-by must name client, user or address, such as client+user,address, or nothing, not '${text}'.`,
      )
    }),
  )
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string' },
        fault: { type: 'string', multiple: true },
        variant: { type: 'string', multiple: true },
        limit: { type: 'string' },
        'limit-by': { type: 'string' },
        seed: { type: 'string' },
        'events-every': { type: 'string' },
        env: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]?.replace(/\.$/, '')}. See --help.`)
  }
}

/** Faults and variants with the requirements they are about, for the traceability matrix. */
async function alterations() {
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
    variants: variants.map(({ name, summary, concerns }) => ({ name, summary, requirements: concerns })),
  }
}

async function main(): Promise<void> {
  // A terminal interrupts a parent and its children at once: then the parent says when to end.
  if (process.send) process.on('SIGINT', () => {})
  const { options, envFile, help, list } = readArguments(process.argv.slice(2))
  if (help) {
    process.stdout.write(USAGE)
    return
  }
  if (list) {
    process.stdout.write(`${JSON.stringify(await alterations(), null, 2)}\n`)
    return
  }
  if (envFile && (await isForeign(envFile))) {
    throw new UsageError(
      `--env: ${envFile} was not written by a provider, so it is left as it is: name another file, or move it away.`,
    )
  }
  // Loaded late, so that --help and mistakes are answered at once.
  const { startProvider } = await import('./index.ts')
  const running = await startProvider({
    ...options,
    onFailedDelivery: (line) => void process.stderr.write(`${line}\n`),
  })
  const { variables } = running

  const close = async () => {
    await running.close()
    process.disconnect?.()
  }
  if (!process.send) process.once('SIGINT', close)
  process.once('SIGTERM', close)
  // A parent that is gone leaves no orphan behind.
  process.once('disconnect', () => process.exit(0))

  if (envFile) {
    try {
      await writeVariables(envFile, variables)
    } catch (error) {
      await running.close()
      const { code } = error as NodeJS.ErrnoException
      const why = code === 'ENOENT' ? `there is no folder ${dirname(envFile)}` : code
      throw new UsageError(`--env: ${envFile} cannot be written (${why}).`)
    }
  }
  process.stdout.write(`# Listening on ${running.issuer}; stop with Ctrl+C.\n${dotenv(variables)}`)
  process.send?.({ ready: true, variables })
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(3)
})
