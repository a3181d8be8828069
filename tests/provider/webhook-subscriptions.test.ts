import { describe, expect, test } from 'vitest'
import { startProvider } from '../../provider/index.ts'
import { TestClient } from './client.ts'
import { SECRET, WebhookFixture } from './webhook-fixture.ts'

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

  test('creates, lists, reads, updates and deletes, and never returns the secret', async () => {
    const fixture = await WebhookFixture.start()
    const fields = { target_url: fixture.url, event_filters: ['ClaimValuesChanged'], description: 'ours' }
    const created = await fixture.subscribe(fields)
    const { id } = created.json
    expect(created.status).toBe(201)
    expect(created.json).toEqual({
      id: expect.stringMatching(/^\S+$/),
      ...fields,
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(Math.abs(Date.parse(created.json.created_at) - Date.now())).toBeLessThan(60_000)
    const listed = await fixture.manage('GET')
    expect([listed.status, listed.json]).toEqual([200, [created.json]])
    const shown = await fixture.manage('GET', `/${id}`)
    expect([shown.status, shown.json]).toEqual([200, created.json])
    const changed = await fixture.manage('PATCH', `/${id}`, {
      event_filters: ['other'],
      secret: `${SECRET}!`,
    })
    expect([changed.status, changed.json]).toEqual([200, { ...created.json, event_filters: ['other'] }])
    expect((await fixture.manage('GET', `/${id}`)).json).toEqual(changed.json)
    const deleted = await fixture.manage('DELETE', `/${id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE']) expect((await fixture.manage(method, `/${id}`)).status).toBe(404)
    expect((await fixture.manage('PATCH', `/${id}`, {})).status).toBe(404)
    expect((await fixture.manage('GET')).json).toEqual([])
    for (const { text } of [created, listed, shown, changed]) expect(text).not.toContain(SECRET)
  })

  test.each([
    ['no target_url', { target_url: undefined }],
    ['no secret', { secret: undefined }],
    ['no event_filters', { event_filters: undefined }],
    ['a target without TLS', { target_url: 'http://127.0.0.1:1/hook' }],
    ['a target that is not a URL', { target_url: '/hook' }],
    ['a secret of 31 characters', { secret: SECRET.slice(1) }],
    ['31 characters of two code units each', { secret: '😀'.repeat(31) }],
    ['filters that are a string', { event_filters: 'ClaimValuesChanged' }],
    ['filters that are numbers', { event_filters: [1] }],
    ['a description that is null', { description: null }],
    ['a member that cannot be set', { status: 'paused' }],
  ])('rejects %s, and stores nothing', async (_, fields) => {
    const fixture = await WebhookFixture.start()
    const refused = await fixture.subscribe(fields)
    expect(refused.status).toBe(400)
    expect(refused.json).toEqual({ type: 'BAD_REQUEST', message: expect.any(String) })
    expect(refused.text).not.toContain('secret-of')
    expect((await fixture.manage('GET')).json).toEqual([])
  })

  test.each(['', '[]', 'null', '{', '"text"'])('refuses the body %j', async (body) => {
    const fixture = await WebhookFixture.start()
    expect((await fixture.manage('POST', '', body)).status).toBe(400)
  })

  test('an update is validated by the same rules, and changes nothing if it is rejected', async () => {
    const fixture = await WebhookFixture.start()
    const { json } = await fixture.subscribe()
    for (const change of [{ target_url: 'http://127.0.0.1/' }, { secret: 'short' }, { id: 'other' }]) {
      expect((await fixture.manage('PATCH', `/${json.id}`, { event_filters: ['x'], ...change })).status).toBe(
        400,
      )
    }
    expect((await fixture.manage('GET', `/${json.id}`)).json).toEqual(json)
  })

  test('only entitled partners with their own secret have access; a token is no substitute', async () => {
    const fixture = await WebhookFixture.start()
    const { variables } = fixture.running
    const { json } = await fixture.subscribe()
    const partner = fixture.client.partner()
    const { access_token } = await fixture.client.login()
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
      expect((await fixture.subscribe({}, headers)).status).toBe(status)
      for (const method of ['GET', 'DELETE']) {
        expect((await fixture.manage(method, `/${json.id}`, undefined, headers)).status).toBe(status)
      }
    }
    expect((await fixture.manage('GET')).json).toEqual([json])
    expect((await fixture.manage('PUT')).status).toBe(405)
    expect((await fixture.manage('GET', `/${json.id}/more`)).status).toBe(404)
  })
})
