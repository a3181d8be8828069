import type { Engine } from '../engine/engine.ts'
import type { Source } from '../engine/shot.ts'
import type { Bench, Findings, Probe } from './bench.ts'

/** What a limit may be counted by. */
export const dimensions = ['client', 'user', 'address'] as const
export type Dimension = (typeof dimensions)[number]

/** Somebody else to ask as: with another client, user or source address than the probe has throttled. */
export interface Other {
  readonly changed: readonly Dimension[]
  readonly source: Source
  readonly engine: Engine
}

/**
 * Along which dimension requests are limited: one identity is throttled, and while it has to stay away, others that
 * differ in one thing or several ask once. Who differs in nothing that is counted is throttled as well. These are
 * the only requests of any probe that leave while somebody is told to wait: somebody else was.
 */
export function dimension(others: readonly Other[]): Probe {
  return {
    name: 'dimension',
    question: 'limited per client, user, source address, or a combination?',
    async run(bench) {
      if (others.length === 0)
        return unknown('there is nobody else to ask as: it needs a second client, user or source address')
      bench.phase('one request after another, until a 429')
      const { admitted, last } = await bench.untilThrottled()
      if (last?.shot.status !== 429) return unknown(`none of ${admitted} requests was throttled`)
      const until = last.shot.endedAt + (last.shot.retryAfterMs ?? 0)
      const escapes: (readonly Dimension[])[] = []
      for (const other of [...others].sort((a, b) => a.changed.length - b.changed.length)) {
        // Who changes more escapes as well, and would only use up what the others are counted by.
        if (escapes.some((changes) => changes.every((one) => other.changed.includes(one)))) continue
        bench.phase(`asks with another ${other.changed.join(' and ')}`)
        const free = await asksFreely(bench, other, until)
        if (free === 'too late')
          return unknown('the wait that was asked for was over before everybody else had asked')
        if (free === 'not told')
          return unknown(`the request with another ${other.changed.join(' and ')} had no answer that tells`)
        if (free) escapes.push(other.changed)
      }
      const asked = dimensions.filter((one) => others.some(({ changed }) => changed.includes(one)))
      const limits = limitsBehind(escapes)
      const untold = dimensions.filter((one) => !asked.includes(one))
      return {
        finding: [
          limits.length === 0
            ? `with another ${asked.join(', another ')} requests were throttled as well: none of these is told apart`
            : limits.map((limit) => `a limit per ${limit.join(' and ')}`).join(', and '),
          ...(untold.length > 0 ? [`another ${untold.join(' and another ')} was not tried`] : []),
        ].join('; '),
        observations: { 'limited-by': limits.map((limit) => limit.join('+')), 'not-told-apart': untold },
      }
    },
  }
}

function unknown(finding: string): Findings {
  return { finding, observations: { 'limited-by': null } }
}

/** @returns whether a request as somebody else is not throttled, while the first has to stay away */
async function asksFreely(bench: Bench, { changed, source, engine }: Other, until: number) {
  const request = source.next()
  if (!request) return 'not told'
  const sent = await engine.send(request, {
    intendedAt: bench.engine.now(),
    as: changed.join('+'),
    patient: false,
  })
  source.learn(request, sent?.answer)
  if (!sent || sent.shot.endedAt > until) return 'too late'
  // Who may not ask at all is refused with a 4xx of its own, and was let through by the limiter.
  const { status } = sent.shot
  return status === undefined || status >= 500 ? 'not told' : status !== 429
}

/**
 * What limits count by, from the least changes that escape them: a limit is escaped by a change of anything it counts
 * by, and whoever escapes has to escape every limit that is met. So each limit counts by at least one thing of every
 * escape, and by no more than that takes.
 */
export function limitsBehind(escapes: readonly (readonly Dimension[])[]): Dimension[][] {
  if (escapes.length === 0) return []
  const all = subsets(dimensions)
  const hitting = all.filter((limit) =>
    escapes.every((changes) => changes.some((one) => limit.includes(one))),
  )
  return hitting.filter(
    (limit) =>
      !hitting.some((less) => less.length < limit.length && less.every((one) => limit.includes(one))),
  )
}

/** Every selection of at least one, in the order given. */
export function subsets<T>(items: readonly T[]): T[][] {
  const found: T[][] = []
  for (const item of items) found.push(...found.map((some) => [...some, item]), [item])
  return found
}
