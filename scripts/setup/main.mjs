import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserReady, findBrowser, installBrowser } from './browser.mjs'
import { endRunning } from './command.mjs'
import { diskSentence, SetupFailure, systemCode } from './failure.mjs'
import { SetupLock } from './lock.mjs'
import { commandLinked, installPackages, linkCommand, packagesInstalled } from './packages.mjs'

/** @import { SetupContext } from './context.mjs' */

/**
 * @typedef {{ ready: () => boolean | Promise<boolean>, make: () => void | Promise<void> }} Step
 */

/** Exit codes of the command line: set-up that cannot go on, and a defect of Plumbline itself. */
const EXIT_SETUP = 3
const EXIT_DEFECT = 4

/**
 * Brings the checkout to where Plumbline can run. Does nothing, and says nothing, where it already is.
 * Ends the process with exit 3 and one sentence when it cannot.
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
      endRunning()
      lock.release()
      process.exit(exitCode)
    })
  }
  try {
    await bringUp(context)
  } catch (error) {
    process.exitCode = report(error, root)
  } finally {
    lock.release()
  }
}

/** @param {SetupContext} context */
async function bringUp(context) {
  const { lock, say } = context
  const started = Date.now()
  const steps = stepsOf(context)
  if (await allReady(steps)) return
  // A wrong CHROMIUM_PATH should be known before minutes are spent on packages.
  findBrowser(context)
  await lock.acquire(say)
  for (const step of steps) {
    // Another set-up may have made it while this one waited.
    if (!(await step.ready())) await step.make()
  }
  say(`ready after ${Math.round((Date.now() - started) / 1000)} s`)
}

/** In this order: each step may use what those before it brought. @param {SetupContext} context @returns {Step[]} */
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
    return EXIT_SETUP
  }
  console.error(error)
  return EXIT_DEFECT
}
