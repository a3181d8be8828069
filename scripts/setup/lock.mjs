import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupFailure, systemCode } from './failure.mjs'

const HEARTBEAT_MS = 5_000
/** Without a heartbeat for this long, the owner is gone, even where its process cannot be seen from here. */
const SILENT_MS = 60_000
const WAIT_LIMIT_MS = 20 * 60_000

/**
 * The right to change the checkout. A folder, because creating one either succeeds or finds it there.
 * The owner lists its processes in it: a killed set-up may leave npm running, and that must end first.
 */
export class SetupLock {
  /** @type {number[]} */
  #processes = [process.pid]
  /** @type {NodeJS.Timeout | undefined} */
  #heartbeat

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
  }

  /**
   * Waits until the lock is this process's.
   *
   * @param {(line: string) => void} say told once when another set-up is at work
   * @throws {SetupFailure} after 20 minutes
   */
  async acquire(say) {
    const deadline = Date.now() + WAIT_LIMIT_MS
    let told = false
    while (!this.#create()) {
      if (this.#clearIfAbandoned()) continue
      if (Date.now() > deadline) {
        throw new SetupFailure(
          `Another set-up has been at work here for over 20 minutes: end it, or delete ${this.folder} if there is none, and run the same command again.`,
        )
      }
      if (!told) say('another set-up is at work here: waiting for it')
      told = true
      await sleep(200)
    }
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  /** Names a process that must have ended before anybody else may take over. @param {number} pid */
  addProcess(pid) {
    this.#processes.push(pid)
    this.#writeOwner()
  }

  release() {
    if (!this.#heartbeat) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
    rmSync(this.folder, { recursive: true, force: true })
  }

  #create() {
    mkdirSync(path.dirname(this.folder), { recursive: true })
    try {
      mkdirSync(this.folder)
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false
      throw error
    }
    this.#writeOwner()
    return true
  }

  #writeOwner() {
    const owner = { host: hostname(), processes: this.#processes }
    writeFileSync(path.join(this.folder, 'owner.json'), JSON.stringify(owner))
  }

  #beat() {
    try {
      const now = new Date()
      utimesSync(this.folder, now, now)
    } catch {
      // Taken away by hand; the work under way is finished all the same.
    }
  }

  #clearIfAbandoned() {
    const judged = readOwner(this.folder)
    if (!isAbandoned(this.folder, judged)) return false
    // Renaming first: of two that judge it abandoned, only one moves it, and a fresh lock is put back.
    const aside = `${this.folder}.abandoned-${process.pid}`
    try {
      renameSync(this.folder, aside)
    } catch {
      return true
    }
    if (readOwner(aside) !== judged) {
      try {
        renameSync(aside, this.folder)
        return false
      } catch {
        // Somebody created a new one in between: theirs stands.
      }
    }
    rmSync(aside, { recursive: true, force: true })
    return true
  }
}

/** @param {string} folder @returns {string | undefined} */
function readOwner(folder) {
  try {
    return readFileSync(path.join(folder, 'owner.json'), 'utf8')
  } catch {
    return undefined
  }
}

/** @param {string} folder @param {string | undefined} owner @returns {boolean} */
function isAbandoned(folder, owner) {
  const silentMs = Date.now() - modifiedAt(folder)
  try {
    const { host, processes } = JSON.parse(owner ?? '')
    if (host === hostname() && !processes.some(isAlive)) return true
  } catch {
    // Killed between creating the folder and writing the owner, or just now about to write it.
    return silentMs > 2 * HEARTBEAT_MS
  }
  return silentMs > SILENT_MS
}

/** @param {string} folder */
function modifiedAt(folder) {
  try {
    return statSync(folder).mtimeMs
  } catch {
    return Date.now()
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM'
  }
}
