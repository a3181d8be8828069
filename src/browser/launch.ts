import { randomUUID } from 'node:crypto'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type LaunchOptions as PlaywrightOptions,
} from 'playwright'
import { SetupError } from '../target/problem.ts'
import { ChromiumPathError, findChromium } from './find-chromium.mjs'
import { networkArguments, type ProxySettings, proxyFor } from './network-rules.ts'
import { trustedKeys } from './trusted-keys.ts'

export interface LaunchOptions {
  /** CHROMIUM_PATH; absent: whatever can be found. */
  readonly chromiumPath?: string
  /** Everything the browser can reach: `name`, `name:port`, or `name:*` for any port. */
  readonly hosts: readonly string[]
  readonly proxy?: ProxySettings
  /** Shows the window, for people who write a login recipe. */
  readonly headed?: boolean
  /** For this process alone, which saves sending every message through a socket. */
  readonly inProcess?: boolean
  /** Where NODE_EXTRA_CA_CERTS and the browser are looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface LaunchedBrowser {
  /** For `connectBrowser`: in any process of this machine, unless it was launched for this one alone. */
  readonly wsEndpoint: string
  /** Its executable file. */
  readonly path: string
  /** Whether it runs in Chromium's own sandbox. */
  readonly sandboxed: boolean
  readonly version: string
  close(): Promise<void>
}

/** What a user agent needs of a browser. Closing it closes its windows, and leaves the browser running. */
export type BrowserConnection = Pick<Browser, 'newContext' | 'close'>

/**
 * Chromium heeds only the last list of features, so this one repeats Playwright's (a test compares them). At this level
 * of RenderDocument a navigation keeps its frame, which halves what a silent authorization costs.
 */
const features =
  'CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies,RenderDocument:level/crashed-frame'

/** Quiet, and slim: no services of the vendor, no graphics process, no process per site. */
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
  `--enable-features=${features}`,
]

/** Browsers that were launched for this process alone, by their endpoints. */
const ownBrowsers = new Map<string, Browser>()

/**
 * Starts the one browser of a run. It can load nothing outside `hosts`, so a redirect URI is never loaded.
 * The caller closes it, on signals too.
 *
 * @throws {SetupError} where there is no browser, it does not start, or the proxy cannot be used
 */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const { env = process.env, headed = false, inProcess = false, proxy } = options
  const path = options.chromiumPath ?? chromiumOn(env, headed || proxy !== undefined)
  const args = [...flags, ...proxied(options), ...(await pins(options, env.NODE_EXTRA_CA_CERTS))]
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const common = { executablePath: path, headless: !headed, args, ...signals }
  const start = (chromiumSandbox: boolean) =>
    (inProcess ? launchHere : launchServer)({ ...common, chromiumSandbox })
  // Chromium refuses its sandbox to root, and cannot have one where user namespaces are forbidden.
  let sandboxed = process.getuid?.() !== 0
  try {
    const launched = await start(sandboxed).catch((error: unknown) => {
      if (!sandboxed || !/sandbox/i.test(String(error))) throw error
      sandboxed = false
      return start(false)
    })
    return { ...launched, path, sandboxed }
  } catch (error) {
    throw notStarted(path, String(error))
  }
}

type Launched = Pick<LaunchedBrowser, 'wsEndpoint' | 'version' | 'close'>

async function launchHere(options: PlaywrightOptions): Promise<Launched> {
  const browser = await chromium.launch(options)
  const wsEndpoint = `in-process:${randomUUID()}`
  ownBrowsers.set(wsEndpoint, browser)
  browser.once('disconnected', () => ownBrowsers.delete(wsEndpoint))
  return { wsEndpoint, version: browser.version(), close: () => browser.close() }
}

async function launchServer(options: PlaywrightOptions): Promise<Launched> {
  const server = await chromium.launchServer({ ...options, host: '127.0.0.1' })
  const wsEndpoint = server.wsEndpoint()
  const connection = await chromium.connect(wsEndpoint)
  const version = connection.version()
  await connection.close()
  return { wsEndpoint, version, close: () => server.close() }
}

/**
 * Connects to the browser of the run, from a worker too.
 * @param slowMo milliseconds to wait before each step, for people who watch; not in a browser of this process alone
 */
export async function connectBrowser(wsEndpoint: string, slowMo = 0): Promise<BrowserConnection> {
  const browser = ownBrowsers.get(wsEndpoint)
  if (!browser) return chromium.connect(wsEndpoint, { slowMo })
  const contexts = new Set<BrowserContext>()
  return {
    async newContext(options) {
      const context = await browser.newContext(options)
      contexts.add(context)
      context.once('close', () => contexts.delete(context))
      return context
    },
    async close() {
      await Promise.allSettled([...contexts].map((context) => context.close()))
    },
  }
}

function chromiumOn(env: Readonly<Record<string, string | undefined>>, complete: boolean): string {
  try {
    const found = findChromium({ ...env }, { complete })
    if (found) return found.path
  } catch (error) {
    if (error instanceof ChromiumPathError) throw wrong('CHROMIUM_PATH', `cannot be used: ${error.message}`)
    throw error
  }
  const what = 'is not set and no Chromium was found: install Chromium, or name its executable file'
  throw wrong('CHROMIUM_PATH', what, '/usr/bin/chromium')
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
    const keys = await trustedKeys(hosts, file, (host) => proxyFor(host, proxy))
    return keys.length > 0 ? [`--ignore-certificate-errors-spki-list=${keys.join(',')}`] : []
  } catch {
    const what = `names ${file}, which cannot be read as PEM certificates`
    throw wrong('NODE_EXTRA_CA_CERTS', what, '/etc/ssl/certs/company.pem')
  }
}

function notStarted(path: string, message: string): SetupError {
  return /\$DISPLAY|X server|ozone/i.test(message)
    ? wrong('DISPLAY', 'names no screen to open the window on, as --headed asks for')
    : wrong(
        'CHROMIUM_PATH',
        `names or leads to ${path}, which could not be started as a browser`,
        '/usr/bin/chromium',
      )
}

function wrong(name: string, what: string, example?: string): SetupError {
  return new SetupError([{ name, what, ...(example !== undefined && { example }) }])
}
