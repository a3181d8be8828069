import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { diskSentence, SetupFailure, systemCode } from './failure.mjs'
import { NODE_NEEDED, runsPlumbline } from './node-version.mjs'
import { cleanInstall } from './npm.mjs'

/** @import { SetupContext } from './context.mjs' */
/**
 * @typedef {string | string[]} Names
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: Names, cpu?: Names, libc?: Names }} LockedPackage
 */
/** @typedef {{ packages: Record<string, LockedPackage & Record<string, unknown>> }} LockFile */

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies']

/** The Node binary that comes as a package where there is one for the platform: see optionalDependencies. */
const PINNED_NODE = `node_modules/node-${process.platform}-${process.arch}`
const MUSL_LOADER = `/lib/ld-musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`
const SPACE_NEEDED = 1_000_000_000

/**
 * Whether node_modules holds what package-lock.json asks for on this platform.
 *
 * @param {string} root
 * @returns {boolean}
 * @throws {SetupFailure} when package-lock.json cannot be read or no Node here can run Plumbline
 */
export function packagesInstalled(root) {
  const locked = readLock(root)
  const hasPinnedNode = PINNED_NODE in locked.packages
  if (!hasPinnedNode) requireSystemNode()
  if (!matchesManifest(root, locked) || missingPackages(root, locked).length > 0) return false
  return !hasPinnedNode || existsSync(pinnedNode(root)) || runsPlumbline(process.versions.node)
}

/**
 * Runs `npm ci`, then checks what it brought.
 *
 * @param {SetupContext} context
 * @throws {SetupFailure} with what to do about the reason npm gives
 */
export async function installPackages(context) {
  const { root, say } = context
  say('installing packages (npm ci) …')
  const logFile = await cleanInstall(context)
  const missing = missingPackages(root, readLock(root))
  if (missing.length > 0) throw new SetupFailure(leftOutSentence(missing, root, logFile))
  checkPinnedNode(root)
}

/**
 * Folders of locked packages that are not there in the locked version. npm records what it installed in
 * node_modules/.package-lock.json as its last act, so an interrupted `npm ci` never looks complete.
 *
 * @param {string} root
 * @param {LockFile} locked
 */
function missingPackages(root, locked) {
  const installed = readInstalled(root)?.packages ?? {}
  return Object.entries(locked.packages)
    .filter(([folder, wanted]) => folder !== '' && isForThisPlatform(wanted))
    .filter(([folder, { version, integrity }]) => {
      const found = installed[folder]
      return found?.version !== version || found?.integrity !== integrity
    })
    .map(([folder]) => folder)
}

/** Optional packages without a platform are other packages' wishes, which npm may leave out. @param {LockedPackage} wanted */
function isForThisPlatform({ optional, os, cpu, libc }) {
  if (!optional) return true
  const libraries = existsSync(MUSL_LOADER) ? 'musl' : 'glibc'
  return (
    os !== undefined &&
    [os].flat().includes(process.platform) &&
    [cpu ?? process.arch].flat().includes(process.arch) &&
    [libc ?? libraries].flat().includes(libraries)
  )
}

/** The command for npm scripts, and for shells that have node_modules/.bin on their PATH. @param {string} root */
export function commandLinked(root) {
  const link = path.join(root, 'node_modules', '.bin', 'plumbline')
  return existsSync(link)
}

/** @param {string} root */
export function linkCommand(root) {
  const link = path.join(root, 'node_modules', '.bin', 'plumbline')
  rmSync(link, { force: true })
  symlinkSync(path.join('..', '..', 'bin', 'plumbline.mjs'), link)
}

/** @param {string} root */
function pinnedNode(root) {
  return path.join(root, 'node_modules', '.bin', 'node')
}

function requireSystemNode() {
  if (runsPlumbline(process.versions.node)) return
  throw new SetupFailure(
    `Node ${NODE_NEEDED} is needed on ${process.platform} ${process.arch}, where no Node comes with the packages, and this is ` +
      `Node ${process.versions.node}: install a newer one (https://nodejs.org) and run the same command again.`,
  )
}

/** @param {string} root */
function checkPinnedNode(root) {
  const node = pinnedNode(root)
  if (!existsSync(node)) return requireSystemNode()
  try {
    execFileSync(node, ['--version'], { stdio: 'ignore', timeout: 10_000 })
  } catch {
    // It is first on the PATH of every npm script, so one that cannot run here has to go (musl, for example).
    rmSync(node)
    requireSystemNode()
  }
}

/** @param {string} root @returns {LockFile} */
function readLock(root) {
  const file = path.join(root, 'package-lock.json')
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new SetupFailure(
      'package-lock.json is missing: restore it (`git checkout package-lock.json`) and run the same command again.',
    )
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new SetupFailure(
      'package-lock.json is not valid JSON, perhaps after a merge: restore it (`git checkout package-lock.json`) or run `npm install`, and run the same command again.',
    )
  }
}

/** @param {string} root @returns {LockFile | undefined} */
function readInstalled(root) {
  try {
    return JSON.parse(readFileSync(path.join(root, 'node_modules', '.package-lock.json'), 'utf8'))
  } catch {
    return undefined
  }
}

/** @param {string} root @param {LockFile} locked */
function matchesManifest(root, locked) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  return DEPENDENCY_FIELDS.every((field) =>
    isDeepStrictEqual(manifest[field] ?? {}, locked.packages['']?.[field] ?? {}),
  )
}

/**
 * npm ends well although an optional package, such as Node, could not be had; a full disk is one reason.
 *
 * @param {string[]} missing
 * @param {string} root
 * @param {string} logFile
 */
function leftOutSentence(missing, root, logFile) {
  const { bavail, bsize } = statfsSync(root)
  const disk = bavail * bsize < SPACE_NEEDED ? diskSentence('ENOSPC', root) : undefined
  return (
    disk ??
    `npm ci left out ${missing[0]}: delete node_modules and run the same command again (npm's own words: ${logFile}).`
  )
}
