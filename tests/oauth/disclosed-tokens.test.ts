import { describe, expect, test } from 'vitest'
import { HttpResponse } from '../../src/http/response.ts'
import { disclosedTokens, tokenValuesIn } from '../../src/oauth/disclosed-tokens.ts'

const received = 'Received-4f1b7c2e9a'
const other = 'Other-8d3e5a1c7f20'

function refusal(body: unknown, headers: Record<string, string> = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new HttpResponse(400, headers, text)
}

const earlier = ['a token of an earlier response']

describe('tokens in a refusal', () => {
  test.each<[string, HttpResponse, readonly string[]]>([
    ['a plain error', refusal({ error: 'invalid_grant' }), []],
    ['a token in an object', refusal({ details: { access_token: other } }), ['access_token']],
    [
      'tokens in an array',
      refusal({ result: [{ refresh_token: other, id_token: other }] }),
      ['refresh_token', 'id_token'],
    ],
    ['a UUID', refusal({ a: { refresh_token: '0b9d1f6c-1111-4222-8333-abcdefabcdef' } }), ['refresh_token']],
    ['a received token in a header', refusal({}, { 'x-token': received }), earlier],
    ['a received token in a description', refusal({ error_description: `For ${received}.` }), earlier],
    ['a received token in a page', refusal(`<p>${received}</p>`), earlier],
    ['a description of a parameter', refusal({ fields: { refresh_token: 'must not be empty here' } }), []],
    ['a name of a message', refusal({ fields: { refresh_token: 'errors.refresh_token.invalid' } }), []],
    ['a list of problems', refusal({ fields: { refresh_token: ['required'] } }), []],
  ])('%s', (_, response, disclosed) => {
    expect(disclosedTokens(response, [received, 'short'], [])).toEqual(disclosed)
  })

  test('may be those that the request contains', () => {
    const response = refusal({ error_description: received, details: { refresh_token: other } })
    expect(disclosedTokens(response, [received], [received, `{"refresh_token":"${other}"}`])).toEqual([])
  })

  test('are not short', () => {
    expect(disclosedTokens(refusal('short'), ['short'], [])).toEqual([])
  })
})

test('the tokens of a response are its strings', () => {
  const body = { access_token: 'a', refresh_token: null, id_token: 'b', scope: 'c' }
  expect(tokenValuesIn(refusal(body))).toEqual(['a', 'b'])
})
