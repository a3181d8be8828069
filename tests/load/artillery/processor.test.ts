import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { importArtillery } from '../../../load/artillery/import.ts'
import { retryAfterMs } from '../../../src/http/retry-after.ts'

type Processor = typeof import('../../../load/artillery/processor.mjs')
type Context = Parameters<Processor['arrive']>[0]

const settings = { endpoint: 'event-search', share: 20, seconds: 10, connections: 2, needs: '' }
const events = { emit: vi.fn() }
let directory: string
let processor: Processor
let now = 0
let workers = 0

/** The hooks as another worker has them: a new query makes Node evaluate the module again. */
function newWorker(): Promise<Processor> {
  workers += 1
  return import(`../../../load/artillery/processor.mjs?worker=${workers}`)
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'plumbline-records-'))
  vi.stubEnv('PLUMBLINE_RECORDS', directory)
  now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  processor = await newWorker()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

/** Begins a call. @returns whether it was sent */
function begin(context: Context): boolean {
  let sent = true
  processor.arrive(context, events, () => {})
  processor.admit({}, context, events, (error) => {
    sent = error === undefined
  })
  return sent
}

function contextOf(some: Partial<typeof settings> = {}): Context {
  return { vars: { ...settings, ...some } } as unknown as Context
}

function answer(context: Context, statusCode: number, headers = {}, reusedSocket = true): void {
  processor.record({}, { statusCode, headers, req: { reusedSocket } }, context, events, () => {})
}

function call(statusCode = 200, headers = {}, some: Partial<typeof settings> = {}): boolean {
  const context = contextOf(some)
  const sent = begin(context)
  if (sent) answer(context, statusCode, headers)
  return sent
}

function result() {
  const files = readdirSync(directory).map((name) => ({
    name,
    text: readFileSync(join(directory, name), 'utf8'),
  }))
  return importArtillery(files)
}

describe('admission', () => {
  test('holds all requests until Retry-After has elapsed, and counts them', () => {
    call(429, { 'retry-after': '3' })
    const sent = [100, 1000, 2999, 3000].map((at) => {
      now = at
      return call()
    })
    expect(sent).toEqual([false, false, false, true])
    expect(events.emit).toHaveBeenCalledWith('counter', 'plumbline.suppressed.retry-after', 1)
    expect(result()).toMatchObject({
      ended: 'workers suppressed 3 requests (retry-after: 3)',
      requests: 2,
      waits: [{ from: 0, until: 3000 }],
    })
  })

  test.each([
    ['absent', {}, 1000],
    ['0', { 'retry-after': '0' }, 1000],
    ['no known form', { 'retry-after': 'soon' }, 1000],
  ])('waits a little where Retry-After is %s', (_, headers, until) => {
    call(503, headers)
    now = until - 1
    expect(call()).toBe(false)
    now = until
    expect(call()).toBe(true)
  })

  test('ends for good after a Retry-After of a day', () => {
    call(429, { 'retry-after': '86400' })
    now = 90_000_000
    expect(call()).toBe(false)
    expect(result().ended).toContain('ended: 1')
  })

  test('ends after three consecutive requests without a response, and after five server errors', () => {
    for (let index = 0; index < 3; index += 1) {
      const context = contextOf()
      expect(begin(context)).toBe(true)
      processor.fail(
        Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }),
        {},
        context,
        events,
        () => {},
      )
    }
    expect(call()).toBe(false)
    expect(result().shots.map(({ failure }) => failure)).toEqual(['refused', 'refused', 'refused'])
  })

  test('ends after five server errors', () => {
    for (let index = 0; index < 5; index += 1) expect(call(500)).toBe(true)
    expect(call()).toBe(false)
  })

  test('sends nothing with a variable missing', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(call(200, {}, { needs: 'SURELY_NOT_SET' })).toBe(false)
    expect(console.error).toHaveBeenCalledWith('SURELY_NOT_SET is not set: this worker sends no request.')
  })
})

describe('the budget of a worker', () => {
  test('is for as many requests, where connections last', () => {
    expect(Array.from({ length: 25 }, () => call()).filter(Boolean)).toHaveLength(20)
  })

  test('holds requests and reconnects, however they end and overlap', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ reused: fc.boolean(), lost: fc.boolean(), endsAfter: fc.integer({ min: 0, max: 5 }) }),
          { maxLength: 60 },
        ),
        async (plans) => {
          processor = await newWorker()
          let [sent, opened] = [0, 0]
          const open: { left: number; end: () => void }[] = []
          for (const { reused, lost, endsAfter } of plans) {
            for (const one of open.splice(0)) {
              if (one.left === 0) one.end()
              else open.push({ ...one, left: one.left - 1 })
            }
            const context = contextOf({ share: 15 })
            if (!begin(context)) continue
            sent += 1
            open.push({
              left: endsAfter,
              end: () => {
                if (lost || !reused) opened += 1
                if (lost) processor.fail(new Error('lost'), {}, context, events, () => {})
                else answer(context, 200, {}, reused)
              },
            })
          }
          for (const one of open) one.end()
          expect(sent + Math.max(0, opened - settings.connections)).toBeLessThanOrEqual(15)
        },
      ),
      { numRuns: 60 },
    )
  })
})

test('Retry-After is understood as everywhere else', () => {
  const date = 'Sat, 07 Mar 2026 12:00:00 GMT'
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.constantFrom(
          ...[
            '',
            ' 7 ',
            '1.5',
            '-1',
            '5, 10',
            '1e3',
            'Sat, 07 Mar 2026 12:00:30 GMT',
            'Sat, 07 Mar 2026 11:59:59 GMT',
          ],
          ...[
            'Saturday, 07-Mar-26 12:00:30 GMT',
            'Sat Mar  7 12:00:30 2026',
            '2026-03-07T12:00:30Z',
            'Sat, 99 Foo 2026 12:00:30 GMT',
          ],
        ),
      ),
      (value) => {
        expect(processor.retryAfterMs({ 'retry-after': value, date })).toEqual(retryAfterMs(value, date))
      },
    ),
  )
  expect(processor.retryAfterMs({})).toBeUndefined()
})
