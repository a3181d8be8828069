import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { memoryDisk } from '../../../src/event-hub/poller/disk.ts'
import { PollerMemory } from '../../../src/event-hub/poller/memory.ts'
import { Poller, type PollerProgress } from '../../../src/event-hub/poller/poller.ts'
import { eventFile } from '../../../src/event-hub/poller/sink.ts'
import { event } from '../events.ts'

const from = Temporal.PlainDateTime.from('2026-03-02T10:00:00')
const to = Temporal.PlainDateTime.from('2026-03-02T11:00:00')

/** Reads one window whose pages contain events with these ids, in passes with these totals. */
async function reading(pages: readonly string[][], totals: readonly number[]) {
  const disk = memoryDisk()
  const feed = { hub: 'https://api.invalid', client: 'partner', zone: 'Europe/Helsinki' }
  const news: PollerProgress[] = []
  const left = [...totals]
  let total = 0
  const poller = await Poller.resume({
    source: async (_, page) => {
      if (page === 0) total = left.shift() ?? total
      const events = (pages[page] ?? []).map((id) => event({ id }))
      return { requested: { page, pageSize: 2 }, page, pageSize: 2, total, events, problems: [] }
    },
    memory: await PollerMemory.open(disk, 'checkpoint', feed, () => from),
    sink: eventFile(disk, 'events'),
    clock: { sleep: async () => undefined },
    until: () => to,
    onProgress: (item) => news.push(item),
  })
  await poller.catchUp()
  const lines = ((await disk.read('events')) ?? '').split('\n').slice(0, -1)
  return {
    ids: lines.map((line) => (JSON.parse(line) as { id: string }).id),
    waits: news.flatMap((item) => (item.kind === 'waiting' ? [item.why] : [])),
  }
}

test('overlapping pages complete a window, whether or not the total counts repeated events twice', async () => {
  const overlapping = [
    ['a', 'b'],
    ['b', 'c'],
  ]
  expect(await reading(overlapping, [3])).toEqual({ ids: ['a', 'b', 'c'], waits: [] })
  expect(await reading(overlapping, [4])).toEqual({ ids: ['a', 'b', 'c'], waits: [] })
})

test('pages with fewer events than the total are read again, and the reason is reported', async () => {
  const short = [['a', 'b'], ['c']]
  expect(await reading(short, [4, 3])).toEqual({
    ids: ['a', 'b', 'c'],
    waits: ['the total of the window is 4, but its pages contain 3 events'],
  })
})
