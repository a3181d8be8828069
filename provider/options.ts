import { parseArgs } from 'node:util'
import type { LimitKey } from './limiter.ts'
import type { ProviderOptions } from './start.ts'

export const USAGE = `Usage: node provider/main.ts [options]

Serves the embedded provider on 127.0.0.1 and prints the variables to use it with.

  --port N                  port (any free one by default)
  --fault NAME              inject a fault; can be repeated
  --variant NAME            behave like a variant; can be repeated
  --limit REQUESTS/SECONDS  limit requests per client, per user and per address, in windows that begin with
                            their first request (off by default)
  --limit-by KEYS           with --limit: count requests by these keys instead; "," separates limits, and "+"
                            combines keys: client+user,address; "nothing" sets one limit for all requests
  --seed TEXT               generate secrets and events from this text
  --events-every SECONDS    invent a claim change at this interval, for pollers and webhooks
  --env FILE                also write the variables to FILE: a new file, or one of a provider that has ended
  --list                    print all faults and variants as JSON and exit
  --help                    print this help and exit

Example: node provider/main.ts --port 4000 --variant descending-order --env .env.uat
`

/** A mistake in the options. The message is one sentence. */
export class UsageError extends Error {}

interface Arguments {
  options: ProviderOptions
  envFile?: string
  help: boolean
  list: boolean
}

/** @throws UsageError */
export function readArguments(args: string[]): Arguments {
  const { values } = parse(args)
  const options: ProviderOptions = { faults: values.fault ?? [], variants: values.variant ?? [] }
  if (values.port !== undefined) options.port = wholeNumber(values.port, 'port', 0, 65_535)
  if (values.seed !== undefined) options.seed = values.seed
  if (values['events-every'] !== undefined)
    options.eventsEvery = wholeNumber(values['events-every'], 'events-every', 1, 86_400)
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

function wholeNumber(text: string, option: string, least: number, greatest: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= greatest))
    throw new UsageError(`--${option} must be a whole number from ${least} to ${greatest}, not '${text}'.`)
  return value
}

function limitKeys(text: string): LimitKey[] {
  if (text === 'nothing') return [[]]
  return text.split(',').map((key) =>
    key.split('+').map((part) => {
      if (part === 'client' || part === 'user' || part === 'address') return part
      throw new UsageError(
        `--limit-by must consist of client, user and address, such as client+user,address, or be 'nothing', not '${text}'.`,
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
