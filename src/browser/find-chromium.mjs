// Plain JavaScript without dependencies: set-up runs this before any package is installed.
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * A browser that can be given to Playwright as `executablePath`.
 * @typedef {{ path: string, source: 'CHROMIUM_PATH' | 'playwright' | 'system' }} FoundBrowser
 */

/** Names under which distributions and Google install the browser. */
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Debian's Chromium without windows, which opens a page in a third of the time. It reads no proxy script. */
const WINDOWLESS_NAME = 'chromium-headless-shell'

/** CHROMIUM_PATH is set, but cannot be the browser. The message is one sentence with an example. */
export class ChromiumPathError extends Error {
  /** @override */
  name = 'ChromiumPathError'
}

/**
 * Finds the browser to use: CHROMIUM_PATH, then the one Playwright has downloaded, then Chromium or Chrome
 * on the PATH. Nothing is started or installed.
 *
 * @param {Record<string, string | undefined>} [env] variables to go by: CHROMIUM_PATH, PATH, and
 *   PLAYWRIGHT_BROWSERS_PATH, XDG_CACHE_HOME or HOME for Playwright's own folder
 * @param {{ complete?: boolean }} [use] complete: it has to show windows, or to read a proxy script
 * @returns {FoundBrowser | undefined} an absolute path, or undefined where there is none
 * @throws {ChromiumPathError} when CHROMIUM_PATH is set to something that is not an executable file
 */
export function findChromium(env = process.env, { complete = false } = {}) {
  if (env.CHROMIUM_PATH) return { path: configuredChromium(env.CHROMIUM_PATH), source: 'CHROMIUM_PATH' }
  const downloaded = playwrightChromium(env)
  if (downloaded) return { path: downloaded, source: 'playwright' }
  const installed = findOnPath(complete ? SYSTEM_NAMES : [WINDOWLESS_NAME, ...SYSTEM_NAMES], env)
  if (installed) return { path: installed, source: 'system' }
  return undefined
}

/**
 * The first of some commands that the PATH holds.
 *
 * @param {readonly string[]} names commands, the preferred first
 * @param {Record<string, string | undefined>} env the PATH is taken from here
 * @returns {string | undefined} an absolute path
 */
export function findOnPath(names, env) {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  for (const name of names) {
    for (const folder of folders) {
      const candidate = path.join(folder, name)
      if (isExecutableFile(candidate)) return candidate
    }
  }
  return undefined
}

/** @param {string} value */
function configuredChromium(value) {
  const absolute = path.resolve(value)
  if (isExecutableFile(absolute)) return absolute
  throw new ChromiumPathError(
    `CHROMIUM_PATH is "${value}", which is not an executable file: set it to a Chromium or Chrome executable, ` +
      'for example CHROMIUM_PATH=/usr/bin/chromium, or unset it to have one found.',
  )
}

/** @param {Record<string, string | undefined>} env */
function playwrightChromium(env) {
  // Loading Playwright takes a third of a second, so only where it may have something.
  if (!playwrightHasDownloads(env)) return undefined
  try {
    const { chromium } = createRequire(import.meta.url)('playwright')
    const executable = chromium.executablePath()
    return isExecutableFile(executable) ? executable : undefined
  } catch {
    // Not installed yet, or no build for this platform.
    return undefined
  }
}

/** @param {Record<string, string | undefined>} env */
function playwrightHasDownloads(env) {
  const configured = env.PLAYWRIGHT_BROWSERS_PATH
  // Anything but Linux keeps its downloads elsewhere, and "0" means inside the package: let Playwright say.
  if (configured === '0' || process.platform !== 'linux') return true
  const cache = env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache')
  try {
    return readdirSync(configured || path.join(cache, 'ms-playwright')).some((name) =>
      /^chromium-\d/.test(name),
    )
  } catch {
    return false
  }
}

/** @param {string} file */
function isExecutableFile(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
