import { describe, expect, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { TestClient } from './client.ts'
import { SECRET, WebhookWorld } from './webhook-receiver.ts'

describe('subscription management', () => {
  test('without the variant there is neither management nor a test clock', async () => {
    const running = await startProvider()
    const client = new TestClient(running)
    const headers = client.partner()
    const path = `${running.partnerApiUrl}/events/subscriptions`
    expect((await client.request(path, { headers })).status).toBe(404)
    expect((await client.request('/test-clock', { method: 'POST', body: '{}' })).status).toBe(404)
    expect(running.variables).not.toHaveProperty('WEBHOOK_CLOCK_URL')
    await running.close()
  })

  test('creates, lists, shows, changes and deletes, and never shows the secret', async () => {
    const run = await WebhookWorld.start()
    const fields = { target_url: run.url, event_filters: ['ClaimValuesChanged'], description: 'ours' }
    const created = await run.subscribe(fields)
    const { id } = created.json
    expect(created.status).toBe(201)
    expect(created.json).toEqual({
      id: expect.stringMatching(/^\S+$/),
      ...fields,
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(Math.abs(Date.parse(created.json.created_at) - Date.now())).toBeLessThan(60_000)
    const listed = await run.manage('GET')
    expect([listed.status, listed.json]).toEqual([200, [created.json]])
    const shown = await run.manage('GET', `/${id}`)
    expect([shown.status, shown.json]).toEqual([200, created.json])
    const changed = await run.manage('PATCH', `/${id}`, { event_filters: ['other'], secret: `${SECRET}!` })
    expect([changed.status, changed.json]).toEqual([200, { ...created.json, event_filters: ['other'] }])
    expect((await run.manage('GET', `/${id}`)).json).toEqual(changed.json)
    const deleted = await run.manage('DELETE', `/${id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE']) expect((await run.manage(method, `/${id}`)).status).toBe(404)
    expect((await run.manage('PATCH', `/${id}`, {})).status).toBe(404)
    expect((await run.manage('GET')).json).toEqual([])
    for (const { text } of [created, listed, shown, changed]) expect(text).not.toContain(SECRET)
  })

  test.each([
    ['no target_url', { target_url: undefined }],
    ['no secret', { secret: undefined }],
    ['no event_filters', { event_filters: undefined }],
    ['a target without TLS', { target_url: 'http://127.0.0.1:1/hook' }],
    ['a target that is no URL', { target_url: '/hook' }],
    ['a secret of 31 characters', { secret: SECRET.slice(1) }],
    ['31 characters of two code units each', { secret: '😀'.repeat(31) }],
    ['filters that are a string', { event_filters: 'ClaimValuesChanged' }],
    ['filters that are numbers', { event_filters: [1] }],
    ['a description that is null', { description: null }],
    ['a member that cannot be set', { status: 'paused' }],
  ])('refuses %s, and keeps nothing', async (_, fields) => {
    const run = await WebhookWorld.start()
    const refused = await run.subscribe(fields)
    expect(refused.status).toBe(400)
    expect(refused.json).toEqual({ type: 'BAD_REQUEST', message: expect.any(String) })
    expect(refused.text).not.toContain('secret-of')
    expect((await run.manage('GET')).json).toEqual([])
  })

  test.each(['', '[]', 'null', '{', '"text"'])('refuses the body %j', async (body) => {
    const run = await WebhookWorld.start()
    expect((await run.manage('POST', '', body)).status).toBe(400)
  })

  test('a change is held to the same rules, and changes nothing when it is refused', async () => {
    const run = await WebhookWorld.start()
    const { json } = await run.subscribe()
    for (const change of [{ target_url: 'http://127.0.0.1/' }, { secret: 'short' }, { id: 'other' }]) {
      expect((await run.manage('PATCH', `/${json.id}`, { event_filters: ['x'], ...change })).status).toBe(400)
    }
    expect((await run.manage('GET', `/${json.id}`)).json).toEqual(json)
  })

  test('only entitled partners with their own secret get in; a token is no substitute', async () => {
    const run = await WebhookWorld.start()
    const { variables } = run.running
    const { json } = await run.subscribe()
    const partner = run.client.partner()
    const { access_token } = await run.client.login()
    const refused: [number, Record<string, string>][] = [
      [401, {}],
      [401, { 'x-client-id': partner['x-client-id'] ?? '' }],
      [401, { ...partner, 'x-client-secret': 'wrong' }],
      [401, { authorization: `Bearer ${access_token}` }],
      [
        403,
        {
          'x-client-id': variables.UNENTITLED_CLIENT_ID ?? '',
          'x-client-secret': variables.UNENTITLED_CLIENT_SECRET ?? '',
        },
      ],
    ]
    for (const [status, headers] of refused) {
      expect((await run.subscribe({}, headers)).status).toBe(status)
      for (const method of ['GET', 'DELETE']) {
        expect((await run.manage(method, `/${json.id}`, undefined, headers)).status).toBe(status)
      }
    }
    expect((await run.manage('GET')).json).toEqual([json])
    expect((await run.manage('PUT')).status).toBe(405)
    expect((await run.manage('GET', `/${json.id}/more`)).status).toBe(404)
  })
})
