import { counted } from '../../src/text/format.ts'
import type { Engine } from '../engine/engine.ts'
import { is429, type Source } from '../engine/shot.ts'
import { type Findings, findingOf, type Probe, type ProbeContext } from './probe.ts'

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
 * Is the limit key client, user, source address, or a combination? The probe sends requests until one identity is throttled.
 * While this identity has to wait, identities that differ in client, user or address, or in several of these, send one
 * request each. Those that share the limit key are throttled too. No other probe sends a request while an identity has to wait.
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
    const until = last.shot.endedAt + (last.shot.retryAfterMs ?? 0)
    const escapes: (readonly Dimension[])[] = []
    for (const identity of identities.toSorted((a, b) => a.changed.length - b.changed.length)) {
      const { changed } = identity
      // An identity that changes more is admitted too: its request would only use up the limits of others.
      if (escapes.some((changes) => changes.every((one) => changed.includes(one)))) continue
      const name = `another ${changed.join(' and ')}`
      context.phase(`one request with ${name}`)
      const outcome = await sendAs(context, identity, until)
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
        ? `requests with another ${tried.join(' or another ')} were throttled too: ${tried.length === 1 ? 'this is not' : 'none of these is'} a limit key`
        : limits.map((limit) => `limit per ${limit.join(' and ')}`).join(', and '),
      ...(untried.length > 0 ? [`not tested: another ${untried.join(', another ')}`] : []),
    ),
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
  source.learn?.(request, sent?.response)
  if (!sent || sent.shot.endedAt > until) return 'too late'
  // Another 4xx refuses an identity without permission, which the limiter has admitted.
  const { status } = sent.shot
  if (status === undefined || status >= 500) return 'unclear'
  return is429(sent.shot) ? 'throttled' : 'admitted'
}

/**
 * The limit keys, from the smallest changes with which a request is admitted. Changing any part of a key avoids that
 * limit, and an admitted identity avoids all limits. So each key contains at least one part of every such change, and no
 * more parts than this requires.
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

/** All non-empty subsets, in the given order. */
export function subsets<T>(items: readonly T[]): T[][] {
  const found: T[][] = []
  for (const item of items) found.push(...found.map((some) => [...some, item]), [item])
  return found
}
