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
  /** CHROMIUM_PATH; by default the first Chromium found. */
  readonly chromiumPath?: string
  /** The only hosts that the browser can reach: `name`, `name:port`, or `name:*` for any port. */
  readonly hosts: readonly string[]
  readonly proxy?: ProxySettings
  /** Shows the window, for people who write a login recipe. */
  readonly headed?: boolean
  /** Milliseconds to wait before each step, for people who watch. */
  readonly slowMo?: number
  /** Where NODE_EXTRA_CA_CERTS and the browser are looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface LaunchedBrowser {
  readonly browser: Browser
  /** Opens a user agent in a new window. */
  readonly openAgent: OpenAgent
  /** The executable file of the browser. */
  readonly path: string
  /** Whether the browser runs in Chromium's own sandbox. */
  readonly sandboxed: boolean
  readonly version: string
  close(): Promise<void>
}

/**
 * Chromium obeys only the last list of features, so this one repeats Playwright's (a test compares them). At this level
 * of RenderDocument a navigation keeps its frame, which halves the time of a silent authorization. The scheduler for tests
 * never prefetches or prerenders: requests of speculation rules cannot be paused. Documents that the request interceptor
 * delivers have no IP address, so Chromium would refuse their requests to another host in a private network. The network
 * service has no process of its own, which saves a seventh of the browser's work.
 */
const features = [
  ...['CDPScreenshotNewSurface', 'SkipListAccountsWithoutGaiaCookies', 'RenderDocument:level/crashed-frame'],
  'PrefetchSchedulerTesting:kPrefetchSchedulerTestingActiveSetSizeLimitForBase/0/kPrefetchSchedulerTestingActiveSetSizeLimitForBurst/0',
  'LocalNetworkAccessChecks:LocalNetworkAccessChecksWarn/true',
  'NetworkServiceInProcess2',
].join(',')

/** No services of the vendor, no graphics process, no process per site. */
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
  // In MiB, for the scripts of one page; src/browser/memory-guard.ts limits what else a page uses.
  '--js-flags=--max-old-space-size=384',
  `--enable-features=${features}`,
]

/**
 * Starts the browser of a run. It can load nothing outside `hosts`, so it never loads a redirect URI. The caller closes
 * it, also on signals.
 * @throws {SetupError} if there is no browser, it does not start, or the proxy cannot be used
 */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const { env = process.env, headed = false, slowMo = 0, proxy } = options
  const path = options.chromiumPath ?? chromiumOn(env, headed || proxy !== undefined)
  const args = [...flags, ...proxied(options), ...(await pins(options, env.NODE_EXTRA_CA_CERTS))]
  const { chromium } = await loadPlaywright()
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const start = (chromiumSandbox: boolean) =>
    chromium.launch({ executablePath: path, headless: !headed, args, ...signals, chromiumSandbox, slowMo })
  // Chromium has no sandbox for root, or without user namespaces.
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

/** Whether a window can be opened on this machine. */
export function hasScreen(): boolean {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

/** Loads Playwright on first use: commands that only list checks take half the time without it. */
export function loadPlaywright() {
  return import('playwright')
}

function chromiumOn(env: Readonly<Record<string, string | undefined>>, complete: boolean): string {
  try {
    const found = findChromium({ ...env }, { complete })
    if (found) return found.path
  } catch (error) {
    if (error instanceof ChromiumPathError) throw wrong('CHROMIUM_PATH', `cannot be used: ${error.message}`)
    throw error
  }
  const what = 'is not set, and no Chromium was found'
  const advice = 'install Chromium, or set CHROMIUM_PATH to its executable file'
  throw wrong('CHROMIUM_PATH', what, '/usr/bin/chromium', advice)
}

function proxied({ hosts, proxy }: LaunchOptions): string[] {
  try {
    return networkArguments(hosts, proxy)
  } catch (error) {
    throw wrong('HTTPS_PROXY', (error as Error).message, 'http://proxy.example.com:3128')
  }
}

async function pins({ hosts, proxy }: LaunchOptions, file: string | undefined): Promise<string[]> {
  if (!file) return []
  try {
    const keys = await trustedKeys(hosts, file, proxy)
    return keys.length > 0 ? [`--ignore-certificate-errors-spki-list=${keys.join(',')}`] : []
  } catch {
    const what = `points to ${file}, which cannot be read as PEM certificates`
    throw wrong('NODE_EXTRA_CA_CERTS', what, '/etc/ssl/certs/company.pem')
  }
}

function notStarted(path: string, message: string): SetupError {
  return /\$DISPLAY|X server|ozone/i.test(message)
    ? wrong('DISPLAY', 'points to no screen, which --headed needs to open a window')
    : wrong(
        'CHROMIUM_PATH',
        `points to ${path}, which could not be started as a browser`,
        '/usr/bin/chromium',
      )
}

function wrong(name: string, what: string, example?: string, advice?: string): SetupError {
  return new SetupError({ name, what, ...(example && { example }), ...(advice && { advice }) })
}

const timeoutMs = 5000

/**
 * Keys of servers whose certificates are valid only with NODE_EXTRA_CA_CERTS, as SHA-256 digests of
 * SubjectPublicKeyInfo (RFC 5280, 4.1) in base64. Chromium does not read that file, and if it ignored errors for the
 * key of the authority, it would trust every server that sends the authority's certificate. So Node verifies each
 * server, including its name, and the browser accepts exactly that server's key.
 *
 * It takes one TLS handshake per host and no HTTP request. It omits hosts that it cannot reach or verify: the browser
 * reports their error.
 *
 * @param extraCertificates path of a PEM file
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
  const tunnel = proxy && (await openTunnel(proxy, `${url.hostname}:${port}`, timeoutMs))
  const socket = await connectTls({ ...(tunnel ? { socket: tunnel } : { port }), ca }, host, timeoutMs)
  const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
  socket.destroy()
  return spki && createHash('sha256').update(spki).digest('base64')
}
