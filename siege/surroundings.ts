import { existsSync, writeFileSync } from 'node:fs'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type RunningProvider, startProvider } from '../provider/index.ts'
import { processTree } from '../src/browser/memory-guard.ts'
import { type Certificate, type Certificates, makeCertificates } from './certificates.ts'
import { type StartedCommand, startCommand } from './command.ts'
import { movedTo, pass, startFront } from './front.ts'
import { commandLine } from './process-tree.ts'
import { countsOf, outcomesIn } from './run-outcomes.ts'
import type { Attempt, Subject } from './subject.ts'
import { exitCodeFor, type Outcome } from './target-outcomes.ts'

/** The expected outcome of a run. */
interface Expected {
  readonly code: readonly number[]
  /** Permitted outcomes. */
  readonly outcomes: readonly Outcome[]
  /** Outcomes that must each occur. */
  readonly some?: readonly Outcome[]
  /** Expected output. */
  readonly prints?: RegExp
}

const searches = ['EVENT-SEARCH', 'EVENT-TIME-ORDER', 'EVENT-WINDOW-*', 'EVENT-FROM-*', 'KEYSET-SHAPE']
const logins = ['AUTHZ-CODE-FLOW', 'TOKEN-*', 'IDTOKEN-*', 'ACCESSTOKEN-*', 'USERINFO-*', 'EVENT-SEARCH']
const notJudged: readonly Outcome[] = ['not-applicable', 'observed']
/** Expected if the surroundings disturb a part of the run. */
const cutShort: Expected = {
  code: [2],
  outcomes: ['pass', 'environment', ...notJudged],
  some: ['pass', 'environment'],
}

/** Runs with a wrong or changing network, clock, key set or browser. */
export async function surroundings(): Promise<Subject> {
  const provider = await startProvider()
  const certificates = makeCertificates()
  const secure = (certificate: Certificate, expected: Expected) => () =>
    checkOverTls(provider, certificates, certificate, expected)
  const refused = (prints: RegExp): Expected => ({ code: [3], outcomes: [], prints })
  return {
    name: 'surroundings',
    promise:
      'An invalid certificate is refused; a clock, a key, a name, a host or a browser that changes during a run causes no wrong verdict.',
    method: 'The command checks a provider while its network, its clock, its keys or its browser misbehave.',
    attempts: new Map([
      [
        'a valid certificate of an authority in NODE_EXTRA_CA_CERTS',
        secure(certificates.issue('localhost', 2), { code: [0], outcomes: ['pass'], some: ['pass'] }),
      ],
      ['an expired certificate', secure(certificates.issue('localhost', -1), refused(/CERT_HAS_EXPIRED/))],
      [
        'a certificate for another name',
        secure(certificates.issue('elsewhere.invalid', 2), refused(/ERR_TLS_CERT_ALTNAME_INVALID/)),
      ],
      ['a self-signed certificate', secure(certificates.selfSigned(), refused(/SELF_SIGNED_CERT/))],
      ['a name that does not resolve during a run', () => checkWithoutNames(provider)],
      ['a host that is gone during a run', () => checkUntilGone(provider)],
      ...([180, -180] as const).map(
        (seconds) => [`a clock that is ${seconds} s off`, () => checkAtOtherTime(provider, seconds)] as const,
      ),
      ...(['key-rotated-beside', 'key-rotated-in-place'] as const).map(
        (variant) => [`signing keys: ${variant}`, () => checkVariant(variant)] as const,
      ),
      ['a browser that is killed in mid-login', () => checkWithoutBrowser(provider)],
    ]),
    close: async () => {
      certificates[Symbol.dispose]()
      await provider.close()
    },
  }
}

async function judge(run: StartedCommand, expected: Expected): Promise<Attempt> {
  const { code, output } = await run.ended
  const outcomes = outcomesIn(run.folder)
  const seen = new Set(outcomes.values())
  const held =
    expected.code.includes(code ?? -1) &&
    [...seen].every((outcome) => expected.outcomes.includes(outcome)) &&
    (expected.some ?? []).every((outcome) => seen.has(outcome)) &&
    (outcomes.size === 0 || code === exitCodeFor([...seen])) &&
    (expected.prints?.test(output) ?? true)
  return { held, measured: `exit code ${code ?? 'none'}: ${countsOf(outcomes)}` }
}

async function checkOverTls(
  provider: RunningProvider,
  { authority }: Certificates,
  { key, cert }: Certificate,
  expected: Expected,
): Promise<Attempt> {
  const origin = new URL(provider.variables.IDP_BASE_URL ?? '').origin
  const server = createSecureServer({ key, cert }, (request, response) => pass(origin, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `https://localhost:${(server.address() as AddressInfo).port}`
  try {
    const variables = { ...movedTo(address, provider.variables), NODE_EXTRA_CA_CERTS: authority }
    await using run = startCommand(
      ['check', '--no-report', '--only', 'KEYSET-SHAPE', 'EVENT-SEARCH'],
      variables,
    )
    return await judge(run, expected)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function checkWithoutNames(provider: RunningProvider): Promise<Attempt> {
  let goneFile = ''
  const front = await startFront(
    provider,
    ({ url = '' }) => {
      if (/events\/search/.test(url) && goneFile !== '' && !existsSync(goneFile)) writeFileSync(goneFile, '')
      return undefined
    },
    1,
  )
  const named = Object.entries(front.variables).map(([name, value]) => [
    name,
    value.replace('//127.0.0.1', '//localhost'),
  ])
  try {
    await using run = startCommand(
      ['check', '--no-report', '--only', ...searches],
      { ...Object.fromEntries(named), NODE_OPTIONS: preload('dns'), REQUESTS_PER_SECOND: '2' },
      {
        variablesOf: (folder) => {
          goneFile = join(folder, 'gone')
          return { SIEGE_DNS_GONE: goneFile }
        },
      },
    )
    return await judge(run, cutShort)
  } finally {
    front.close()
  }
}

async function checkUntilGone(provider: RunningProvider): Promise<Attempt> {
  let count = 0
  const front = await startFront(provider, ({ url = '' }) => {
    if (/events\/search/.test(url)) count += 1
    if (count === 3) front.close()
    return undefined
  })
  await using run = startCommand(['check', '--no-report', '--only', ...searches], front.variables)
  return await judge(run, cutShort)
}

async function checkAtOtherTime(provider: RunningProvider, seconds: number): Promise<Attempt> {
  const clock = { NODE_OPTIONS: preload('clock'), SIEGE_CLOCK_MS: String(seconds * 1000) }
  await using run = startCommand(['check', '--no-report', '--only', ...logins], {
    ...provider.variables,
    ...clock,
  })
  return await judge(run, cutShort)
}

async function checkVariant(variant: string): Promise<Attempt> {
  const provider = await startProvider({ variants: [variant] })
  try {
    await using run = startCommand(
      ['check', '--no-report', '--only', 'IDTOKEN-*', 'ACCESSTOKEN-*', 'KEYSET-*'],
      {
        ...provider.variables,
      },
    )
    return await judge(run, { code: [0], outcomes: ['pass', ...notJudged], some: ['pass'] })
  } finally {
    await provider.close()
  }
}

/** Kills the processes of the browser as soon as it requests the login page. */
async function checkWithoutBrowser(provider: RunningProvider): Promise<Attempt> {
  let command = 0
  const front = await startFront(provider, ({ url = '' }) => {
    if (/\/authorize/.test(url)) for (const id of browsersOf(command)) process.kill(id, 'SIGKILL')
    return undefined
  })
  try {
    await using run = startCommand(['check', '--no-report', '--only', ...logins], front.variables)
    command = run.child.pid ?? 0
    return await judge(run, cutShort)
  } finally {
    front.close()
  }
}

function browsersOf(command: number): number[] {
  return processTree(command).filter((id) => /--remote-debugging|--type=/.test(commandLine(id)))
}

function preload(name: string): string {
  return `--import=${pathToFileURL(join(import.meta.dirname, 'preload', `${name}.ts`)).href}`
}
