import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { writeAtomically } from '../../results/stored-file.ts'
import type { AllureCheck, AttachedFile } from './result.ts'

/** The folder allure-results of a run. */
export class AllureFolder {
  /** The written contents by file name. */
  readonly files = new Map<string, Buffer>()
  readonly path: string
  /** By key of an attachment, the first file with its content. */
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

  /** Writes attachments. Equal attachments become links to one file, because creating thousands of files is slow. */
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
        // The file system may not support links.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') writeFileSync(join(this.path, source), shared)
      }
    }
  }

  /** Writes a check with its attachments. If the reporter has already written the check, the check keeps its times. */
  add({ result, attachments }: AllureCheck): void {
    const name = `${result.uuid}-result.json`
    const file = join(this.path, name)
    const written = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    const { start, stop } = timesIn(written) ?? result
    const content = JSON.stringify({ ...result, start, stop })
    // Allure reads the files in the order of `files`. The result comes first: it states the types of its attachments.
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
