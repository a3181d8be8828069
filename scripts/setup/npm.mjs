import path from 'node:path'
import { run } from './command.mjs'
import { diskSentence, SetupFailure } from './failure.mjs'

/** @import { SetupContext } from './context.mjs' */

const ciLimitMs = 15 * 60_000
const pingLimitMs = 10_000
const noConnection =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w*|E\w*TIMEDOUT|E\w*TIMEOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH)$/

const ciArguments = [
  'ci',
  // The user's configuration may omit packages. Tests need the development tools, and Node is an optional package.
  '--include=dev',
  '--include=optional',
  // No package needs an install script.
  '--ignore-scripts',
  // Packages that need a newer Node run on the pinned Node, which npm installs as a package.
  '--no-engine-strict',
  '--loglevel=error',
  '--no-audit',
  '--no-fund',
  '--no-progress',
]

/**
 * Runs `npm ci`.
 *
 * @param {SetupContext} context
 * @returns {Promise<string>} the log file of npm
 * @throws {SetupFailure} with advice for npm's error code
 */
export async function cleanInstall(context) {
  const logFile = path.join(context.logs, 'npm-ci.log')
  const unreachable = await pingRegistry(context)
  const args = unreachable ? [...ciArguments, '--offline'] : ciArguments
  const result = await npm(context, args, ciLimitMs, logFile)
  if (result.timedOut) {
    throw new SetupFailure(
      `npm ci did not finish within ${ciLimitMs / 60_000} minutes: check the connection to the npm registry and run the same command again.`,
    )
  }
  if (result.code === 0) return logFile
  if (unreachable && npmCode(result.output) === 'ENOTCACHED') {
    throw new SetupFailure(npmSentence(unreachable, context.root, pingLog(context)))
  }
  throw new SetupFailure(npmSentence(result.output, context.root, logFile))
}

/**
 * Checks that the registry is reachable, because `npm ci` would try for minutes. Without the registry, `npm ci` can
 * still install cached packages.
 *
 * @param {SetupContext} context
 * @returns {Promise<string | undefined>} the output of npm if the registry is unreachable
 */
async function pingRegistry(context) {
  const args = ['ping', '--fetch-retries=0', `--fetch-timeout=${pingLimitMs}`]
  const answer = await npm(context, args, 2 * pingLimitMs, pingLog(context))
  if (answer.timedOut) return 'npm error code ETIMEDOUT'
  return noConnection.test(npmCode(answer.output)) ? answer.output : undefined
}

/** @param {SetupContext} context */
function pingLog({ logs }) {
  return path.join(logs, 'npm-ping.log')
}

/**
 * @param {SetupContext} context
 * @param {readonly string[]} args
 * @param {number} timeoutMs
 * @param {string} logFile
 */
async function npm({ root, env, verbose, lock }, args, timeoutMs, logFile) {
  const result = await run('npm', args, {
    env: npmEnvironment(root, env),
    cwd: root,
    timeoutMs,
    logFile,
    verbose,
    onStart: (pid) => lock.addProcess(pid),
  })
  if (!result.missing) return result
  throw new SetupFailure(
    'npm is not on the PATH: install it (`apt-get install npm`) and run the same command again.',
  )
}

/** @param {string} root @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
function npmEnvironment(root, env) {
  const own = path.join(root, 'node_modules', '.bin')
  // npm must not run on the Node in node_modules, because npm is about to replace that Node.
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.resolve(folder) !== own)
  return { ...env, PATH: folders.join(path.delimiter), PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
}

/** @param {string} output */
function npmCode(output) {
  return /npm (?:error|ERR!) code (\S+)/.exec(output)?.[1] ?? ''
}

/**
 * Explains an error code of npm.
 *
 * @param {string} output of npm
 * @param {string} root
 * @param {string} logFile the file with the output
 */
function npmSentence(output, root, logFile) {
  const code = npmCode(output)
  const registry = /https?:\/\/[^/\s:]+(?::\d+)?/.exec(output)?.[0]
  const where = `the npm registry${registry ? ` at ${registry}` : ''}`
  const again = `and run the same command again (npm log: ${logFile}).`
  if (code === 'EUSAGE') {
    return 'package.json and package-lock.json do not match: run `npm install`, keep the package-lock.json it writes, and run the same command again.'
  }
  const disk = diskSentence(code, root)
  if (disk) return disk
  if (/CERT|SIGNATURE|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return `The certificate of ${where} is not trusted (${code}): set NODE_EXTRA_CA_CERTS to the certificate of your authority ${again}`
  }
  if (noConnection.test(code) || /^(ENOTCACHED|E5\d\d|E429)$/.test(code)) {
    return `Cannot reach ${where} (${code}): check the network, HTTPS_PROXY and npm's registry setting, ${again}`
  }
  if (/^(E40\d|ETARGET|EINTEGRITY|ENOVERSIONS)$/.test(code)) {
    return `A package is not available from ${where} (${code}): check npm's registry setting and your access to it, ${again}`
  }
  return `npm ci failed${code ? ` (${code})` : ''}: read ${logFile}, fix the problem, and run the same command again.`
}
