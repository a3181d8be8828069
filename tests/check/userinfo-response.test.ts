import { expect, test } from 'vitest'
import { acceptsToken } from '../../src/check/userinfo-response.ts'
import { HttpResponse } from '../../src/http/response.ts'

test.each([
  [200, '{"sub":"a-1"}', true],
  [200, '{}', true],
  [200, '{"sub":"a-1","error":null}', true],
  [200, '{"sub":"a-1","error":"a claim of this name"}', true],
  [200, '{"error":"invalid_token"}', false],
  [200, 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', true],
  [200, 'eyJhbGciOiJub25lIn0.e30.', true],
  [200, 'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn\n', true],
  [200, 'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy', false],
  [200, '', false],
  [200, 'null', false],
  [200, '[{"sub":"a-1"}]', false],
  [200, '"eyJhbGciOiJSUzI1NiJ9.e30.c2ln"', false],
  [200, '<h1>Sign in</h1>', false],
  [204, '', false],
  [401, '{"sub":"a-1"}', false],
])('UserInfo accepts a token with %d %s: %s', (status, text, accepts) => {
  expect(acceptsToken(new HttpResponse(status, {}, text))).toBe(accepts)
})
