import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { run } from './command.mjs'
import { diskSentence, SetupFailure, systemCode } from './failure.mjs'
import { NODE_NEEDED, runsPlumbline } from './node-version.mjs'

/** @import { SetupContext } from './main.mjs' */
/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockedPackage */
/** @typedef {{ packages: Record<string, LockedPackage & Record<string, unknown>> }} LockFile */

const NPM_LIMIT_MS = 15 * 60_000
const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies']

/** The Node binary that comes as a package where there is one for the platform: see optionalDependencies. */
const PINNED_NODE = `node_modules/node-${process.platform}-${process.arch}`

/**
 * Whether node_modules holds what package-lock.json asks for. npm records what it installed in
 * node_modules/.package-lock.json as its last act, so an interrupted `npm ci` never looks complete.
 *
 * @param {string} root
 * @returns {boolean}
 * @throws {SetupFailure} when package-lock.json cannot be read or no Node here can run Plumbline
 */
export function packagesInstalled(root) {
  const locked = readLock(root)
  const hasPinnedNode = PINNED_NODE in locked.packages
  if (!hasPinnedNode) requireSystemNode()
  if (!matchesManifest(root, locked)) return false
  const installed = readInstalled(root)
  if (!installed) return false
  for (const [folder, wanted] of Object.entries(locked.packages)) {
    // Optional ones depend on the platform; of them, only the Node binary is one that set-up relies on.
    if (folder === '' || (wanted.optional && folder !== PINNED_NODE)) continue
    const found = installed.packages[folder]
    if (!found || found.version !== wanted.version || found.integrity !== wanted.integrity) return false
  }
  return !hasPinnedNode || existsSync(pinnedNode(root)) || runsPlumbline(process.versions.node)
}

/**
 * Runs `npm ci`, then checks that the Node it brought can run here.
 *
 * @param {SetupContext} context
 * @throws {SetupFailure} with what to do about the reason npm gives
 */
export async function installPackages({ root, env, logs, verbose, say, lock }) {
  say('installing packages (npm ci) …')
  const logFile = path.join(logs, 'npm-ci.log')
  const result = await run('npm', npmArguments(), {
    env: npmEnvironment(root, env),
    cwd: root,
    timeoutMs: NPM_LIMIT_MS,
    logFile,
    verbose,
    onStart: (pid) => lock.addProcess(pid),
  })
  if (result.missing) {
    throw new SetupFailure(
      'npm is not on the PATH: install it (`apt-get install npm`) and run the same command again.',
    )
  }
  if (result.timedOut) {
    throw new SetupFailure(
      `npm ci did not finish within ${NPM_LIMIT_MS / 60_000} minutes: check the connection to the npm registry and run the same command again.`,
    )
  }
  if (result.code !== 0) throw new SetupFailure(npmSentence(result.output, root, logFile))
  checkPinnedNode(root)
}

/** The command inside the checkout: `npx plumbline` looks here first. @param {string} root */
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

function npmArguments() {
  return [
    'ci',
    // Everything, whatever the user's configuration leaves out: the tests need the tools, and Node is optional.
    '--include=dev',
    '--include=optional',
    // Packages made for a newer Node run on the one that is being installed.
    '--no-engine-strict',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    // An unreachable registry should be known in seconds, not minutes.
    '--fetch-retries=2',
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=5000',
    '--fetch-timeout=60000',
  ]
}

/** @param {string} root @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
function npmEnvironment(root, env) {
  const own = path.join(root, 'node_modules', '.bin')
  // npm must not run on the Node that it is about to replace.
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.resolve(folder) !== own)
  return { ...env, PATH: folders.join(path.delimiter), PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
}

/** What npm's error codes mean to whoever ran the command. @param {string} output @param {string} root @param {string} logFile */
function npmSentence(output, root, logFile) {
  const code = /npm (?:error|ERR!) code (\S+)/.exec(output)?.[1] ?? ''
  const registry = /https?:\/\/[^/\s:]+(?::\d+)?/.exec(output)?.[0]
  const where = `the npm registry${registry ? ` (${registry})` : ''}`
  const log = `npm's own words are in ${logFile}`
  if (code === 'EUSAGE') {
    return 'package.json and package-lock.json are out of step: run `npm install`, keep the package-lock.json it writes, and run the same command again.'
  }
  const disk = diskSentence(code, root)
  if (disk) return disk
  if (/CERT|SIGNATURE|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return `The certificate of ${where} is not trusted (${code}): name your authority in NODE_EXTRA_CA_CERTS and run the same command again; ${log}.`
  }
  if (
    /^(ENOTFOUND|EAI_AGAIN|ECONN\w*|E\w*TIMEDOUT|E\w*TIMEOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|E5\d\d|E429)$/.test(
      code,
    )
  ) {
    return `Cannot reach ${where} (${code}): check the network, HTTPS_PROXY and npm's registry setting, and run the same command again; ${log}.`
  }
  if (/^(E40\d|ETARGET|EINTEGRITY|ENOVERSIONS)$/.test(code)) {
    return `A package cannot be had from ${where} (${code}): check npm's registry setting and your access to it, and run the same command again; ${log}.`
  }
  return `npm ci failed${code ? ` (${code})` : ''}: read ${logFile}, mend what it names, and run the same command again.`
}
