import { Agent, request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { executeCheck } from '../../src/check/execute.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { WebhookRegistry } from '../../src/check/webhooks/registry.ts'
import type { Exchange } from '../../src/evidence/exchange.ts'
import type { Target } from '../../src/target/target.ts'
import { definition, openRun } from '../check/run-fixture.ts'
import type { Answer, Seen } from '../http/site.ts'

interface Kept {
  readonly id: string
  readonly target_url: string
}

interface Management {
  tellsId?: boolean
  list?: number
  /** Status of the response to every list after a creation. */
  listAfterwards?: number
  breaksOff?: boolean
  /** Status of the response to a deletion that is not executed; by default deletions are executed. */
  deletion?: number
}

/** Subscription management that already contains a subscription of another client. */
function management({
  tellsId = true,
  list = 200,
  listAfterwards = list,
  breaksOff = false,
  deletion,
}: Management = {}) {
  const kept: Kept[] = [{ id: 'of-another-run', target_url: 'https://other.example.com/hook' }]
  const answer: Answer = (response, { method, url, body }: Seen) => {
    const id = url.split('/subscriptions/')[1]
    // Too long to wait for.
    const headersOf = (status: number) => (status === 429 ? { 'Retry-After': '86400' } : {})
    const send = (status: number, json?: unknown) =>
      response.writeHead(status, headersOf(status)).end(JSON.stringify(json))
    if (!url.includes('/subscriptions')) return send(404)
    if (method === 'POST') {
      const created = { id: `subscription-${kept.length}`, ...JSON.parse(body), secret: undefined }
      kept.push(created)
      if (breaksOff) return response.socket?.destroy()
      return send(201, tellsId ? created : { status: 'active' })
    }
    if (method === 'GET' && id === undefined) return send(kept.length > 1 ? listAfterwards : list, kept)
    const index = kept.findIndex((one) => one.id === id)
    if (index < 0) return send(404)
    if (method === 'DELETE' && deletion !== undefined) return send(deletion, { type: 'REFUSED' })
    if (method === 'DELETE') kept.splice(index, 1)
    return send(method === 'DELETE' ? 204 : 200, kept[index])
  }
  return { kept, answer }
}

async function opened(options: Management = {}, changes: Partial<Target> = {}) {
  const { kept, answer } = management(options)
  const { run: made, server } = await openRun(answer, changes)
  const registry = await WebhookRegistry.open(made)
  const subscribe = () => {
    const endpoint = registry.endpoint('target', { status: 200 })
    return registry.create({ target_url: endpoint.url, secret: registry.secret(), event_filters: [] })
  }
  return { run: made, server, kept, registry, subscribe }
}

describe('subscriptions of a run', () => {
  test('are deleted when it ends, and those of other clients stay', async () => {
    const { run, kept, subscribe, registry } = await opened()
    const [first] = [await subscribe(), await subscribe(), await subscribe()]
    await registry.delete(first.id ?? '')
    expect(kept).toHaveLength(3)
    await run.close()
    expect(kept.map(({ id }) => id)).toEqual(['of-another-run'])
  })

  test('are deleted even after a failed check, and if no other requests are left', async () => {
    const { answer, kept } = management()
    const { run: made } = await openRun(answer, { requestBudget: 5 })
    const check = definition(async ({ subscriptions, expect }) => {
      const opened = await subscriptions.registry()
      for (;;) {
        const { url } = opened.endpoint('target', { status: 200 })
        const { response } = await opened.create({ target_url: url, secret: opened.secret() })
        expect.status(response, 201)
      }
    })
    expect(await executeCheck(check, made)).toMatchObject({
      verdict: 'inconclusive',
      cause: 'configuration',
      advice: expect.stringContaining('REQUEST_BUDGET'),
    })
    expect(kept.length).toBeGreaterThan(1)
    await made.close()
    expect(kept.map(({ id }) => id)).toEqual(['of-another-run'])
  })

  test('are found by their target_url if their id is unknown', async () => {
    const { registry, kept, subscribe } = await opened({ tellsId: false })
    await subscribe()
    await subscribe()
    expect(await registry.deleteAll()).toEqual({ deleted: 2, remaining: 0, obstacles: [] })
    expect(kept.map(({ id }) => id)).toEqual(['of-another-run'])
  })

  test('are found even if their creation was interrupted', async () => {
    const { registry, kept, subscribe } = await opened({ breaksOff: true })
    await expect(subscribe()).rejects.toThrow('was cut off')
    expect(kept).toHaveLength(2)
    await registry.deleteAll()
    expect(kept.map(({ id }) => id)).toEqual(['of-another-run'])
  })

  test('that remain are reported, with the reason if a deletion has no response', async () => {
    const { registry, subscribe } = await opened({ tellsId: false, list: 403 })
    await subscribe()
    expect(await registry.deleteAll()).toMatchObject({
      deleted: 0,
      remaining: 1,
      obstacles: [{ dependsOn: ['WEBHOOK-SUBSCRIPTION-CREATE-ID', 'WEBHOOK-SUBSCRIPTION-LIST'] }],
    })
  })

  const verdictOnDeletion = async (options: Management) => {
    const { answer } = management(options)
    const { run: made } = await openRun(answer)
    const check = definition(async ({ subscriptions, expect, note }) => {
      const { remaining } = await subscriptions.deleteAll(note)
      expect.that(remaining === 0, 'every subscription deleted', `${remaining} left`)
    })
    return executeCheck(check, made)
  }

  test.each([
    ['every deletion is throttled', { deletion: 429 }, 'throttled', []],
    ['the list to delete them from is throttled', { tellsId: false, listAfterwards: 429 }, 'throttled', []],
    [
      'the list to delete them from is refused',
      { tellsId: false, listAfterwards: 403 },
      'environment',
      ['WEBHOOK-SUBSCRIPTION-CREATE-ID', 'WEBHOOK-SUBSCRIPTION-LIST'],
    ],
  ])('whose deletion is not decided are no violation: %s', async (_, options, cause, dependsOn) => {
    expect(await verdictOnDeletion(options)).toMatchObject({
      verdict: 'inconclusive',
      cause,
      dependsOn,
      notes: [{ text: expect.stringMatching(/^1 subscription of this run may be left; delete/) }],
    })
  })

  test('whose deletion is refused are a violation', async () => {
    expect(await verdictOnDeletion({ deletion: 405 })).toMatchObject({ verdict: 'fail' })
  })

  test('are the only deletable ones', async () => {
    const { registry } = await opened()
    await expect(registry.delete('of-another-run')).rejects.toThrow('that this run did not create')
  })

  test('secrets and target_urls are random and never shown', async () => {
    const { run: made, server, registry, subscribe } = await opened()
    const exchanges: Exchange[] = []
    await made.recorder.collectInto(exchanges, async () => {
      await subscribe()
      await subscribe()
      await registry.management.list()
    })
    const sent = server.log.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))
    expect(sent).toHaveLength(2)
    expect(sent[0].secret).not.toBe(sent[1].secret)
    expect(sent[0].target_url).not.toBe(sent[1].target_url)
    const shown = JSON.stringify(exchanges)
    for (const { secret, target_url: url } of sent) {
      const token = new URL(url).pathname.slice(1)
      expect(secret).toHaveLength(64)
      expect(token).toMatch(/^[\w-]{24,}$/)
      expect(made.vault.scrub(`${secret} ${token}`)).toBe('<secret> <secret>')
      for (const text of [secret, token, secret.slice(0, 10)]) expect(shown).not.toContain(text)
    }
  })
})

describe('target_urls of a run', () => {
  async function deliver(url: string, body: unknown, headers = { 'X-Service-Nonce': 'a' }) {
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    onTestFinished(() => dispatcher.close())
    const answer = await request(url, { method: 'POST', body: JSON.stringify(body), headers, dispatcher })
    await answer.body.dump()
    return answer.statusCode
  }

  test('respond to each event by their script, and to others not at all', async () => {
    const { registry } = await opened()
    registry.slot = 0
    const endpoint = registry.endpoint('target', { status: 503 }, { status: 429 }, { status: 200 })
    const statuses = []
    for (const id of ['a', 'a', 'b', 'a', 'a']) statuses.push(await deliver(endpoint.url, { id }))
    expect(statuses).toEqual([503, 429, 503, 200, 200])
    registry.slot = 4
    await deliver(endpoint.url, { id: 'b' })
    expect(endpoint.arrivals.map(({ slot }) => slot)).toEqual([0, 0, 0, 0, 0, 4])
    expect(await deliver(endpoint.url, {}, {} as { 'X-Service-Nonce': string })).toBe(200)
    expect(endpoint.otherRequests).toBe(1)
    expect(await deliver(new URL('/guessed', endpoint.url).href, {})).toBe(404)
    expect(endpoint.arrivals).toHaveLength(6)
  })

  test('are below WEBHOOK_RECEIVER_URL, and their requests arrive without TLS', async () => {
    const { registry } = await opened(
      {},
      { webhookReceiver: { url: 'https://hooks.example.com/plumbline/' } },
    )
    expect(registry.endpoint('target', { status: 200 }).url).toMatch(
      /^https:\/\/hooks\.example\.com\/plumbline\/[\w-]{24}$/,
    )
  })
})

describe('a target without webhooks', () => {
  const verdictOf = async (answer: Answer) => {
    const { run: made, server } = await openRun(answer)
    const check = definition(async ({ subscriptions, expect }: CheckContext) => {
      await subscriptions.creation()
      expect.that(true, '', '')
    })
    const { verdict, cause, reason } = await executeCheck(check, made)
    return { verdict, cause, reason, methods: server.log.map(({ method }) => method) }
  }

  test('is recognised by 404 for a list and a creation', async () => {
    expect(await verdictOf((response) => response.writeHead(404).end())).toEqual({
      verdict: 'not-applicable',
      cause: 'target',
      reason: 'the target has no webhooks: the response to a request for the list of subscriptions was 404',
      methods: ['GET', 'POST'],
    })
  })

  test('is recognised by FEATURE_DISABLED, before a creation', async () => {
    const answer: Answer = (response) =>
      response.writeHead(403).end(JSON.stringify({ type: 'FEATURE_DISABLED', message: 'no' }))
    expect(await verdictOf(answer)).toMatchObject({ verdict: 'not-applicable', methods: ['GET'] })
  })

  test('is not concluded from rejected credentials', async () => {
    expect(await verdictOf((response) => response.writeHead(401).end('{}'))).toMatchObject({
      verdict: 'inconclusive',
      cause: 'configuration',
      methods: ['GET'],
    })
  })

  test('gets no request if planned features are not enabled', async () => {
    const { run: made, server } = await openRun()
    const check = definition(async ({ subscriptions }) => void (await subscriptions.registry()), {
      effects: ['planned'],
      needs: ['webhookReceiver'],
    })
    expect(await executeCheck(check, made)).toMatchObject({
      verdict: 'not-applicable',
      advice: expect.stringContaining('ENABLE=planned'),
    })
    expect(server.log).toEqual([])
  })
})
