import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * @typedef {{
 *   env: NodeJS.ProcessEnv,
 *   cwd: string,
 *   timeoutMs: number,
 *   logFile: string,
 *   verbose: boolean,
 *   onStart?: (pid: number) => void,
 * }} CommandOptions
 * @typedef {{ code: number | null, output: string, timedOut: boolean, missing: boolean }} CommandResult
 *   `missing`: there is no such command; `output`: standard output and error, as they came
 */

/** @type {Set<number>} groups of processes that must not outlive set-up */
const running = new Set()

/**
 * Runs a command without input, its output kept for the log instead of shown (shown too when verbose).
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {CommandOptions} options
 * @returns {Promise<CommandResult>} it never rejects: a command that cannot start has `code` null
 */
export async function run(command, args, { env, cwd, timeoutMs, logFile, verbose, onStart }) {
  /** @type {CommandResult} */
  const result = await new Promise((resolve) => {
    // A group of its own: npm and Playwright start processes that have to end with them.
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const { pid } = child
    let output = ''
    let timedOut = false
    if (pid !== undefined) {
      running.add(pid)
      onStart?.(pid)
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        if (verbose) process.stderr.write(text)
      })
    }
    const timer = setTimeout(() => {
      timedOut = true
      if (pid !== undefined) endGroup(pid)
    }, timeoutMs)
    /** @param {number | null} code @param {boolean} missing */
    const finish = (code, missing) => {
      clearTimeout(timer)
      if (pid !== undefined) running.delete(pid)
      resolve({ code, output, timedOut, missing })
    }
    child.once('error', (error) => {
      output += `${error.message}\n`
      if (pid === undefined) finish(null, 'code' in error && error.code === 'ENOENT')
    })
    child.once('close', (code) => finish(code, false))
  })
  keepLog(logFile, `$ ${command} ${args.join(' ')}\n${result.output}`)
  return result
}

/** Ends everything `run` has started and that still runs. */
export function endRunning() {
  for (const pid of running) endGroup(pid)
}

/** @param {number} pid */
function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Ended already, or owned by root (started through sudo), which ends by itself.
  }
}

/** @param {string} file @param {string} text */
function keepLog(file, text) {
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch {
    // A full disk must not hide the failure that the log is about.
  }
}
