// Plain JavaScript without dependencies: set-up runs this before any package is installed.
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * A browser for Playwright's `executablePath`.
 * @typedef {{ path: string, source: 'CHROMIUM_PATH' | 'playwright' | 'system' }} FoundBrowser
 */

/** Command names of the browser, as distributions and Google install it. */
const systemNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Debian's Chromium without windows. It opens a page in a third of the time, but reads no proxy script. */
const windowlessName = 'chromium-headless-shell'

/** CHROMIUM_PATH is not an executable file. The message is one sentence with an example. */
export class ChromiumPathError extends Error {
  /** @override */
  name = 'ChromiumPathError'
}

/**
 * Finds the browser: CHROMIUM_PATH, else the download of Playwright, else Chromium or Chrome on the PATH.
 * Starts and installs nothing.
 *
 * @param {Record<string, string | undefined>} [env] with CHROMIUM_PATH, PATH, and PLAYWRIGHT_BROWSERS_PATH,
 *   XDG_CACHE_HOME or HOME for Playwright's own folder
 * @param {{ complete?: boolean }} [use] complete: the browser must show windows or read a proxy script
 * @returns {FoundBrowser | undefined} an absolute path, or undefined if there is none
 * @throws {ChromiumPathError} when CHROMIUM_PATH is set to something that is not an executable file
 */
export function findChromium(env = process.env, { complete = false } = {}) {
  if (env.CHROMIUM_PATH) return { path: configuredChromium(env.CHROMIUM_PATH), source: 'CHROMIUM_PATH' }
  const downloaded = playwrightChromium(env)
  if (downloaded) return { path: downloaded, source: 'playwright' }
  const installed = findOnPath(complete ? systemNames : [windowlessName, ...systemNames], env)
  return installed ? { path: installed, source: 'system' } : undefined
}

/**
 * Finds the first of these commands that is on the PATH.
 * @param {readonly string[]} names commands, the preferred one first
 * @param {Record<string, string | undefined>} env with PATH
 * @returns {string | undefined} an absolute path
 */
export function findOnPath(names, env) {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutableFile)
}

/** @param {string} value */
function configuredChromium(value) {
  const absolute = path.resolve(value)
  if (isExecutableFile(absolute)) return absolute
  throw new ChromiumPathError(
    `CHROMIUM_PATH is "${value}", which is not an executable file: set it to a Chromium or Chrome executable, ` +
      'for example CHROMIUM_PATH=/usr/bin/chromium, or unset it, so that Plumbline finds one.',
  )
}

/** @param {Record<string, string | undefined>} env */
function playwrightChromium(env) {
  // Loading Playwright takes a third of a second, so check first for a downloaded browser.
  if (!playwrightHasDownloads(env)) return undefined
  try {
    const { chromium } = createRequire(import.meta.url)('playwright')
    const executable = chromium.executablePath()
    return isExecutableFile(executable) ? executable : undefined
  } catch {
    // Playwright is not installed yet, or has no browser for this platform.
    return undefined
  }
}

/** @param {Record<string, string | undefined>} env */
function playwrightHasDownloads({ PLAYWRIGHT_BROWSERS_PATH: configured, XDG_CACHE_HOME, HOME }) {
  // Only Playwright knows the folder on systems other than Linux, and for "0", which is inside its package.
  if (configured === '0' || process.platform !== 'linux') return true
  const cache = XDG_CACHE_HOME || path.join(HOME || homedir(), '.cache')
  try {
    const names = readdirSync(configured || path.join(cache, 'ms-playwright'))
    return names.some((name) => /^chromium-\d/.test(name))
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
