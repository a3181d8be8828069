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
 *   `missing`: the command does not exist; `output`: standard output and error in order of arrival
 */

/** @type {Set<number>} process groups that must end with the set-up */
const running = new Set()

/**
 * Runs a command without input. Its output goes to the log, and with `verbose` also to standard error.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {CommandOptions} options
 * @returns {Promise<CommandResult>} never rejects: `code` is null if the command cannot start
 */
export async function run(command, args, { env, cwd, timeoutMs, logFile, verbose, onStart }) {
  /** @type {CommandResult} */
  const result = await new Promise((resolve) => {
    // A separate process group, so that a kill also ends the processes that npm and Playwright start.
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
      if (pid !== undefined) killGroup(pid)
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

export function killRunning() {
  for (const pid of running) killGroup(pid)
}

/** @param {number} pid */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended, or belongs to root (started with sudo) and ends by itself.
  }
}

/** @param {string} file @param {string} text */
function keepLog(file, text) {
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch {
    // The result of the command is more important than its log.
  }
}
