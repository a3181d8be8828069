import { SetupError } from '../../target/problem.ts'
import { compareLocal, type LocalDateTime } from '../local-time.ts'
import { type Checkpoint, type Feed, parseCheckpoint, writeCheckpoint } from './checkpoint.ts'
import type { Disk } from './disk.ts'
import { readLines } from './lines.ts'

/** How long, by the hub's clock, an event that was handed over is known at least; a file of ids lasts so long. */
const remembered = { hours: 24 } as const

/** Events that were handed over together. */
interface Entry {
  readonly keys: readonly string[]
  /** How far the sink was afterwards. */
  readonly position: number
}

/**
 * What a poller remembers over restarts: the checkpoint, in a file that is replaced as a whole, and beside it the
 * keys of events handed over, in files that are only appended to. A new one of these is begun when the checkpoint
 * has moved on by a day; the last two count.
 */
export class PollerMemory {
  readonly #disk: Disk
  readonly #path: string
  readonly #feed: Feed
  #checkpoint: Checkpoint
  /** Keys of the generation before, and of this one. */
  #known: [Set<string>, Set<string>] = [new Set(), new Set()]
  #position = 0

  private constructor(disk: Disk, path: string, feed: Feed, checkpoint: Checkpoint) {
    this.#disk = disk
    this.#path = path
    this.#feed = feed
    this.#checkpoint = checkpoint
  }

  /**
   * Reads what is remembered in a checkpoint file and beside it, or begins anew where there is no such file.
   * @param begin where to begin; asked only where there is no file
   * @throws {SetupError} where a file is damaged or about other events; nothing is changed then
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
      // Ids beside a checkpoint that somebody removed would hide events that are to come again.
      await disk.removeAll(`${path}.ids.`)
      await memory.#save(memory.#checkpoint)
      return memory
    }
    const memory = new PollerMemory(disk, path, feed, parseCheckpoint(text, path, feed))
    await memory.#recall()
    return memory
  }

  /** All events before this local time of the hub have been handed over. */
  get checkpoint(): LocalDateTime {
    return this.#checkpoint.at
  }

  /** How far the sink was after the last events that are remembered. */
  get position(): number {
    return this.#position
  }

  knows(key: string): boolean {
    return this.#known.some((keys) => keys.has(key))
  }

  /** Remembers events that were handed over. */
  async remember(keys: readonly string[], position: number): Promise<void> {
    const entry: Entry = { keys, position }
    await this.#disk.append(this.#idsPath(this.#checkpoint.generation), `${JSON.stringify(entry)}\n`)
    this.#take(entry)
  }

  /** Moves the checkpoint. */
  async advance(at: LocalDateTime): Promise<void> {
    const { generation, begunAt } = this.#checkpoint
    const over = compareLocal(begunAt.add(remembered), at) <= 0
    await this.#save(over ? { at, generation: generation + 1, begunAt: at } : { at, generation, begunAt })
    if (!over) return
    this.#known = [this.#known[1], new Set()]
    // Where no event comes for days, how far the sink is has to outlast the files of ids.
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
  try {
    const { keys, position } = JSON.parse(line) as Entry
    if (Array.isArray(keys) && keys.every((key) => typeof key === 'string') && Number.isInteger(position))
      return { keys, position }
  } catch {
    // Told below: a line that is no JSON is as damaged as one that holds something else.
  }
  throw new SetupError([
    {
      name: path,
      what: 'is damaged, so events could be handed over twice; restore it, or remove its checkpoint to begin anew',
    },
  ])
}
