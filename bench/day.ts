import { fork } from 'node:child_process'
import { join } from 'node:path'
import { Temporal } from 'temporal-polyfill'
import { projectRoot } from '../src/project.ts'
import { type Figure, median } from './figure.ts'

export interface DayFigures {
  readonly events: number
  readonly milliseconds: number
  /** Peak resident memory of the reading process. */
  readonly peakMiB: number
}

const file = (name: string) => join(projectRoot, 'bench', name)

/** Numbers of events in a large and in a small day. */
const large = 100_000
const small = 10_000

/** Maximum heap while memory is measured. Otherwise, Node lets the heap grow before it collects garbage. */
const heapCapMiB = 48
const cappedHeapFlags = [`--max-old-space-size=${heapCapMiB}`, '--max-semi-space-size=4']

/** Figures of reading and checking a past day of 100,000 events, compared with a loop that only reads the pages. */
export async function dayFigures(rounds: number): Promise<Figure[]> {
  // Reading the day takes only about 1 s. More rounds even out the varying load of the machine.
  const uncapped = await readDay(large, 2 * rounds + 1)
  const rate = median(uncapped.audited.map(({ events, milliseconds }) => events / (milliseconds / 1000)))
  const ratio = median(
    uncapped.audited.map((one, round) => one.milliseconds / (uncapped.bare[round]?.milliseconds ?? 1)),
  )
  const peak = async (events: number) => {
    const { audited } = await readDay(events, rounds, cappedHeapFlags)
    return median(audited.map(({ peakMiB }) => peakMiB))
  }
  const [peakOfSmall, peakOfLarge] = [await peak(small), await peak(large)]
  const growth = peakOfLarge / peakOfSmall
  const withoutAim = { aim: null, holds: null }
  const rounded = (value: number) => Math.round(value * 100) / 100
  const heapLabel = `heap limited to ${heapCapMiB} MiB`
  return [
    { figure: 'events read and checked', value: Math.round(rate), unit: 'events/s', ...withoutAim },
    {
      figure: 'reading and checking against only reading',
      value: rounded(ratio),
      unit: 'ratio',
      aim: '< 1.5',
      holds: ratio < 1.5,
    },
    {
      figure: `peak memory, 10,000 events, ${heapLabel}`,
      value: Math.round(peakOfSmall),
      unit: 'MiB',
      ...withoutAim,
    },
    {
      figure: `peak memory, 100,000 events, ${heapLabel}`,
      value: Math.round(peakOfLarge),
      unit: 'MiB',
      ...withoutAim,
    },
    {
      figure: 'peak memory, 100,000 events against 10,000',
      value: rounded(growth),
      unit: 'ratio',
      aim: '< 1.1',
      holds: growth < 1.1,
    },
  ]
}

/**
 * Reads a past day of events alternately with Plumbline's checks and with a bare loop. The hub and each reader run in
 * separate processes.
 */
async function readDay(
  events: number,
  rounds: number,
  flags: readonly string[] = [],
): Promise<{ readonly audited: DayFigures[]; readonly bare: DayFigures[] }> {
  // The events end one minute before the second in which the hub starts.
  const end = Temporal.Now.instant().round({ smallestUnit: 'second', roundingMode: 'floor' })
  const to = end.subtract({ minutes: 1 }).toZonedDateTimeISO('Europe/Helsinki').toPlainDateTime()
  const window = [to.subtract({ hours: 24 }), to].map(String)
  const hub = fork(file('day-hub.ts'), [String(events), String(end.epochMilliseconds)])
  const variables = await new Promise<Record<string, string>>((resolve) =>
    hub.once('message', resolve as never),
  )
  const audited: DayFigures[] = []
  const bare: DayFigures[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      audited.push(await readOnce('audit', window, variables, flags))
      bare.push(await readOnce('bare', window, variables, flags))
    }
  } finally {
    hub.disconnect()
  }
  return { audited, bare }
}

function readOnce(
  how: 'audit' | 'bare',
  window: readonly string[],
  variables: Record<string, string>,
  flags: readonly string[],
): Promise<DayFigures> {
  const child = fork(file('day-reader.ts'), [how, ...window], {
    env: { ...process.env, ...variables },
    execArgv: [...flags],
  })
  return new Promise((resolve, reject) => {
    child.once('message', (figures) => resolve(figures as DayFigures))
    // After the message, the promise is resolved, and this call changes nothing.
    child.once('exit', (code) =>
      reject(new Error(`the reader ended with code ${code} before it sent its figures`)),
    )
  })
}
