import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { formatLocal, parseLocal } from '../../../src/event-hub/local-time.ts'
import { parseCheckpoint, writeCheckpoint } from '../../../src/event-hub/poller/checkpoint.ts'
import { type Disk, fileSystem, lock, memoryDisk, readLines } from '../../../src/event-hub/poller/disk.ts'
import { PollerMemory } from '../../../src/event-hub/poller/memory.ts'
import { eventFile } from '../../../src/event-hub/poller/sink.ts'
import { SetupError } from '../../../src/target/problem.ts'
import { event } from '../events.ts'

const feed = { hub: 'https://api.invalid', client: 'partner', zone: 'Europe/Helsinki' }
const at = (text: string) => {
  const time = parseLocal(text)
  if (!time) throw new Error(text)
  return time.at
}
const begin = () => at('2026-03-02T10:00:00')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-poller-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

/** The error of a promise. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('files', () => {
  test('are the same on the disk and in the memory that the simulation uses', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.tuple(fc.constant('append'), fc.constantFrom('a', 'b'), fc.string({ unit: 'binary' })),
        fc.tuple(fc.constant('replace'), fc.constantFrom('a', 'b'), fc.string({ unit: 'binary' })),
        fc.tuple(fc.constant('truncate'), fc.constantFrom('a', 'b'), fc.nat(5)),
        fc.tuple(fc.constant('removeAll'), fc.constantFrom('a', 'b')),
      ),
      { maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const inside = mkdtempSync(join(folder, 'run-'))
        const disks: Disk[] = [fileSystem, memoryDisk()]
        for (const [name, file, ...rest] of sequence) {
          const path = join(inside, file as string)
          const size = (await fileSystem.size(path)) ?? 0
          if (name === 'truncate' && size === 0) continue
          const words = name === 'truncate' ? [Math.min(size, rest[0] as number)] : rest
          const [real, simulated] = await Promise.all(
            disks.map((disk) =>
              (disk[name as keyof Disk] as (...words: unknown[]) => unknown)(`${path}`, ...words),
            ),
          )
          expect(simulated).toEqual(real)
        }
        for (const file of ['a', 'b']) {
          for (const from of [0, 1, 7]) {
            const [real, simulated] = await Promise.all(
              disks.map((disk) => disk.read(join(inside, file), from)),
            )
            expect(simulated).toEqual(real)
          }
        }
      }),
      { numRuns: 40 },
    )
  })

  test('are replaced atomically, and no temporary file remains', async () => {
    const path = join(folder, 'checkpoint')
    const contents = ['a'.repeat(100_000), 'b'.repeat(70_000)]
    await fileSystem.replace(path, contents[0] as string)
    let replacing = true
    const replaced = (async () => {
      for (let turn = 1; turn <= 20; turn += 1) await fileSystem.replace(path, contents[turn % 2] as string)
      replacing = false
    })()
    while (replacing) {
      expect(contents).toContain(readFileSync(path, 'utf8'))
      await new Promise(setImmediate)
    }
    await replaced
    expect(readdirSync(folder)).toEqual(['checkpoint'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['one line\nand half', 0, ['one line'], 9],
    ['no end', 0, [], 0],
    ['a\nb\nc\n', 2, ['b', 'c'], 6],
    ['a\nb\nc\n', 6, [], 6],
    // No line begins there: the file was replaced.
    ['abc\nd\n', 2, ['abc', 'd'], 6],
    ['a\n', 40, ['a'], 2],
  ])('lines of %j from byte %i', async (text, from, lines, end) => {
    const disk = memoryDisk()
    await disk.append('file', text)
    expect(await readLines(disk, 'file', from)).toEqual({ lines, end })
    expect(await disk.size('file')).toBe(end)
  })
})

describe('the checkpoint file', () => {
  const good = writeCheckpoint({ at: begin(), generation: 3, begunAt: begin() }, feed)

  test('is read as written', () => {
    const { at: time, generation } = parseCheckpoint(good, 'file', feed)
    expect(formatLocal(time)).toBe('2026-03-02T10:00:00.000')
    expect(generation).toBe(3)
  })

  test('truncated anywhere or changed in any byte, is rejected or has the same meaning', async () => {
    const damaged = fc.oneof(
      fc.nat(good.trimEnd().length - 1).map((length) => good.slice(0, length)),
      fc.json(),
      fc
        .tuple(fc.nat(good.length - 1), fc.constantFrom('{', '"', '9', ' ', 'x'))
        .map(([index, byte]) => good.slice(0, index) + byte + good.slice(index + 1)),
    )
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        const disk = memoryDisk()
        await disk.replace('file', text)
        const failure = await failureOf(PollerMemory.open(disk, 'file', feed, begin))
        if (failure === undefined) return
        expect(failure).toBeInstanceOf(SetupError)
        expect((failure as Error).message).toMatch(/^file is [^\n]+$/)
        expect(await disk.read('file')).toBe(text)
      }),
    )
  })

  test.each([
    ['another version', good.replace('"version": 1', '"version": 2'), /version 2/],
    ['another hub', good.replace('api.invalid', 'other.invalid'), /PARTNER_API_URL=https:\/\/other\.invalid/],
    ['another partner', good.replace('"partner"', '"other"'), /PARTNER_CLIENT_ID=other/],
    ['another zone', good.replace('Helsinki', 'Berlin'), /EVENT_TIME_ZONE=Europe\/Berlin/],
    ['nothing', '', /damaged/],
    ['another kind', '{"version":1}', /damaged/],
    ['an impossible time', good.replace('03-02', '02-30'), /damaged/],
  ])('of %s is refused in one sentence and stays', async (_, text, reason) => {
    const disk = memoryDisk()
    await disk.replace('file', text)
    const failure = await failureOf(PollerMemory.open(disk, 'file', feed, begin))
    expect(failure).toBeInstanceOf(SetupError)
    expect((failure as Error).message).toMatch(reason)
    expect((failure as Error).message).not.toContain('\n')
    expect(await disk.read('file')).toBe(text)
  })
})

describe('remembered ids', () => {
  test('a damaged file of ids is rejected, a truncated last line is not', async () => {
    const disk = memoryDisk()
    const first = await PollerMemory.open(disk, 'file', feed, begin)
    await first.remember(['one', 'two'], 0)
    await disk.append('file.ids.0.jsonl', '{"keys":["thr')
    const second = await PollerMemory.open(disk, 'file', feed, begin)
    expect(['one', 'two', 'three'].map((key) => second.knows(key))).toEqual([true, true, false])
    await second.remember(['three'], 70)
    expect((await PollerMemory.open(disk, 'file', feed, begin)).position).toBe(70)
    await disk.append('file.ids.0.jsonl', '{"keys":7}\n')
    const failure = await failureOf(PollerMemory.open(disk, 'file', feed, begin))
    expect((failure as Error).message).toMatch(/^file\.ids\.0\.jsonl is damaged/)
  })

  test('for a day by the clock of the hub at least and for two at most, restarted or not', async () => {
    for (const restart of [true, false]) {
      const disk = memoryDisk()
      let poller = await PollerMemory.open(disk, 'file', feed, begin)
      for (let hours = 0; hours <= 200; hours += 5) {
        await poller.remember([`${hours}`], 0)
        await poller.advance(begin().add({ hours: hours + 5 }))
        if (restart) poller = await PollerMemory.open(disk, 'file', feed, begin)
        for (let before = 0; before <= hours; before += 5) {
          const age = hours + 5 - before
          if (age <= 24) expect(poller.knows(`${before}`)).toBe(true)
          if (age > 55) expect(poller.knows(`${before}`)).toBe(false)
        }
      }
    }
  })

  test('ids of a removed checkpoint do not affect a new one', async () => {
    const disk = memoryDisk()
    await (await PollerMemory.open(disk, 'file', feed, begin)).remember(['one'], 0)
    await disk.removeAll('file')
    await disk.append('file.ids.0.jsonl', '{"keys":["one"],"position":0}\n')
    await PollerMemory.open(disk, 'file', feed, begin)
    expect((await PollerMemory.open(disk, 'file', feed, begin)).knows('one')).toBe(false)
  })
})

test('a file of events with a line that is not an event is rejected and unchanged', async () => {
  const disk = memoryDisk()
  await disk.append('events', 'notes of a person\n')
  const failure = await failureOf(eventFile(disk, 'events').since(0))
  expect(failure).toBeInstanceOf(SetupError)
  expect(await disk.read('events')).toBe('notes of a person\n')
})

test('a file that ends with incomplete text other than an event is rejected and unchanged', async () => {
  const path = join(folder, 'notes.txt')
  for (const text of ['my only notes', 'SECRET=x\nOTHER=y', '{\n  "a": 1\n}', '[]', '7']) {
    writeFileSync(path, text)
    expect(await failureOf(eventFile(fileSystem, path).since(0))).toBeInstanceOf(SetupError)
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('an event without the end of its line is complete, a truncated one is not', async () => {
  const path = join(folder, 'events.jsonl')
  writeFileSync(path, '{"id":"a"}\n{"id":"b"}')
  expect(await eventFile(fileSystem, path).since(0)).toEqual({ keys: ['a', 'b'], position: 22 })
  writeFileSync(path, '{"id":"a"}\n{"id":"b"')
  expect(await eventFile(fileSystem, path).since(0)).toEqual({ keys: ['a'], position: 11 })
  expect(readFileSync(path, 'utf8')).toBe('{"id":"a"}\n')
})

test('days without events keep the position of the sink', async () => {
  const path = join(folder, 'checkpoint')
  const memory = await PollerMemory.open(fileSystem, path, feed, begin)
  await memory.remember(['a'], 1_000_000)
  for (let day = 3; day < 9; day += 1) await memory.advance(at(`2026-03-0${day}T10:00:00`))
  expect((await PollerMemory.open(fileSystem, path, feed, begin)).position).toBe(1_000_000)
})

test('a file of events lists its events, including those without an id', async () => {
  const disk = memoryDisk()
  const sink = eventFile(disk, 'events')
  const position = await sink.take([event({ id: 'one' })])
  await sink.take([event({ id: 'two' }), event({ id: undefined }), event({ id: undefined, version: '2' })])
  const { keys } = await sink.since(position)
  expect(keys[0]).toBe('two')
  expect(new Set(keys).size).toBe(3)
})

describe('the lock of a checkpoint', () => {
  test('that another process has created, but not yet written, is respected', async () => {
    const path = join(folder, 'lock')
    writeFileSync(path, '')
    setTimeout(() => writeFileSync(path, `${process.ppid}\n`), 50)
    expect(await failureOf(lock(path))).toBeInstanceOf(SetupError)
  })

  test('belongs to one process, and is free after that has ended', async () => {
    const path = join(folder, 'lock')
    const release = await lock(path)
    await release()
    writeFileSync(path, `${process.ppid}\n`)
    const failure = await failureOf(lock(path))
    expect(failure).toBeInstanceOf(SetupError)
    expect((failure as Error).message).toContain(`held by process ${process.ppid}`)
    // No process id exceeds the maximum of Linux.
    writeFileSync(path, '4194305\n')
    await (await lock(path))()
    expect(readdirSync(folder)).toEqual([])
  })
})
