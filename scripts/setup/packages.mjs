import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { diskSentence, SetupFailure, systemCode } from './failure.mjs'
import { requiredNode, runsPlumbline } from './node-version.mjs'
import { cleanInstall } from './npm.mjs'

/** @import { SetupContext } from './context.mjs' */
/**
 * @typedef {string | string[]} Names
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: Names, cpu?: Names, libc?: Names }} LockedPackage
 */
/** @typedef {{ packages: Record<string, LockedPackage & Record<string, unknown>> }} LockFile */

const dependencyFields = ['dependencies', 'devDependencies', 'optionalDependencies']

/** The package with the pinned Node. It exists only for the platforms in optionalDependencies. */
const pinnedNodePath = `node_modules/node-${process.platform}-${process.arch}`
const muslLoader = `/lib/ld-musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`
const spaceNeeded = 1_000_000_000

/**
 * Whether node_modules contains the packages of package-lock.json for this platform.
 *
 * @param {string} root
 * @returns {boolean}
 * @throws {SetupFailure} if package-lock.json cannot be read, or no available Node can run Plumbline
 */
export function packagesInstalled(root) {
  const locked = readLock(root)
  const hasPinnedNode = pinnedNodePath in locked.packages
  if (!hasPinnedNode) requireSystemNode()
  if (!matchesManifest(root, locked) || missingPackages(root, locked).length > 0) return false
  return !hasPinnedNode || existsSync(pinnedNode(root)) || runsPlumbline(process.versions.node)
}

/**
 * Runs `npm ci`, and verifies that all packages are installed.
 *
 * @param {SetupContext} context
 * @throws {SetupFailure} with advice for npm's error code
 */
export async function installPackages(context) {
  const { root, say } = context
  say('installing packages (npm ci) …')
  const logFile = await cleanInstall(context)
  const missing = missingPackages(root, readLock(root))
  if (missing.length > 0) throw new SetupFailure(incompleteInstallSentence(missing, root, logFile))
  checkPinnedNode(root)
}

/**
 * Folders of packages whose locked version is not installed. npm writes node_modules/.package-lock.json last, so all
 * packages are missing after an interrupted `npm ci`.
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

/** Whether a package is required, or optional and for this platform. @param {LockedPackage} wanted */
function isForThisPlatform({ optional, os, cpu, libc }) {
  if (!optional) return true
  const libraries = existsSync(muslLoader) ? 'musl' : 'glibc'
  return (
    os !== undefined &&
    [os].flat().includes(process.platform) &&
    [cpu ?? process.arch].flat().includes(process.arch) &&
    [libc ?? libraries].flat().includes(libraries)
  )
}

/** Whether npm scripts, and shells with node_modules/.bin on their PATH, find the command. @param {string} root */
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
    `Node ${requiredNode} is required on ${process.platform} ${process.arch}, for which no package of Node exists, but this is ` +
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
    // Removes this Node: it cannot run here, for example because of musl, and all npm scripts would use it.
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
  return dependencyFields.every((field) =>
    isDeepStrictEqual(manifest[field] ?? {}, locked.packages['']?.[field] ?? {}),
  )
}

/**
 * The message if npm succeeds but omits an optional package, such as Node. One reason is a full disk.
 *
 * @param {string[]} missing
 * @param {string} root
 * @param {string} logFile
 */
function incompleteInstallSentence(missing, root, logFile) {
  const { bavail, bsize } = statfsSync(root)
  const disk = bavail * bsize < spaceNeeded ? diskSentence('ENOSPC', root) : undefined
  return (
    disk ??
    `npm ci did not install ${missing[0]}: delete node_modules and run the same command again (npm log: ${logFile}).`
  )
}
