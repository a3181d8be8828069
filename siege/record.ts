import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '../src/project.ts'

type Held = Record<string, Record<string, number>>

/** How often in a row each attempt held, by subject and name. An interrupted siege continues from this record. */
export class SiegeRecord {
  readonly #file = join(projectRoot, 'reports', 'siege.json')
  readonly #held = read(this.#file)

  heldOf(subject: string, attempt: string): number {
    return this.#held[subject]?.[attempt] ?? 0
  }

  /** Resets an attempt to 0. */
  forget(subject: string, attempt: string): void {
    delete this.#held[subject]?.[attempt]
  }

  /** Counts an attempt that held. Resets an attempt that did not hold to 0. */
  add(subject: string, attempt: string, held: boolean): void {
    const attempts = this.#held[subject] ?? {}
    this.#held[subject] = attempts
    attempts[attempt] = held ? this.heldOf(subject, attempt) + 1 : 0
    mkdirSync(dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify(this.#held, null, 2))
  }
}

function read(file: string): Held {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
