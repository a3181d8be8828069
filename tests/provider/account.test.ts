import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoredEvent } from '../../provider/hub/events.ts'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { claimsOf, TestClient } from './client.ts'

const ACCOUNT = '/mga/sps/authsvc/account'

let running: RunningProvider
let client: TestClient
let subject: unknown
const published: StoredEvent[] = []
beforeAll(async () => {
  running = await startProvider()
  running.hub.onPublished((event) => published.push(event))
  client = new TestClient(running)
  const { exchange } = await client.code()
  const tokens = (await (await client.token(exchange)).json()) as Record<string, string>
  subject = claimsOf(tokens.id_token).sub
})
afterAll(() => running.close())

async function page(): Promise<{ givenName: string | undefined; token: string; html: string }> {
  const html = await (await client.request(ACCOUNT)).text()
  const value = (name: string) => new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1]
  return { givenName: value('given_name'), token: value('token') ?? '', html }
}

const save = async (givenName: string) =>
  client.form(ACCOUNT, { given_name: givenName, token: (await page()).token })

describe('the account page', () => {
  test('requires a session', async () => {
    const stranger = new TestClient(running)
    expect((await stranger.request(ACCOUNT)).status).toBe(401)
    const { token } = await page()
    expect((await stranger.form(ACCOUNT, { given_name: 'Eve', token })).status).toBe(401)
    expect((await page()).givenName).toBe('Ada')
  })

  test('refuses a form without its token', async () => {
    expect((await client.form(ACCOUNT, { given_name: 'Eve' })).status).toBe(403)
    expect((await client.form(ACCOUNT, { given_name: 'Eve', token: 'guess' })).status).toBe(403)
    expect((await page()).givenName).toBe('Ada')
  })

  test.each(['', '   ', 'x'.repeat(61)])('refuses the name %j', async (name) => {
    const response = await save(name)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('role="alert"')
    expect(published).toHaveLength(0)
  })

  test('publishes one event per change, and no event without a change', async () => {
    expect((await save('Ada')).headers.get('location')).toBe(`${ACCOUNT}?saved`)
    expect(published).toHaveLength(0)
    await save('<b>Adéla</b>')
    expect((await page()).html).toContain('&lt;b&gt;Adéla&lt;/b&gt;')
    await save('Ada')
    expect(published).toMatchObject([
      {
        type: 'ClaimValuesChanged',
        subscriber: subject,
        payload: { claims: { given_name: '<b>Adéla</b>' } },
      },
      { type: 'ClaimValuesChanged', subscriber: subject, payload: { changedClaims: ['given_name'] } },
    ])
    expect(published[0]?.id).not.toBe(published[1]?.id)
  })

  test('changes the claim in UserInfo', async () => {
    await save('Adele')
    const { exchange } = await client.code()
    const tokens = (await (await client.token(exchange)).json()) as Record<string, string>
    const response = await client.request('/mga/sps/oauth/oauth20/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(await response.json()).toMatchObject({ given_name: 'Adele', name: 'Adele Alho', sub: subject })
  })
})
