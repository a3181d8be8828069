import { expect, test } from 'vitest'
import { acceptsToken } from '../../src/check/userinfo-response.ts'
import { HttpResponse } from '../../src/http/response.ts'

test.each([
  [200, '{"sub":"a-1"}', true],
  [200, '{}', true],
  [200, '{"sub":"a-1","error":null}', true],
  [200, '{"sub":"a-1","error":"a claim of this name"}', true],
  [200, '{"error":"invalid_token"}', false],
  [204, '', false],
  [401, '{"sub":"a-1"}', false],
])('UserInfo accepts a token with %d %s: %s', (status, text, accepts) => {
  expect(acceptsToken(new HttpResponse(status, {}, text))).toBe(accepts)
})
