import { expect, test } from 'vitest'
import { exchangesOfOneCode } from '../../../src/check/tokens/exchanges-of-one-code.ts'
import { HttpResponse } from '../../../src/http/response.ts'
import type { AuthorizationRequest } from '../../../src/oauth/authorization-request.ts'

const request = { application: { id: 'app' } } as AuthorizationRequest

function response(status: number, object: object): HttpResponse {
  return new HttpResponse(status, {}, JSON.stringify(object))
}

const issued = response(200, { access_token: 'a' })

/** A target, and what it received: a code and a flaw, or a code alone for a valid exchange. */
async function exchanged(
  answer: (flaw: string | undefined, code: string) => HttpResponse,
  flaws = ['port', 'query', 'scheme'],
) {
  const sent: string[] = []
  let codes = 0
  const newCode = async () => {
    codes += 1
    return { code: `code ${codes}`, request }
  }
  const outcome = await exchangesOfOneCode(await newCode(), {
    flaws,
    newCode,
    send: async ({ code }, flaw) => {
      sent.push(`${code} ${flaw}`)
      return answer(flaw, code)
    },
    sendValid: async ({ code }) => {
      sent.push(code)
      return answer(undefined, code)
    },
  })
  return { ...outcome, sent }
}

test('one code serves all exchanges if its valid exchange is accepted after them', async () => {
  const { sent, accepted, responses } = await exchanged((flaw) =>
    flaw ? response(400, { error: 'invalid_grant' }) : issued,
  )
  expect(sent).toEqual(['code 1 port', 'code 1 query', 'code 1 scheme', 'code 1'])
  expect(accepted).toEqual({ response: issued, code: 'code 1', request })
  expect([...responses.keys()]).toEqual(['port', 'query', 'scheme'])
})

test('an accepted exchange spends its code, and shows that it was valid', async () => {
  const { sent, responses } = await exchanged((flaw) =>
    flaw === 'query' || flaw === undefined ? issued : response(400, { error: 'invalid_grant' }),
  )
  expect(sent).toEqual(['code 1 port', 'code 1 query', 'code 2 scheme', 'code 2'])
  expect(responses.get('query')).toBe(issued)
})

test('if a refused exchange invalidates its code, later ones are repeated with a code of their own', async () => {
  const used = new Set<string>()
  const { sent, responses, accepted } = await exchanged((flaw, code) => {
    const isFirst = !used.has(code)
    used.add(code)
    return isFirst && flaw === 'scheme' ? issued : response(400, { error: 'invalid_grant' })
  })
  expect(sent).toEqual([
    'code 1 port',
    'code 1 query',
    'code 1 scheme',
    'code 1',
    'code 2 query',
    'code 3 scheme',
  ])
  expect(responses.get('scheme')).toBe(issued)
  expect(accepted).toBeUndefined()
})

test('a refusal is not repeated if it was the first with its code', async () => {
  const page = new HttpResponse(400, { 'content-type': 'text/html' }, '<p>refused</p>')
  const { sent } = await exchanged((flaw) => (flaw === 'port' ? issued : page))
  expect(sent).toEqual(['code 1 port', 'code 2 query', 'code 2 scheme', 'code 2', 'code 3 scheme'])
})

test('a refusal of the client does not depend on the code', async () => {
  const { sent } = await exchanged(
    (flaw) =>
      response(flaw === 'secret' ? 401 : 400, {
        error: flaw === 'secret' ? 'invalid_client' : 'invalid_grant',
      }),
    ['verifier', 'secret'],
  )
  expect(sent).toEqual(['code 1 verifier', 'code 1 secret', 'code 1'])
})
