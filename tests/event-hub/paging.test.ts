import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type EventPage, readPage } from '../../src/event-hub/page.ts'
import { pagesOf, readAhead, readPages, readPagesBackwards } from '../../src/event-hub/paging.ts'
import { eventsAt, item } from './events.ts'

/** A page of ten events with one item. */
function pageOf(page: number, total: number): EventPage {
  return readPage({ page, pageSize: 10, total, items: [item()] }, { page, pageSize: 10 }) as EventPage
}

describe('reading ahead', () => {
  test('requests each page once, in order, at most one ahead', async () => {
    const requested: number[] = []
    const read = readAhead(async (page) => {
      requested.push(page)
      return pageOf(page, 35)
    })
    const seen: number[] = []
    for await (const page of pagesOf(read)) {
      seen.push(page.page)
      expect(requested).toEqual([0, 1, 2, 3].slice(0, Math.min(4, seen.length + 1)))
    }
    expect(seen).toEqual([0, 1, 2, 3])
  })

  test('fails only when the page is requested', async () => {
    const read = readAhead(async (page) => {
      if (page === 1) throw new Error('no page 1')
      return pageOf(page, 35)
    })
    expect((await read(0)).page).toBe(0)
    await expect(read(1)).rejects.toThrow('no page 1')
  })

  test('ends with the first page if it is the last', async () => {
    const requested: number[] = []
    const read = readAhead(async (page) => {
      requested.push(page)
      return pageOf(page, 10)
    })
    const seen: number[] = []
    for await (const { page } of pagesOf(read)) seen.push(page)
    expect([seen, requested]).toEqual([[0], [0]])
  })

  test('sends the next request before the page is processed', async () => {
    const sent: number[] = []
    const read = readAhead(async (page) => {
      if (page > 0) await setImmediate()
      sent.push(page)
      return pageOf(page, 35)
    })
    await read(0)
    expect(sent).toEqual([0, 1])
  })
})

describe('a reading of all pages', () => {
  const read = async (page: number) => pageOf(page, 35)

  test.each([readPages, readPagesBackwards])(
    'is complete with the permitted number of pages',
    async (readAll) => {
      expect(await readAll(read, 4)).toMatchObject({
        complete: true,
        pages: [0, 1, 2, 3].map((page) => ({ page })),
      })
      expect(await readAll(read, 3)).toMatchObject({
        complete: false,
        pages: [0, 1, 2].map((page) => ({ page })),
      })
    },
  )

  test('each page is requested once, the first one first, then the last one back, and pages are returned in order of their numbers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 50 }), async (total) => {
        const requested: number[] = []
        const readPage = async (page: number): Promise<EventPage> => {
          requested.push(page)
          const paging = { page, pageSize: 4 }
          return { ...paging, requested: paging, total, events: [], problems: [] }
        }
        const reading = await readPagesBackwards(readPage, 8)
        const numbers = [...requested.keys()]
        expect(requested).toEqual([0, ...numbers.slice(1).toReversed()])
        expect(reading.pages.map(({ page }) => page)).toEqual(numbers)
        expect(requested).toHaveLength(Math.min(8, Math.max(1, Math.ceil(total / 4))))
        expect(reading.complete).toBe(total <= 32)
      }),
    )
  })

  test('a response without a page size is one page', async () => {
    const sent: number[] = []
    const readPage = async (page: number): Promise<EventPage> => {
      sent.push(page)
      const paging = { page, pageSize: 0 }
      return { ...paging, requested: paging, total: 9, events: eventsAt('00.000'), problems: [] }
    }
    const whole = await readPagesBackwards(readPage, 8)
    expect(sent).toEqual([0])
    expect(whole).toMatchObject({ complete: true, events: eventsAt('00.000') })
  })
})
