import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import type { Received, WebhookWorld } from './webhook-receiver.ts'
import { SECRET } from './webhook-receiver.ts'

/** Of the form of a token: what no token opens, a forged one does not open either. */
const ACCESS_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzdWJqZWN0In0.c2lnbmF0dXJl'

type Fields = Record<string, unknown>

/** Requirements that a provider was seen to break. What could not be judged is left out. */
export class Facts {
  readonly broken = new Set<string>()
  private readonly run: WebhookWorld
  /** Whether subscriptions may have a description: where they must, only few are without. */
  private describes = true

  constructor(run: WebhookWorld) {
    this.run = run
  }

  private described(fields: Fields): Fields {
    return this.describes ? fields : { ...fields, description: undefined }
  }

  private hold(id: string, holds: boolean): void {
    if (!holds) this.broken.add(`WEBHOOK-${id}`)
  }

  async management(): Promise<void> {
    const { run } = this
    const fields = {
      target_url: `${run.url}?of=all`,
      event_filters: ['user.created', 'ClaimValuesChanged'],
    }
    const began = Date.now()
    const plain = await run.subscribe(fields)
    const described = await run.subscribe({ ...fields, description: 'ours' })
    this.describes = good(described)
    const created = this.describes ? described : plain
    const shown = asObject(created.json)
    this.hold('SUBSCRIPTION-CREATE', good(plain) && asObject(plain.json) !== undefined)
    this.hold('SUBSCRIPTION-DESCRIPTION', this.describes)
    this.withheld(plain, created)
    await this.refusals()
    if (!shown) return
    const { id, target_url, event_filters, status, created_at } = shown
    this.hold('SUBSCRIPTION-CREATE-ID', typeof id === 'string' && id !== '')
    this.hold('SUBSCRIPTION-CREATE-TARGET', target_url === fields.target_url)
    this.hold('SUBSCRIPTION-CREATE-FILTERS', alike(event_filters, fields.event_filters))
    this.hold('SUBSCRIPTION-CREATE-STATUS', typeof status === 'string')
    this.hold(
      'SUBSCRIPTION-CREATE-CREATED-AT',
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(String(created_at)) &&
        Math.abs(Date.parse(String(created_at)) - began) < 60_000,
    )
    if (typeof id === 'string') await this.operations(id)
  }

  private async operations(id: string): Promise<void> {
    const { run } = this
    const list = await run.manage('GET')
    const before = await run.manage('GET', `/${id}`)
    this.hold('SUBSCRIPTION-LIST', good(list) && listed(list.json).includes(id))
    this.hold('SUBSCRIPTION-GET', good(before) && asObject(before.json)?.id === id)
    await this.intruders(id)
    const changed = await run.manage('PATCH', `/${id}`, { event_filters: ['user.deleted'] })
    const after = await run.manage('GET', `/${id}`)
    if (good(before)) {
      this.hold('SUBSCRIPTION-UPDATE', good(changed))
      this.hold('SUBSCRIPTION-UPDATE', alike(after.json?.event_filters, ['user.deleted']))
      this.hold('SUBSCRIPTION-UPDATE', after.json?.description === before.json?.description)
    }
    const deleted = await run.manage('DELETE', `/${id}`)
    if (good(before)) {
      this.hold('SUBSCRIPTION-DELETE', good(deleted))
      const gone = await run.manage('GET', `/${id}`)
      this.hold('SUBSCRIPTION-DELETE', !good(gone) || gone.json?.status !== after.json?.status)
    }
    this.withheld(list, before, changed, after, deleted)
  }

  private withheld(...answers: { text: string; headers: { values(): Iterable<string> } }[]): void {
    for (const { text, headers } of answers) {
      const holds = [text, ...headers.values()].some((part) => part.includes(SECRET))
      this.hold('SUBSCRIPTION-SECRET-WITHHELD', !holds)
    }
  }

  private async refusals(): Promise<void> {
    const flaws: [string, Fields][] = [
      ['TARGET-REQUIRED', { target_url: undefined }],
      ['SECRET-REQUIRED', { secret: undefined }],
      ['FILTERS-REQUIRED', { event_filters: undefined }],
      ['TARGET-HTTPS', { target_url: 'http://127.0.0.1:9/hook' }],
      ['SECRET-LENGTH', { secret: SECRET.slice(1) }],
    ]
    const { run } = this
    for (const [id, flaw] of flaws) {
      const target_url = `${run.url}?flaw=${id}`
      const answer = await run.subscribe(this.described({ description: 'flawed', target_url, ...flaw }))
      const list = await run.manage('GET')
      this.hold(`SUBSCRIPTION-${id}`, !good(answer) && !list.text.includes(target_url))
    }
  }

  private async intruders(id: string): Promise<void> {
    const { run } = this
    const partner = run.client.partner()
    const strangers: [string, Record<string, string>][] = [
      ['CREDENTIALS', {}],
      ['CREDENTIALS', { 'x-client-id': partner['x-client-id'] ?? '' }],
      ['CREDENTIALS', { 'x-client-secret': partner['x-client-secret'] ?? '' }],
      ['CREDENTIALS', { ...partner, 'x-client-secret': 'wrong' }],
      ['NO-OAUTH', { 'x-client-id': partner['x-client-id'] ?? '', authorization: `Bearer ${ACCESS_TOKEN}` }],
      ['NO-OAUTH', { authorization: `Bearer ${ACCESS_TOKEN}` }],
    ]
    const { json } = await run.subscribe(this.described({ description: 'not to be deleted' }))
    for (const [requirement, headers] of strangers) {
      // Who needs no secret needs no token either.
      if (requirement === 'NO-OAUTH' && this.broken.has('WEBHOOK-SUBSCRIPTION-CREDENTIALS')) continue
      const answers = [
        await run.manage('GET', '', undefined, headers),
        await run.manage('GET', `/${id}`, undefined, headers),
        await run.manage('PATCH', `/${id}`, {}, headers),
      ]
      const reached = answers.some((answer) => good(answer) && answer.text.includes(id))
      const created = good(await run.subscribe({}, headers))
      const deleted = good(await run.manage('DELETE', `/${asObject(json)?.id}`, undefined, headers))
      this.hold(`SUBSCRIPTION-${requirement}`, !reached && !created && !deleted)
    }
  }

  async deliveries(): Promise<void> {
    const { run } = this
    const all = await run.subscribe(this.described({ target_url: `${run.url}/all`, description: 'all' }))
    const filters = ['user.created', 'ClaimValuesChanged']
    await run.subscribe(
      this.described({ target_url: `${run.url}/some`, event_filters: filters, description: 'some' }),
    )
    const events: [string, string][] = []
    for (const type of ['ClaimValuesChanged', 'user.deleted'])
      events.push([await run.publish({ type }), type])
    const counts = (path: string) => events.map(([id]) => this.about(path, id).length > 0)
    this.hold('DELIVERY-ALL-TYPES', alike(counts('/hook/all'), [true, true]))
    this.hold('DELIVERY-FILTERS', alike(counts('/hook/some'), [true, false]))
    const nonces = new Set<unknown>()
    for (const [id, type] of events) {
      const delivery = this.about('/hook/all', id)[0]
      if (!delivery) continue
      const nonce = delivery.headers['x-service-nonce']
      this.hold('NONCE-SINGLE-USE', !nonce || !nonces.has(nonce))
      nonces.add(nonce)
      this.envelope(delivery, id, type)
      this.headers(delivery, id, type)
      await this.signature(delivery)
    }
    await this.updatedDelivery()
    const id = asObject(all.json)?.id
    if (typeof id !== 'string' || !good(await run.manage('DELETE', `/${id}`))) return
    this.hold('DELIVERY-STOPS', this.about('/hook/all', await run.publish()).length === 0)
  }

  private async updatedDelivery(): Promise<void> {
    const { run } = this
    const { json } = await run.subscribe(
      this.described({
        target_url: `${run.url}/updated`,
        event_filters: ['user.deleted'],
        description: 'updated',
      }),
    )
    const path = `/${asObject(json)?.id}`
    await run.manage('PATCH', path, { event_filters: ['ClaimValuesChanged'] })
    const shown = await run.manage('GET', path)
    if (!alike(shown.json?.event_filters, ['ClaimValuesChanged'])) return
    const id = await run.publish({ type: 'ClaimValuesChanged' })
    this.hold('DELIVERY-UPDATED', this.about('/hook/updated', id).length > 0)
  }

  /** Deliveries at a path that are about an event, whichever part of them says so. */
  private about(path: string, id: string): Received[] {
    return this.run.received.filter(
      ({ url, headers, body }) => url === path && (headers['x-service-event-id'] === id || body.includes(id)),
    )
  }

  private envelope({ method, headers, body }: Received, id: string, type: string): void {
    const isJson = /^(application\/([\w.-]+\+)?json\b|$)/.test(headers['content-type'] ?? '')
    this.hold('DELIVERY-POST', method === 'POST')
    this.hold('DELIVERY-JSON', isJson)
    const envelope = parsed(body)
    if (!isJson) return
    const same = alike(
      [envelope?.id, envelope?.type, envelope?.version, envelope?.subscriber, envelope?.payload],
      [id, type, '1.0', 'subject-ä', { claims: { locale: 'fi' } }],
    )
    this.hold('DELIVERY-ENVELOPE', same && envelope?.timestamp !== undefined)
    this.hold('DELIVERY-TIMESTAMP-Z', !envelope?.timestamp || isInstant(envelope.timestamp))
  }

  private headers({ headers, body }: Received, id: string, type: string): void {
    const timestamp = headers['x-service-timestamp']
    const eventTime = parsed(body)?.timestamp
    this.hold('HEADER-SIGNATURE', Boolean(headers['x-service-signature']))
    this.hold('HEADER-EVENT-ID', headers['x-service-event-id'] === id)
    this.hold('HEADER-EVENT-TYPE', headers['x-service-event-type'] === type)
    this.hold('HEADER-NONCE', Boolean(headers['x-service-nonce']))
    this.hold('HEADER-TIMESTAMP', timestamp !== undefined)
    if (timestamp === undefined) return
    this.hold('HEADER-TIMESTAMP', !isInstant(eventTime) || timestamp === eventTime)
    const age = Date.now() - Date.parse(String(timestamp))
    this.hold('TIMESTAMP-CURRENT', Math.abs(age) < 5 * 60_000)
  }

  private async signature({ headers, body }: Received): Promise<void> {
    const jws = headers['x-service-signature']
    if (typeof jws !== 'string') return
    const isCompact = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws)
    const [head = '', claims = '', signature = ''] = jws.split('.')
    const header = isCompact ? parsed(Buffer.from(head, 'base64url').toString()) : undefined
    this.hold('SIGNATURE-JWS', header?.alg === 'RS256')
    if (header?.alg !== 'RS256') return
    const { keys } = (await (await this.run.client.request(this.run.running.jwksUrl)).json()) as {
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
    this.hold('SIGNATURE-KEY', verified)
    if (!verified) return
    const { digest, timestamp, nonce } = parsed(Buffer.from(claims, 'base64url').toString()) ?? {}
    const [, algorithm, hex] = /^([^:]+:)(.*)$/.exec(String(digest)) ?? []
    const own = createHash('sha256').update(body).digest('hex')
    this.hold('SIGNATURE-DIGEST', algorithm === 'SHA-256:' && hex?.toLowerCase() === own)
    const sent = [headers['x-service-timestamp'], headers['x-service-nonce']]
    this.hold('SIGNATURE-TIMESTAMP', sent[0] === undefined || timestamp === sent[0])
    this.hold('SIGNATURE-NONCE', sent[1] === undefined || nonce === sent[1])
  }

  async retries(): Promise<void> {
    const { run } = this
    const always = <Reaction>(reaction: Reaction): Reaction[] => Array(20).fill(reaction)
    const reactions = {
      '500': always(500),
      '503': always(503),
      '429': [429],
      none: always('hang-up' as const),
    }
    const finals = { '200': [200], '202': [202], '204': [204], '400': [400], '404': [404] }
    for (const [name, list] of Object.entries({ ...reactions, ...finals })) {
      run.reactionsAt[`/hook/${name}`] = [...list]
      await run.subscribe(
        this.described({
          target_url: `${run.url}/${name}`,
          event_filters: ['ClaimValuesChanged'],
          description: name,
        }),
      )
    }
    const id = await run.publish()
    await run.advance(12 * 3600)
    /** Moments of the attempts at a path; copies at the same moment count once. */
    const moments = (name: string) => [...new Set(this.about(`/hook/${name}`, id).map(({ at }) => at / 1000))]
    const isRetried = (name: string) => moments(name).length !== 1
    const failing = ['500', '503', 'none']
    const times = failing.map(moments).reduce((one, other) => (one.length < other.length ? other : one))
    const isRetriedToTheEnd = (name: string) => isRetried(name) && moments(name).length === times.length
    this.hold('RETRY-SERVER-ERROR', isRetriedToTheEnd('500') && isRetriedToTheEnd('503'))
    this.hold('RETRY-THROTTLED', isRetried('429'))
    this.hold('RETRY-NO-RESPONSE', isRetriedToTheEnd('none'))
    this.hold('NO-RETRY-DELIVERED', !['200', '202', '204'].some(isRetried))
    this.hold('NO-RETRY-REFUSED', !['400', '404'].some(isRetried))
    // A delay counts from the attempt before, or from the first; a quarter either way is approximate.
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
      this.hold(`RETRY-${name}`, gap >= least * 0.75 && gap <= most * 1.25)
    }
    this.hold('RETRY-LIMIT', times.length <= 5)
    for (const { method, headers } of this.about('/hook/503', id)) {
      this.hold('DELIVERY-POST', method === 'POST')
      this.hold('HEADER-SIGNATURE', Boolean(headers['x-service-signature']))
      this.hold('HEADER-NONCE', Boolean(headers['x-service-nonce']))
      this.hold('HEADER-EVENT-ID', headers['x-service-event-id'] !== undefined)
      this.hold('HEADER-EVENT-TYPE', headers['x-service-event-type'] !== undefined)
    }
    const [first, ...others] = this.about('/hook/500', id).map(({ body }) => parsed(body))
    this.hold(
      'RETRY-SAME-EVENT',
      others.every((other) => alike(other, first)),
    )
    this.hold('FAILED-RETRIEVABLE', (await run.searched()).includes(id))
  }

  /** Takes ten seconds: a receiver that never answers, and one that answers after eight seconds. */
  async patience(): Promise<void> {
    const { run } = this
    run.reactionsAt['/hook/silent'] = ['silence']
    run.reactionsAt['/hook/slow'] = [(response) => void setTimeout(() => response.writeHead(204).end(), 8000)]
    for (const name of ['silent', 'slow']) {
      await run.subscribe({ target_url: `${run.url}/${name}`, description: name })
    }
    const id = await run.publish()
    await run.advance(60)
    this.hold('RETRY-TIMEOUT', this.about('/hook/silent', id).length > 1)
    this.hold('RECEIVER-TIME', this.about('/hook/slow', id).length === 1)
  }
}

const good = ({ status }: { status: number }) => status >= 200 && status < 300

function alike(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

function parsed(text: string): Fields | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function listed(json: Fields & { items?: Fields[]; subscriptions?: Fields[] }): unknown[] {
  const all = Array.isArray(json) ? json : (json?.items ?? json?.subscriptions ?? [])
  return all.map(({ id }: Fields) => id)
}

function isInstant(value: unknown): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(value))
}
