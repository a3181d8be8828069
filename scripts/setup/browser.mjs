import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import util from 'node:util'
import { ChromiumPathError, findChromium, findOnPath } from '../../src/browser/find-chromium.mjs'
import { run } from './command.mjs'
import { SetupFailure } from './failure.mjs'

/** @import { FoundBrowser } from '../../src/browser/find-chromium.mjs' */
/** @import { SetupContext } from './context.mjs' */

const startLimitMs = 20_000
const downloadLimitMs = 3 * 60_000
const aptLimitMs = 10 * 60_000
/** Much faster than Chromium if no window is shown. Older releases of Debian do not include this package. */
const headlessShell = 'chromium-headless-shell'
const installHint =
  'install Chromium (`sudo apt-get install chromium`) or set CHROMIUM_PATH to a Chromium or Chrome executable, and run the same command again.'

/**
 * Whether there is a browser that starts. The fingerprint of the browser is saved in node_modules, so that the next
 * set-up does not start the browser again.
 *
 * @param {SetupContext} context
 * @returns {Promise<boolean>}
 * @throws {SetupFailure} if CHROMIUM_PATH is wrong
 */
export async function browserReady(context) {
  const found = findBrowser(context)
  if (!found) return false
  const fingerprint = fingerprintOf(found)
  if (fingerprint === readFingerprint(context.root)) return true
  if (!(await starts(found, context))) return false
  writeFingerprint(context.root, fingerprint)
  return true
}

/**
 * Installs a browser from Playwright, or else from Debian.
 *
 * @param {SetupContext} context
 * @throws {SetupFailure} if no browser can be installed, or the installed one does not start
 */
export async function installBrowser(context) {
  const present = findBrowser(context)
  // Installing another browser would not help: Plumbline prefers the present browser.
  if (present && present.source !== 'playwright') throw new SetupFailure(doesNotStart(present, context))
  if (!present && !downloadsForbidden(context.env)) await downloadBrowser(context)
  if (await browserReady(context)) return
  await installDebianBrowser(context)
  if (await browserReady(context)) return
  const found = findBrowser(context)
  throw new SetupFailure(found ? doesNotStart(found, context) : `No browser was found: ${installHint}`)
}

/**
 * Calls findChromium, with CHROMIUM_PATH from the environment or .env files.
 *
 * @param {SetupContext} context
 * @returns {FoundBrowser | undefined}
 * @throws {SetupFailure} if CHROMIUM_PATH is wrong
 */
export function findBrowser({ root, env }) {
  try {
    return findChromium({ ...env, CHROMIUM_PATH: configuredPath(root, env) })
  } catch (error) {
    if (error instanceof ChromiumPathError) throw new SetupFailure(error.message)
    throw error
  }
}

/**
 * Resolves CHROMIUM_PATH as a run does: from the environment, .env.<target>, then .env. Empty counts as not set.
 *
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
function configuredPath(root, env) {
  const shared = readVariables(path.join(root, '.env'))
  const target = readVariables(path.join(root, `.env.${env.TARGET || shared.TARGET || 'embedded'}`))
  return env.CHROMIUM_PATH || target.CHROMIUM_PATH || shared.CHROMIUM_PATH
}

/** @param {string} file @returns {NodeJS.Dict<string>} */
function readVariables(file) {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return {}
  }
  // Node before 20.12 lacks parseEnv; CHROMIUM_PATH must then be in the environment.
  return util.parseEnv?.(text) ?? {}
}

/** @param {FoundBrowser} browser @param {SetupContext} context */
async function starts(browser, { root, env, logs }) {
  const result = await run(browser.path, ['--version'], {
    env,
    cwd: root,
    timeoutMs: startLimitMs,
    logFile: path.join(logs, 'browser.log'),
    verbose: false,
  })
  return result.code === 0
}

/** @param {SetupContext} context */
async function downloadBrowser({ root, env, logs, verbose, say, lock }) {
  say("no browser found: downloading Playwright's Chromium (at most 3 minutes) …")
  const cli = path.join(root, 'node_modules', 'playwright', 'cli.js')
  const result = await run(process.execPath, [cli, 'install', 'chromium', '--no-shell'], {
    env,
    cwd: root,
    timeoutMs: downloadLimitMs,
    logFile: path.join(logs, 'playwright-install.log'),
    verbose,
    onStart: (pid) => lock.addProcess(pid),
  })
  if (result.code !== 0) say("  Playwright's Chromium could not be downloaded")
}

/** @param {SetupContext} context */
async function installDebianBrowser(context) {
  const prefix = await installPrefix(context)
  if (!prefix) return
  context.say('installing Chromium with apt-get …')
  const install = [
    'install',
    '-y',
    '-q',
    '--no-install-recommends',
    'chromium',
    'chromium-sandbox',
    'fonts-liberation',
  ]
  if (!hasPackageLists()) await aptGet(context, prefix, ['update', '-q'])
  if ((await aptGet(context, prefix, [...install, headlessShell])).code === 0) return
  // Old package lists may refer to versions that the mirror no longer has.
  await aptGet(context, prefix, ['update', '-q'])
  if ((await aptGet(context, prefix, [...install, headlessShell])).code === 0) return
  if ((await aptGet(context, prefix, install)).code !== 0) context.say('  apt-get could not install Chromium')
}

/**
 * The words before apt-get in a command; undefined if there is no apt-get, or if it needs a password.
 *
 * @param {SetupContext} context
 * @returns {Promise<string[] | undefined>}
 */
async function installPrefix({ root, env, logs }) {
  if (!findOnPath(['apt-get'], env)) return undefined
  if (process.getuid?.() === 0) return []
  const logFile = path.join(logs, 'sudo.log')
  const sudo = await run('sudo', ['-n', 'true'], {
    env,
    cwd: root,
    timeoutMs: 10_000,
    logFile,
    verbose: false,
  })
  return sudo.code === 0 ? ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive'] : undefined
}

/** @param {SetupContext} context @param {string[]} prefix @param {string[]} args */
function aptGet({ env, logs, verbose, lock }, prefix, args) {
  const [command = 'apt-get', ...rest] = [...prefix, 'apt-get', '-o', 'DPkg::Lock::Timeout=120', ...args]
  return run(command, rest, {
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    cwd: '/',
    timeoutMs: aptLimitMs,
    logFile: path.join(logs, `apt-get-${args[0]}.log`),
    verbose,
    onStart: (pid) => lock.addProcess(pid),
  })
}

function hasPackageLists() {
  try {
    return readdirSync('/var/lib/apt/lists').some((name) => name.includes('_Packages'))
  } catch {
    return false
  }
}

/** @param {NodeJS.ProcessEnv} env */
function downloadsForbidden(env) {
  return env.CI === 'true' || Boolean(env.PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD)
}

/** @param {FoundBrowser} browser @param {SetupContext} context */
function doesNotStart({ path: executable }, { logs }) {
  return `The browser ${executable} does not start (see ${path.join(logs, 'browser.log')}): repair it, or ${installHint}`
}

/** @param {string} root */
function fingerprintFile(root) {
  return path.join(root, 'node_modules', '.plumbline-browser')
}

/** Changes when the browser is replaced or upgraded. @param {FoundBrowser} browser */
function fingerprintOf({ path: executable }) {
  const { size, mtimeMs } = statSync(executable)
  return `${executable} ${size} ${mtimeMs}\n`
}

/** @param {string} root */
function readFingerprint(root) {
  try {
    return readFileSync(fingerprintFile(root), 'utf8')
  } catch {
    return undefined
  }
}

/** @param {string} root @param {string} fingerprint */
function writeFingerprint(root, fingerprint) {
  try {
    writeFileSync(fingerprintFile(root), fingerprint)
  } catch {
    // The checkout is read-only: the next set-up starts the browser again.
  }
}
