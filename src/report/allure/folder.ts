import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { writeAtomically } from '../../results/stored-file.ts'
import type { AllureCheck, AttachedFile } from './result.ts'

/** A folder of Allure results. */
export class AllureFolder {
  /** What was written, by file name. */
  readonly files = new Map<string, Buffer>()
  readonly path: string
  /** The file that contains the content of a key. */
  readonly #originals = new Map<string, string>()

  constructor(path: string) {
    this.path = path
    mkdirSync(path, { recursive: true })
  }

  /** Writes a file; Allure's own writer would flush each file to the disk. */
  write(name: string, content: string | Buffer): void {
    this.files.set(name, Buffer.from(content))
    writeFileSync(join(this.path, name), content)
  }

  /** Writes attachments. Many checks share them: they are linked, since creating thousands of files is slow. */
  #attach(attachments: readonly AttachedFile[]): void {
    for (const { source, key, content } of attachments) {
      const original = this.#originals.get(key)
      if (original === undefined) {
        this.#originals.set(key, source)
        this.write(source, content())
        continue
      }
      const shared = this.files.get(original) ?? Buffer.of()
      this.files.set(source, shared)
      try {
        linkSync(join(this.path, original), join(this.path, source))
      } catch (error) {
        // The file system has no links.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') writeFileSync(join(this.path, source), shared)
      }
    }
  }

  /** Writes a check with its attachments; the times of a check that the reporter has written are kept. */
  add({ result, attachments }: AllureCheck): void {
    const name = `${result.uuid}-result.json`
    const file = join(this.path, name)
    const written = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const { start, stop } = timesIn(written) ?? result
    const content = JSON.stringify({ ...result, start, stop })
    // Before its attachments: otherwise Allure would guess the type of a file that no result has named yet.
    this.files.set(name, Buffer.from(content))
    this.#attach(attachments)
    // The end of the run may have changed the cause of a check.
    if (written !== content) writeAtomically(file, content)
  }
}

/** The times in a written result; undefined if there is none, or it is damaged. */
function timesIn(written: string | undefined): Pick<TestResult, 'start' | 'stop'> | undefined {
  try {
    return written === undefined ? undefined : (JSON.parse(written) as TestResult)
  } catch {
    return undefined
  }
}
