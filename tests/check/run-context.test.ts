import { expect, test } from 'vitest'
import type { HttpResponse } from '../../src/http/response.ts'
import { clientAuthentication } from '../../src/oauth/client-authentication.ts'
import { applicationOf } from '../../src/target/parts.ts'
import { openRun } from './run-fixture.ts'

test('a run never uses the response for a token of another run, for any user and client', async () => {
  const { run: first, server } = await openRun((response, { body }) =>
    response.end(JSON.stringify({ active: true, sub: body.includes('token=two') ? 'second' : 'first' })),
  )
  const { run: second } = await openRun(undefined, { ...first.target, application: application('other') })
  const ask = (one: typeof first, token: string) =>
    one.once(introspection, () =>
      one.provider.introspection([['token', token]], clientAuthentication(applicationOf(one.target))),
    )
  expect((await ask(first, 'one')).object?.sub).toBe('first')
  expect((await ask(first, 'one')).object?.sub).toBe('first')
  expect((await ask(second, 'two')).object?.sub).toBe('second')
  expect(server.log.map(({ body }) => body)).toEqual(['token=one', 'token=two'])
  const credentials = server.log.map(({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('Authorization') + 1])
  expect(new Set(credentials).size).toBe(2)
})

async function introspection(): Promise<HttpResponse> {
  throw new Error('a step is never called by itself')
}

function application(id: string) {
  return {
    id,
    secret: 'canary-other-secret',
    redirectUri: 'https://other.example.com/callback',
    authMethod: 'client_secret_basic',
  } as const
}
