import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import type { Delivery } from './webhook-fixture.ts'
import { asObject, isEqual, isSuccess, type Observer, parseObject } from './webhook-observer.ts'

const MINUTE = 60_000

/** Receives events of several types and validates their deliveries. */
export async function observeDeliveries(observer: Observer): Promise<void> {
  const { fixture } = observer
  const all = await fixture.subscribe(
    observer.withDescription({ target_url: `${fixture.url}/all`, description: 'all' }),
  )
  const filters = ['user.created', 'ClaimValuesChanged']
  await fixture.subscribe(
    observer.withDescription({
      target_url: `${fixture.url}/some`,
      event_filters: filters,
      description: 'some',
    }),
  )
  const events: [string, string][] = []
  for (const type of ['ClaimValuesChanged', 'user.deleted'])
    events.push([await fixture.publish({ type }), type])
  const counts = (path: string) => events.map(([id]) => observer.deliveriesOf(path, id).length > 0)
  observer.require('DELIVERY-ALL-TYPES', isEqual(counts('/hook/all'), [true, true]))
  observer.require('DELIVERY-FILTERS', isEqual(counts('/hook/some'), [true, false]))
  const nonces = new Set<unknown>()
  for (const [id, type] of events) {
    const delivery = observer.deliveriesOf('/hook/all', id)[0]
    if (!delivery) continue
    const nonce = delivery.headers['x-service-nonce']
    observer.require('NONCE-SINGLE-USE', !nonce || !nonces.has(nonce))
    nonces.add(nonce)
    requireEnvelope(observer, delivery, id, type)
    requireHeaders(observer, delivery, id, type)
    await requireSignature(observer, delivery)
  }
  await observeUpdatedFilters(observer)
  const id = asObject(all.json)?.id
  if (typeof id !== 'string' || !isSuccess(await fixture.manage('DELETE', `/${id}`))) return
  observer.require('DELIVERY-STOPS', observer.deliveriesOf('/hook/all', await fixture.publish()).length === 0)
}

async function observeUpdatedFilters(observer: Observer): Promise<void> {
  const { fixture } = observer
  const { json } = await fixture.subscribe(
    observer.withDescription({
      target_url: `${fixture.url}/updated`,
      event_filters: ['user.deleted'],
      description: 'updated',
    }),
  )
  const path = `/${asObject(json)?.id}`
  await fixture.manage('PATCH', path, { event_filters: ['ClaimValuesChanged'] })
  const shown = await fixture.manage('GET', path)
  if (!isEqual(shown.json?.event_filters, ['ClaimValuesChanged'])) return
  const id = await fixture.publish({ type: 'ClaimValuesChanged' })
  observer.require('DELIVERY-UPDATED', observer.deliveriesOf('/hook/updated', id).length > 0)
}

function requireEnvelope(
  observer: Observer,
  { method, headers, body }: Delivery,
  id: string,
  type: string,
): void {
  const isJson = /^(application\/([\w.-]+\+)?json\b|$)/.test(headers['content-type'] ?? '')
  observer.require('DELIVERY-POST', method === 'POST')
  observer.require('DELIVERY-JSON', isJson)
  const envelope = parseObject(body)
  if (!isJson) return
  const same = isEqual(
    [envelope?.id, envelope?.type, envelope?.version, envelope?.subscriber, envelope?.payload],
    [id, type, '1.0', 'subject-ä', { claims: { locale: 'fi' } }],
  )
  observer.require('DELIVERY-ENVELOPE', same && envelope?.timestamp !== undefined)
  // Another requirement is about times that are far from the present.
  const age = Math.abs(Date.now() - Date.parse(String(envelope?.timestamp)))
  observer.require(
    'DELIVERY-ENVELOPE',
    !isUtcTimestamp(envelope?.timestamp) || !(age > MINUTE && age < 5 * MINUTE),
  )
  observer.require('DELIVERY-TIMESTAMP-Z', !envelope?.timestamp || isUtcTimestamp(envelope.timestamp))
}

function requireHeaders(observer: Observer, { headers, body }: Delivery, id: string, type: string): void {
  const timestamp = headers['x-service-timestamp']
  const eventTime = parseObject(body)?.timestamp
  observer.require('HEADER-SIGNATURE', Boolean(headers['x-service-signature']))
  observer.require('HEADER-EVENT-ID', headers['x-service-event-id'] === (parseObject(body)?.id ?? id))
  observer.require('HEADER-EVENT-TYPE', headers['x-service-event-type'] === type)
  observer.require('HEADER-NONCE', Boolean(headers['x-service-nonce']))
  observer.require('HEADER-TIMESTAMP', timestamp !== undefined)
  if (timestamp === undefined) return
  observer.require('HEADER-TIMESTAMP', !isUtcTimestamp(eventTime) || timestamp === eventTime)
  const age = Date.now() - Date.parse(String(timestamp))
  observer.require('TIMESTAMP-CURRENT', Math.abs(age) < 5 * MINUTE)
}

async function requireSignature(observer: Observer, { headers, bytes }: Delivery): Promise<void> {
  const jws = headers['x-service-signature']
  if (typeof jws !== 'string') return
  const isCompact = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws)
  const [head = '', claims = '', signature = ''] = jws.split('.')
  const header = isCompact ? parseObject(Buffer.from(head, 'base64url').toString()) : undefined
  observer.require('SIGNATURE-JWS', header?.alg === 'RS256')
  if (header?.alg !== 'RS256') return
  const { keys } = (await (
    await observer.fixture.client.request(observer.fixture.running.jwksUrl)
  ).json()) as {
    keys: (JsonWebKey & { kid: string })[]
  }
  const jwk = keys.find(({ kid }) => kid === header.kid)
  const verified =
    jwk !== undefined &&
    verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    )
  observer.require('SIGNATURE-KEY', verified)
  if (!verified) return
  const { digest, timestamp, nonce } = parseObject(Buffer.from(claims, 'base64url').toString()) ?? {}
  const [, algorithm, hex] = /^([^:]+:)(.*)$/.exec(String(digest)) ?? []
  const own = createHash('sha256').update(bytes).digest('hex')
  observer.require('SIGNATURE-DIGEST', algorithm === 'SHA-256:' && hex?.toLowerCase() === own)
  const sent = [headers['x-service-timestamp'], headers['x-service-nonce']]
  observer.require('SIGNATURE-TIMESTAMP', sent[0] === undefined || timestamp === sent[0])
  observer.require('SIGNATURE-NONCE', sent[1] === undefined || nonce === sent[1])
}

function isUtcTimestamp(value: unknown): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(value))
}
