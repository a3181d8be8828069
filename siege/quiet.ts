import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type RunningProvider, startProvider } from '../provider/index.ts'
import { startCommand } from './command.ts'
import { type Echo, startEcho } from './echo.ts'
import { contentsOf, leaksIn, openTo } from './leaks.ts'
import { listensBeyondLoopback } from './listening.ts'
import type { Attempt, Subject } from './subject.ts'

/** Arguments of the command: checks of all endpoints with secrets, with a report. */
const checks = [
  'check',
  '--only',
  ...['AUTHZ-STATE-*', 'AUTHZ-CODE-FLOW', 'AUTHZ-NONCE-*', 'TOKEN-*', 'IDTOKEN-*'],
  ...['USERINFO-*', 'INTROSPECTION-*', 'EVENT-*', 'PLATFORM-*'],
]

interface Ending {
  /** Arguments of the command; `checks` by default. */
  readonly args?: readonly string[]
  readonly faults?: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  readonly signal?: NodeJS.Signals
  /** The exit code of a run that ended as intended; unset to accept any code. */
  readonly code?: number
}

const withoutReport = [...checks, '--no-report']

/** A signal is not sent before the target has received or issued this many secrets. */
const leastSecrets = 14
/** The signal then follows after a random time of at most this many milliseconds. */
const latestMs = 3000

/** Runs against a provider that repeats every secret in every part of its responses. */
export async function quiet(): Promise<Subject> {
  const crash = {
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'preload/crash.ts')).href}`,
    SIEGE_CRASH_AFTER_MS: '4000',
  }
  const endings: Readonly<Record<string, Ending>> = {
    'a run to its end': {},
    'a run with violations': { faults: ['id-token-audience-of-neighbour', 'code-replay-accepted'], code: 1 },
    'a run that crashes': { args: withoutReport, variables: crash, code: 4 },
    'a run that is killed': { signal: 'SIGKILL' },
    'a run that is terminated': { args: withoutReport, signal: 'SIGTERM' },
    'a run that is interrupted': { signal: 'SIGINT' },
    'a run with a wrong password': {
      args: withoutReport,
      variables: { TEST_PASSWORD: 'canary password+of/Ada=1' },
      code: 2,
    },
    'a run with a wrong client secret': {
      args: withoutReport,
      variables: { CLIENT_SECRET: 'canary secret+of/Ada=1' },
      code: 2,
    },
    doctor: { args: ['doctor'] },
    tokens: { args: ['tokens'] },
    events: { args: ['events'] },
  }
  return {
    name: 'quiet',
    promise:
      'No file and no output holds a secret: clear, URL-encoded, in hex, in base64 or in an archive. Only their owner can read the files, and nothing listens beyond loopback.',
    method:
      'The provider repeats secrets of each request in headers, cookies, descriptions and titles; after the run has ended, crashed or been killed, the test searches for everything that the provider received and issued.',
    attempts: new Map(Object.entries(endings).map(([name, ending]) => [name, () => attempt(ending)])),
    close: async () => {},
  }
}

async function attempt(ending: Ending): Promise<Attempt> {
  const provider = await startProvider({ faults: [...(ending.faults ?? [])] })
  try {
    return await attemptWith(provider, ending)
  } finally {
    await provider.close()
  }
}

async function attemptWith(
  provider: RunningProvider,
  { args = checks, variables = {}, signal, code: intended }: Ending,
): Promise<Attempt> {
  const echo = await startEcho(provider)
  for (const [name, value] of Object.entries(variables))
    if (/SECRET$|PASSWORD$/.test(name)) echo.secrets.set(value, name)
  await using run = startCommand(args, { ...echo.variables, ...variables })
  const listening = new Set<string>()
  const timer = setInterval(() => {
    for (const address of listensBeyondLoopback(run.child.pid ?? 0)) listening.add(address)
  }, 500)
  if (signal) void sendLater(signal, run.child, echo)
  const { code, output } = await run.ended
  clearInterval(timer)
  // The child processes of a killed run need time to end.
  if (signal === 'SIGKILL') await sleep(2000)
  echo.close()
  const contents = contentsOf(run.folder).set('the output', Buffer.from(output))
  const leaks = leaksIn(contents, echo.secrets)
  const open = openTo(join(run.folder))
  const files = [...contents.keys()].filter((name) => !name.includes('!')).length
  const isChecking = args[0] === 'check'
  const problems = [
    ...leaks,
    ...open.map((path) => `${path} is open to others`),
    ...listening,
    // An attempt without secrets or files proves nothing.
    ...(isChecking && echo.secrets.size < leastSecrets / 2 ? ['too few secrets'] : []),
    ...(isChecking && files < 1 ? ['no files'] : []),
    ...(signal && code === 0 ? ['ended before the signal'] : []),
    ...(intended !== undefined && code !== intended ? [`exit code is not ${intended}`] : []),
  ]
  return {
    held: problems.length === 0,
    measured: `exit code ${code ?? 'none'}, ${echo.secrets.size} secrets, ${files} files${problems
      .map((problem) => `; ${problem}`)
      .slice(0, 8)
      .join('')}`,
  }
}

async function sendLater(signal: NodeJS.Signals, child: ChildProcess, { secrets }: Echo): Promise<void> {
  while (secrets.size < leastSecrets && child.exitCode === null) await sleep(50)
  await sleep(Math.random() * latestMs)
  child.kill(signal)
}
