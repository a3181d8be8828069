import type { Engine } from '../engine/engine.ts'
import type { Source } from '../engine/shot.ts'
import type { Findings, Probe, ProbeContext } from './probe.ts'

/** What a limit key may consist of. */
export const dimensions = ['client', 'user', 'address'] as const
export type Dimension = (typeof dimensions)[number]

/** Another identity: it differs in client, user or source address from the one that the probe has throttled. */
export interface Identity {
  readonly changed: readonly Dimension[]
  readonly source: Source
  readonly engine: Engine
}

/**
 * Is the limit per client, user, source address, or a combination? One identity is throttled; while it has to wait,
 * identities that differ in one thing or several send one request each. One that shares the limit key is throttled too.
 * No other probe sends anything while an identity has to wait.
 */
export function dimension(identities: readonly Identity[]): Probe {
  return async (context) => {
    if (identities.length === 0)
      return unknown('there is no other identity: it needs a second client, user or source address')
    context.phase('one request after another, until a 429')
    const { admitted, last } = await context.untilThrottled()
    if (last?.shot.status !== 429) return unknown(`none of ${admitted} requests was throttled`)
    const until = last.shot.endedAt + (last.shot.retryAfterMs ?? 0)
    const escapes: (readonly Dimension[])[] = []
    for (const identity of identities.toSorted((a, b) => a.changed.length - b.changed.length)) {
      const { changed } = identity
      // One that changes more escapes as well: its request would only use up the limits of the others.
      if (escapes.some((changes) => changes.every((one) => changed.includes(one)))) continue
      const name = `another ${changed.join(' and ')}`
      context.phase(`one request with ${name}`)
      const outcome = await sendAs(context, identity, until)
      if (outcome === 'too late')
        return unknown('the wait that was asked for was over before all identities had sent a request')
      if (outcome === 'unclear') return unknown(`the request with ${name} had no answer that tells`)
      if (outcome === 'admitted') escapes.push(changed)
    }
    return findingsOf(
      escapes,
      dimensions.filter((one) => identities.some(({ changed }) => changed.includes(one))),
    )
  }
}

function findingsOf(escapes: readonly (readonly Dimension[])[], tried: readonly Dimension[]): Findings {
  const limits = limitsBehind(escapes)
  const untried = dimensions.filter((one) => !tried.includes(one))
  return {
    finding: [
      limits.length === 0
        ? `with another ${tried.join(', another ')} requests were throttled as well: none of these is told apart`
        : limits.map((limit) => `a limit per ${limit.join(' and ')}`).join(', and '),
      ...(untried.length > 0 ? [`another ${untried.join(' and another ')} was not tried`] : []),
    ].join('; '),
    observations: { 'limited-by': limits.map((limit) => limit.join('+')), 'not-told-apart': untried },
  }
}

function unknown(finding: string): Findings {
  return { finding, observations: { 'limited-by': null } }
}

/** Sends one request as another identity. @param until when the throttled identity may send again */
async function sendAs({ engine: { now } }: ProbeContext, identity: Identity, until: number) {
  const { changed, source, engine } = identity
  const request = source.next()
  if (!request) return 'unclear'
  const sent = await engine.send(request, { intendedAt: now(), as: changed.join('+'), patient: false })
  source.learn(request, sent?.answer)
  if (!sent || sent.shot.endedAt > until) return 'too late'
  // An identity without permission is refused with another 4xx, and was admitted by the limiter.
  const { status } = sent.shot
  if (status === undefined || status >= 500) return 'unclear'
  return status === 429 ? 'throttled' : 'admitted'
}

/**
 * The limit keys, from the least changes that escape. A change of any part of a key escapes that limit, and an identity
 * that escapes has to escape every limit that is met. So each key has at least one part of every escape, and no more
 * than that takes.
 */
export function limitsBehind(escapes: readonly (readonly Dimension[])[]): Dimension[][] {
  if (escapes.length === 0) return []
  const hitting = subsets(dimensions).filter((limit) =>
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
