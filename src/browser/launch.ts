import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import type { Browser } from 'playwright'
import { withoutBrackets } from '../http/host.ts'
import { connectTls } from '../http/tls.ts'
import { openTunnel } from '../http/tunnel.ts'
import { SetupError } from '../target/problem.ts'
import type { ProxySettings } from '../target/target.ts'
import { ChromiumPathError, findChromium } from './find-chromium.mjs'
import { networkArguments, proxyFor } from './network-rules.ts'
import { type OpenAgent, UserAgent } from './user-agent.ts'
import { newWindows } from './windows.ts'

export interface LaunchOptions {
  /** CHROMIUM_PATH; by default the browser that `findChromium` finds. */
  readonly chromiumPath?: string
  /** The only hosts that the browser can reach: `name`, `name:port`, or `name:*` for any port. */
  readonly hosts: readonly string[]
  readonly proxy?: ProxySettings
  /** Shows the window, for example to write a login recipe. */
  readonly headed?: boolean
  /** Milliseconds to wait before each step, so that you can watch the window. */
  readonly slowMo?: number
  /** Environment with NODE_EXTRA_CA_CERTS, and with PATH to find the browser; by default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface LaunchedBrowser {
  readonly browser: Browser
  readonly openAgent: OpenAgent
  readonly path: string
  /** Whether the browser runs in Chromium's own sandbox. */
  readonly sandboxed: boolean
  readonly version: string
  close(): Promise<void>
}

/**
 * Chromium obeys only the last list of features, so this list repeats Playwright's. A test compares the two lists.
 * - RenderDocument: at this level a navigation keeps its frame, which halves the time of a silent authorization.
 * - PrefetchSchedulerTesting: never prefetches or prerenders, because the interceptor cannot pause such requests.
 * - LocalNetworkAccessChecks: documents that the interceptor delivers have no IP address. Without the warning mode,
 *   Chromium would refuse their requests to another host in a private network.
 * - NetworkServiceInProcess2: without a process for the network service, the browser saves a seventh of its work.
 */
const features = [
  ...['CDPScreenshotNewSurface', 'SkipListAccountsWithoutGaiaCookies', 'RenderDocument:level/crashed-frame'],
  'PrefetchSchedulerTesting:kPrefetchSchedulerTestingActiveSetSizeLimitForBase/0/kPrefetchSchedulerTestingActiveSetSizeLimitForBurst/0',
  'LocalNetworkAccessChecks:LocalNetworkAccessChecksWarn/true',
  'NetworkServiceInProcess2',
].join(',')

/** Flags that disable services of the vendor, the graphics process, and a process for each site. */
const flags = [
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--in-process-gpu',
  '--disable-site-isolation-trials',
  '--disable-quic',
  '--disable-auto-reload',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--no-first-run',
  '--no-pings',
  '--disable-blink-features=SharedWorker',
  // Memory of the scripts of one page, in MiB; src/browser/memory-guard.ts limits all other memory of a page.
  '--js-flags=--max-old-space-size=384',
  `--enable-features=${features}`,
]

/**
 * Starts the browser of a run, which can load only from `hosts`, and so never loads a redirect URI. The caller closes
 * the browser, also after a signal.
 * @throws {SetupError} if there is no browser, the browser does not start, or the proxy cannot be used
 */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const { env = process.env, headed = false, slowMo = 0, proxy } = options
  const path = options.chromiumPath ?? chromiumIn(env, headed || proxy !== undefined)
  const args = [
    ...flags,
    ...proxyArguments(options),
    ...(await certificateArguments(options, env.NODE_EXTRA_CA_CERTS)),
  ]
  const { chromium } = await loadPlaywright()
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const start = (chromiumSandbox: boolean) =>
    chromium.launch({ executablePath: path, headless: !headed, args, ...signals, chromiumSandbox, slowMo })
  // Chromium has no sandbox for root, and no sandbox without user namespaces.
  let sandboxed = process.getuid?.() !== 0
  const browser = await start(sandboxed)
    .catch((error: unknown) => {
      if (!sandboxed || !/sandbox/i.test(String(error))) throw error
      sandboxed = false
      return start(false)
    })
    .catch((error: unknown) => {
      throw notStarted(path, String(error))
    })
  const windows = newWindows(browser)
  return {
    browser,
    openAgent: (options) => UserAgent.open(windows, options),
    path,
    sandboxed,
    version: browser.version(),
    close: () => browser.close(),
  }
}

/** Whether this machine can show a window. */
export function hasScreen(): boolean {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

/** Loads Playwright on first use: without Playwright, commands that only list checks take half the time. */
export function loadPlaywright() {
  return import('playwright')
}

function chromiumIn(env: Readonly<Record<string, string | undefined>>, complete: boolean): string {
  try {
    const found = findChromium({ ...env }, { complete })
    if (found) return found.path
  } catch (error) {
    if (error instanceof ChromiumPathError)
      throw setupError('CHROMIUM_PATH', `cannot be used: ${error.message}`)
    throw error
  }
  const what = 'is not set, and no Chromium was found'
  const advice = 'install Chromium, or set CHROMIUM_PATH to its executable file'
  throw setupError('CHROMIUM_PATH', what, '/usr/bin/chromium', advice)
}

function proxyArguments({ hosts, proxy }: LaunchOptions): string[] {
  try {
    return networkArguments(hosts, proxy)
  } catch (error) {
    throw setupError('HTTPS_PROXY', (error as Error).message, 'http://proxy.example.com:3128')
  }
}

async function certificateArguments(
  { hosts, proxy }: LaunchOptions,
  file: string | undefined,
): Promise<string[]> {
  if (!file) return []
  try {
    const keys = await trustedKeys(hosts, file, proxy)
    return keys.length > 0 ? [`--ignore-certificate-errors-spki-list=${keys.join(',')}`] : []
  } catch {
    const what = `points to ${file}, which cannot be read as PEM certificates`
    throw setupError('NODE_EXTRA_CA_CERTS', what, '/etc/ssl/certs/company.pem')
  }
}

function notStarted(path: string, message: string): SetupError {
  return /\$DISPLAY|X server|ozone/i.test(message)
    ? setupError('DISPLAY', 'points to no screen, which --headed needs to open a window')
    : setupError(
        'CHROMIUM_PATH',
        `points to ${path}, which could not be started as a browser`,
        '/usr/bin/chromium',
      )
}

function setupError(name: string, what: string, example?: string, advice?: string): SetupError {
  return new SetupError({ name, what, ...(example && { example }), ...(advice && { advice }) })
}

const handshakeTimeoutMs = 5000

/**
 * The keys of the hosts whose certificates are valid with NODE_EXTRA_CA_CERTS, which Chromium does not read. Node
 * verifies each host, including its name, and the browser then accepts exactly these keys. The key of the authority
 * would be unsafe: Chromium would trust every server that sends the authority's certificate.
 *
 * Costs one TLS handshake per host, and no HTTP request. Omits a host that Node cannot reach or verify: the browser
 * reports the error.
 *
 * @param extraCertificates path of a PEM file
 * @returns SHA-256 digests of SubjectPublicKeyInfo (RFC 5280, 4.1) in base64
 */
async function trustedKeys(
  hosts: readonly string[],
  extraCertificates: string,
  proxy: ProxySettings | undefined,
): Promise<string[]> {
  const ca = [...getCACertificates('default'), readFileSync(extraCertificates, 'utf8')]
  const named = hosts.map((host) => host.replace(/:\*$/, ''))
  const keys = named.map((host) =>
    verifiedKey(new URL(`https://${host}`), ca, proxyFor(host, proxy)).catch(() => undefined),
  )
  return [...new Set((await Promise.all(keys)).filter((key) => key !== undefined))]
}

async function verifiedKey(url: URL, ca: string[], proxy: URL | undefined): Promise<string | undefined> {
  const host = withoutBrackets(url.hostname)
  const port = Number(url.port || 443)
  const tunnel = proxy && (await openTunnel(proxy, `${url.hostname}:${port}`, handshakeTimeoutMs))
  const socket = await connectTls(
    { ...(tunnel ? { socket: tunnel } : { port }), ca },
    host,
    handshakeTimeoutMs,
  )
  const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
  socket.destroy()
  return spki && createHash('sha256').update(spki).digest('base64')
}
