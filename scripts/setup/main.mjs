import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserReady, findBrowser, installBrowser } from './browser.mjs'
import { killRunning } from './command.mjs'
import { diskSentence, SetupFailure, systemCode } from './failure.mjs'
import { SetupLock } from './lock.mjs'
import { commandLinked, installPackages, linkCommand, packagesInstalled } from './packages.mjs'

/** @import { SetupContext } from './context.mjs' */

/**
 * @typedef {{ ready: () => boolean | Promise<boolean>, make: () => void | Promise<void> }} Step
 */

/** Exit codes: set-up cannot continue; a defect of Plumbline. */
const exitSetup = 3
const exitDefect = 4

/**
 * Installs everything that Plumbline needs to run. If nothing is missing, set-up prints nothing. If set-up cannot
 * continue, it prints one sentence, and the process exits with 3.
 */
export async function setUp() {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')
  const state = path.join(root, '.setup')
  const lock = new SetupLock(path.join(state, 'lock'))
  /** @type {SetupContext} */
  const context = {
    root,
    env: process.env,
    logs: state,
    verbose: process.argv.includes('--verbose'),
    say: (line) => console.error(`set-up: ${line}`),
    lock,
  }
  /** @type {[NodeJS.Signals, number][]} */
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]
  for (const [signal, exitCode] of signals) {
    process.once(signal, () => {
      killRunning()
      lock.release()
      process.exit(exitCode)
    })
  }
  try {
    await setUpCheckout(context)
  } catch (error) {
    process.exitCode = report(error, root)
  } finally {
    lock.release()
  }
}

/** @param {SetupContext} context */
async function setUpCheckout(context) {
  const { lock, say } = context
  const started = Date.now()
  const steps = stepsOf(context)
  if (await allReady(steps)) return
  // Reports a wrong CHROMIUM_PATH before the installation of packages, which takes minutes.
  findBrowser(context)
  await lock.acquire(say)
  for (const step of steps) {
    // Another set-up may have completed the step while this one waited.
    if (!(await step.ready())) await step.make()
  }
  say(`ready after ${Math.round((Date.now() - started) / 1000)} s`)
}

/** The steps in order: a step may depend on the steps before it. @param {SetupContext} context @returns {Step[]} */
function stepsOf(context) {
  const { root } = context
  return [
    { ready: () => packagesInstalled(root), make: () => installPackages(context) },
    { ready: () => commandLinked(root), make: () => linkCommand(root) },
    { ready: () => browserReady(context), make: () => installBrowser(context) },
  ]
}

/** @param {Step[]} steps */
async function allReady(steps) {
  for (const step of steps) {
    if (!(await step.ready())) return false
  }
  return true
}

/** @param {unknown} error @param {string} root @returns {number} the exit code */
function report(error, root) {
  const sentence = error instanceof SetupFailure ? error.message : diskSentence(systemCode(error), root)
  if (sentence) {
    console.error(sentence)
    return exitSetup
  }
  console.error(error)
  return exitDefect
}
