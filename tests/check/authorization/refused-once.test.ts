import { expect, test } from 'vitest'
import type {
  ReceivedErrorPage,
  ReceivedRedirect,
} from '../../../src/check/authorization/authorization-log.ts'
import { refusedOnce } from '../../../src/check/authorization/refused-once.ts'
import { type Landing, page, redirect } from './landings.ts'

type Received = ReceivedRedirect | ReceivedErrorPage

function received(landing: Landing, sentAt: number, id = 'app'): Received {
  return { request: { application: { id } }, landing, exchanges: [{ sentAt }] } as unknown as Received
}

const code = (sentAt: number, id?: string) => received(redirect('?code=c'), sentAt, id)

test.each([
  ['error=invalid_request', redirect('?error=invalid_request'), true],
  ['an error that is not documented', redirect('?error=unknown_client'), true],
  ['error=access_denied, which concerns the user', redirect('?error=access_denied'), false],
  ['error=server_error, which is transient', redirect('?error=server_error'), false],
  ['another code', redirect('?code=d'), false],
  ['a page with status 400', page(400), true],
  ['a page with status 403, which may come from a gateway', page(403), false],
  ['a page with status 408, which is transient', page(408), false],
  ['a page with status 429', page(429), false],
  ['a page with status 500', page(500), false],
])('%s before a code is a refusal: %s', (_, landing, expected) => {
  const one = received(landing, 1)
  expect(refusedOnce([code(2), one])).toEqual(expected ? [one] : [])
})

test('a refusal without a later code of the same application has a reason', () => {
  const refused = received(page(400), 2)
  expect(refusedOnce([code(1), refused, code(3, 'another')])).toEqual([])
})
