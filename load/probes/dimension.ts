import { counted } from '../../src/text/format.ts'
import type { Engine } from '../engine/engine.ts'
import { is429, type Source } from '../engine/shot.ts'
import { type Findings, findingOf, type Probe, type ProbeContext } from './probe.ts'

/** Possible parts of a limit key. A limiter with the key client and address counts each pair of them separately. */
export const dimensions = ['client', 'user', 'address'] as const
export type Dimension = (typeof dimensions)[number]

/** An identity that differs in client, user or source address from the run's own identity. */
export interface Identity {
  readonly changed: readonly Dimension[]
  readonly source: Source
  readonly engine: Engine
}

/**
 * Is the limit key client, user, source address, or a combination? The run's own identity sends requests until a 429.
 * While this identity has to wait, each other identity sends one request. An identity that shares the limit key is
 * throttled too.
 */
export function dimension(identities: readonly Identity[]): Probe {
  return async (context) => {
    if (identities.length === 0)
      return unknown(
        'no other identity is configured: the probe needs a second client, user or source address',
      )
    context.phase('one request after another, until a 429')
    const { sentBefore429, last } = await context.until429()
    if (last === undefined || !is429(last.shot))
      return unknown(`none of ${counted(sentBefore429, 'request')} was throttled`)
    const { endedAt, retryAfterMs } = last.shot
    if (retryAfterMs === undefined)
      return unknown(
        'the 429 has no Retry-After, so a later admission may be due to the time that has passed',
      )
    const retryAfterEnd = endedAt + retryAfterMs
    // The smallest changes of the identity with which a request is admitted.
    const escapes: (readonly Dimension[])[] = []
    for (const identity of identities.toSorted((a, b) => a.changed.length - b.changed.length)) {
      const { changed } = identity
      // For example, if a request with another client is admitted, one with another client and user would be, too.
      if (escapes.some((changes) => changes.every((one) => changed.includes(one)))) continue
      const name = `another ${changed.join(' and ')}`
      context.phase(`one request with ${name}`)
      const outcome = await sendAs(context, identity, retryAfterEnd)
      if (outcome === 'too late')
        return unknown('Retry-After elapsed before all identities had sent a request')
      if (outcome === 'unclear') return unknown(`the response to the request with ${name} is not conclusive`)
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
    ...findingOf(
      limits.length === 0
        ? `requests with another ${tried.join(' or another ')} were throttled too: ${tried.length === 1 ? 'this is not' : 'none of them is'} a limit key`
        : limits.map((limit) => `limit per ${limit.join(' and ')}`).join(', and '),
      ...(untried.length > 0 ? [`not tested: another ${untried.join(', another ')}`] : []),
    ),
    observations: { 'limited-by': limits.map((limit) => limit.join('+')), 'not-told-apart': untried },
  }
}

function unknown(finding: string): Findings {
  return { finding, observations: { 'limited-by': null } }
}

/** Sends one request as another identity. @param until when the Retry-After of the run's own identity has elapsed */
async function sendAs({ engine: { now } }: ProbeContext, identity: Identity, until: number) {
  const { changed, source, engine } = identity
  const request = source.next()
  if (!request) return 'unclear'
  const sent = await engine.send(request, { intendedAt: now(), as: changed.join('+'), patient: false })
  source.learn?.(request, sent?.response)
  if (!sent || sent.shot.endedAt > until) return 'too late'
  // A 4xx other than 429 may refuse an identity without permission, but the limiter has admitted its request.
  const { status } = sent.shot
  if (status === undefined || status >= 500) return 'unclear'
  return is429(sent.shot) ? 'throttled' : 'admitted'
}

/**
 * The limit keys that explain which identities are admitted. Example: requests with another client are admitted, and
 * so are requests with another address. Then there is one limit per client and address. If only an identity with both
 * changes is admitted, there are two limits: one per client, and one per address.
 * @param escapes the smallest changes with which a request is admitted
 */
export function limitsBehind(escapes: readonly (readonly Dimension[])[]): Dimension[][] {
  if (escapes.length === 0) return []
  // A change avoids a limit if it changes any part of its key. An admitted identity avoids all limits.
  const avoidable = subsets(dimensions).filter((limit) =>
    escapes.every((changes) => changes.some((one) => limit.includes(one))),
  )
  // The smallest keys suffice: a limit per client explains the responses as well as one per client and user.
  return avoidable.filter(
    (limit) =>
      !avoidable.some((less) => less.length < limit.length && less.every((one) => limit.includes(one))),
  )
}

/** All non-empty subsets, in the given order. */
export function subsets<T>(items: readonly T[]): T[][] {
  const found: T[][] = []
  for (const item of items) found.push(...found.map((subset) => [...subset, item]), [item])
  return found
}
