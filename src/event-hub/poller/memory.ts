import { SetupError } from '../../target/problem.ts'
import { jsonIn } from '../../text/json.ts'
import { compareLocal, type LocalDateTime } from '../local-time.ts'
import { type Checkpoint, type Feed, parseCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { type Disk, readLines } from './disk.ts'

/** Minimum time that the key of a delivered event is remembered, by the hub's clock. A file of keys covers this time. */
const remembered = { hours: 24 } as const

/** Events that were delivered together. */
interface Entry {
  readonly keys: readonly string[]
  /** The position of the sink after this delivery. */
  readonly position: number
}

/**
 * The persistent state of a poller: the checkpoint, in a file that is replaced atomically, and the keys of delivered
 * events (`keyOf`), in append-only files beside it. When the checkpoint has advanced by a day, a new file of keys
 * starts. Only the last two files are used.
 */
export class PollerMemory {
  readonly #disk: Disk
  readonly #path: string
  readonly #feed: Feed
  #checkpoint: Checkpoint
  /** Keys of the previous and of the current file. */
  #known: [Set<string>, Set<string>] = [new Set(), new Set()]
  #position = 0

  private constructor(disk: Disk, path: string, feed: Feed, checkpoint: Checkpoint) {
    this.#disk = disk
    this.#path = path
    this.#feed = feed
    this.#checkpoint = checkpoint
  }

  /**
   * Reads the state from a checkpoint file and the files beside it. Starts a new state if there is no checkpoint file.
   * @param begin returns the first checkpoint; called only if there is no file
   * @throws {SetupError} if a file is damaged or of another feed; the files are then unchanged
   */
  static async open(
    disk: Disk,
    path: string,
    feed: Feed,
    begin: () => LocalDateTime | Promise<LocalDateTime>,
  ): Promise<PollerMemory> {
    const text = await disk.read(path)
    if (text === undefined) {
      const at = await begin()
      const memory = new PollerMemory(disk, path, feed, { at, generation: 0, begunAt: at })
      // Files of keys beside a removed checkpoint would hide events that have to be delivered again.
      await disk.removeAll(`${path}.ids.`)
      await memory.#save(memory.#checkpoint)
      return memory
    }
    const memory = new PollerMemory(disk, path, feed, parseCheckpoint(text, path, feed))
    await memory.#recall()
    return memory
  }

  /** All events before this local time of the hub have been delivered. */
  get checkpoint(): LocalDateTime {
    return this.#checkpoint.at
  }

  /** The position of the sink after the last remembered events. */
  get position(): number {
    return this.#position
  }

  knows(key: string): boolean {
    return this.#known.some((keys) => keys.has(key))
  }

  async remember(keys: readonly string[], position: number): Promise<void> {
    const entry: Entry = { keys, position }
    await this.#disk.append(this.#idsPath(this.#checkpoint.generation), `${JSON.stringify(entry)}\n`)
    this.#take(entry)
  }

  async advance(at: LocalDateTime): Promise<void> {
    const { generation, begunAt } = this.#checkpoint
    const hasFileEnded = compareLocal(begunAt.add(remembered), at) <= 0
    await this.#save(
      hasFileEnded ? { at, generation: generation + 1, begunAt: at } : { at, generation, begunAt },
    )
    if (!hasFileEnded) return
    this.#known = [this.#known[1], new Set()]
    // Writes the position of the sink into the new file, because old files are removed even if no event follows.
    await this.remember([], this.#position)
    if (generation > 0) await this.#disk.removeAll(this.#idsPath(generation - 1))
  }

  async #save(checkpoint: Checkpoint): Promise<void> {
    await this.#disk.replace(this.#path, writeCheckpoint(checkpoint, this.#feed))
    this.#checkpoint = checkpoint
  }

  async #recall(): Promise<void> {
    const { generation } = this.#checkpoint
    if (generation > 1) await this.#disk.removeAll(this.#idsPath(generation - 2))
    for (const [age, number] of [generation - 1, generation].entries()) {
      if (number < 0) continue
      const path = this.#idsPath(number)
      const { lines } = await readLines(this.#disk, path)
      for (const line of lines) this.#take(entryOf(line, path), this.#known[age])
    }
  }

  #take({ keys, position }: Entry, known = this.#known[1]): void {
    for (const key of keys) known.add(key)
    this.#position = position
  }

  #idsPath(generation: number): string {
    return `${this.#path}.ids.${generation}.jsonl`
  }
}

function entryOf(line: string, path: string): Entry {
  const { keys, position } = Object(jsonIn(line)) as Entry
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'string') && Number.isInteger(position))
    return { keys, position }
  throw new SetupError({
    name: path,
    what: 'is damaged, so events could be delivered twice: restore it, or remove its checkpoint to start again',
  })
}
