import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupFailure, systemCode } from './failure.mjs'

const heartbeatMs = 5_000
/** A lock without a heartbeat for this time is abandoned, even if its owner is on another host. */
const abandonedMs = 60_000
const waitLimitMs = 20 * 60_000

/**
 * A lock on the checkout: a folder, because creating a folder is atomic. The lock lists the processes of its owner. A
 * killed set-up may leave npm running, and npm must end before the next set-up starts.
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
   * Waits for the lock and takes it.
   *
   * @param {(line: string) => void} say called once if another set-up is running
   * @throws {SetupFailure} after 20 minutes
   */
  async acquire(say) {
    const deadline = Date.now() + waitLimitMs
    let announced = false
    while (!this.#create()) {
      if (this.#clearIfAbandoned()) continue
      if (Date.now() > deadline) {
        throw new SetupFailure(
          `Another set-up has been running here for over 20 minutes: end it, or delete ${this.folder} if no set-up is running, and run the same command again.`,
        )
      }
      if (!announced) say('waiting for another set-up, which is running here')
      announced = true
      await sleep(200)
    }
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs)
    this.#heartbeat.unref()
  }

  /** Adds a process that must end before another set-up can take the lock. @param {number} pid */
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
      // The user removed the lock. This set-up continues.
    }
  }

  #clearIfAbandoned() {
    const owner = readOwner(this.folder)
    if (!isAbandoned(this.folder, owner)) return false
    // Renaming is atomic: if two set-ups find the lock abandoned, only one moves it. If another set-up has replaced the
    // abandoned lock by its own in the meantime, this set-up moves that lock back.
    const aside = `${this.folder}.abandoned-${process.pid}`
    try {
      renameSync(this.folder, aside)
    } catch {
      return true
    }
    if (readOwner(aside) !== owner) {
      try {
        renameSync(aside, this.folder)
        return false
      } catch {
        // Another set-up has created a new lock in the meantime. The new lock stays.
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
  const sinceHeartbeatMs = Date.now() - modifiedAt(folder)
  try {
    const { host, processes } = JSON.parse(owner ?? '')
    if (host === hostname() && !processes.some(isAlive)) return true
  } catch {
    // The owner was killed before it wrote its processes, or is about to write them.
    return sinceHeartbeatMs > 2 * heartbeatMs
  }
  return sinceHeartbeatMs > abandonedMs
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
