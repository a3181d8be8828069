import { isEqual, type Observer, parseObject } from './webhook-observer.ts'

/** Lets deliveries fail in several ways and compares the attempts with the schedule. */
export async function observeRetries(observer: Observer): Promise<void> {
  const { fixture } = observer
  const always = <Reaction>(reaction: Reaction): Reaction[] => Array(20).fill(reaction)
  const reactions = {
    '500': always(500),
    '503': always(503),
    '429': [429],
    none: always('hang-up' as const),
  }
  const finals = { '200': [200], '202': [202], '204': [204], '400': [400], '404': [404] }
  for (const [name, list] of Object.entries({ ...reactions, ...finals })) {
    fixture.reactionsAt[`/hook/${name}`] = [...list]
    await fixture.subscribe(
      observer.withDescription({
        target_url: `${fixture.url}/${name}`,
        event_filters: ['ClaimValuesChanged'],
        description: name,
      }),
    )
  }
  const id = await fixture.publish()
  await fixture.advance(12 * 3600)
  /** Moments of the attempts at a path; copies at the same moment count once. */
  const moments = (name: string) => [
    ...new Set(observer.deliveriesOf(`/hook/${name}`, id).map(({ at }) => at / 1000)),
  ]
  const isRetried = (name: string) => moments(name).length !== 1
  const failing = ['500', '503', 'none']
  const times = failing.map(moments).reduce((one, other) => (one.length < other.length ? other : one))
  const isRetriedToTheEnd = (name: string) => isRetried(name) && moments(name).length === times.length
  observer.require('RETRY-SERVER-ERROR', isRetriedToTheEnd('500') && isRetriedToTheEnd('503'))
  observer.require('RETRY-THROTTLED', isRetried('429'))
  observer.require('RETRY-NO-RESPONSE', isRetriedToTheEnd('none'))
  observer.require('NO-RETRY-DELIVERED', !['200', '202', '204'].some(isRetried))
  observer.require('NO-RETRY-REFUSED', !['400', '404'].some(isRetried))
  // A delay counts from the previous attempt, or from the first; 25 % more or less is approximate.
  const gaps: [string, number, number][] = [
    ['SECOND', 30, 30],
    ['THIRD', 90, 120],
    ['FOURTH', 480, 600],
    ['FIFTH', 3000, 3600],
  ]
  for (const [index, [name, least, most]] of gaps.entries()) {
    const [before, next] = times.slice(index, index + 2)
    if (times.length < 2 || before === undefined) continue
    const gap = (next ?? Number.NaN) - before
    observer.require(`RETRY-${name}`, gap >= least * 0.75 && gap <= most * 1.25)
  }
  observer.require('RETRY-LIMIT', times.length <= 5)
  for (const { method, headers } of observer.deliveriesOf('/hook/503', id)) {
    observer.require('DELIVERY-POST', method === 'POST')
    observer.require('HEADER-SIGNATURE', Boolean(headers['x-service-signature']))
    observer.require('HEADER-NONCE', Boolean(headers['x-service-nonce']))
    const timestamp = headers['x-service-timestamp']
    observer.require('HEADER-TIMESTAMP', !Number.isNaN(Date.parse(String(timestamp))))
    observer.require('HEADER-EVENT-ID', headers['x-service-event-id'] !== undefined)
    observer.require('HEADER-EVENT-TYPE', headers['x-service-event-type'] !== undefined)
  }
  const [first, ...others] = observer.deliveriesOf('/hook/500', id).map(({ body }) => parseObject(body))
  observer.require(
    'RETRY-SAME-EVENT',
    others.every((other) => isEqual(other, first)),
  )
  const nonces = (name: string) =>
    observer.deliveriesOf(`/hook/${name}`, id).flatMap(({ headers }) => headers['x-service-nonce'] || [])
  observer.require('NONCE-SINGLE-USE', !nonces('500').some((nonce) => nonces('503').includes(nonce)))
  observer.require('FAILED-RETRIEVABLE', (await fixture.searched()).includes(id))
}

/** Takes 10 s: a receiver that never responds, and one that responds after 8 s. */
export async function observeTimeouts(observer: Observer): Promise<void> {
  const { fixture } = observer
  fixture.reactionsAt['/hook/silent'] = ['silence']
  fixture.reactionsAt['/hook/slow'] = [
    (response) => void setTimeout(() => response.writeHead(204).end(), 8000),
  ]
  for (const name of ['silent', 'slow']) {
    await fixture.subscribe({ target_url: `${fixture.url}/${name}`, description: name })
  }
  const id = await fixture.publish()
  await fixture.advance(60)
  observer.require('RETRY-TIMEOUT', observer.deliveriesOf('/hook/silent', id).length > 1)
  observer.require('RECEIVER-TIME', observer.deliveriesOf('/hook/slow', id).length === 1)
}
