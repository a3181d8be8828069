import {
  errorOf,
  expectErrorNamed,
  expectNothingIssued,
  expectRefused,
  expectRefusedAnywhere,
} from '../../src/check/landing.ts'
import { unguessable } from '../../src/oauth/pkce.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'AUTHZ-STATE-REQUIRED',
  'a request without state is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without state')
    const { landing } = await authorization.authorize('signed-in', { state: null })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-NONCE-REQUIRED',
  'a request without nonce is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without nonce')
    const { landing } = await authorization.authorize('signed-in', { nonce: null })
    expectRefused(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-CLIENT-ID-REQUIRED',
  'a request without client_id is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without client_id')
    const { landing } = await authorization.authorize('signed-in', { client_id: null })
    expectRefusedAnywhere(expect, landing, 'invalid_request')
  },
)

check(
  'AUTHZ-CLIENT-ID-UNKNOWN',
  'a client_id that nobody has is refused',
  login,
  async ({ authorization, expect, note }) => {
    expect.sending('a good request with a client_id that belongs to no application')
    const { landing } = await authorization.authorize('signed-in', {
      client_id: `plumbline-${unguessable()}`,
    })
    expectNothingIssued(expect, landing)
    if (errorOf(landing) !== undefined) note('an unknown application is told to a redirect URI')
  },
)

check(
  'AUTHZ-SCOPE-REQUIRED',
  'a request without scope is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without scope')
    const { landing } = await authorization.authorize('signed-in', { scope: null })
    expectRefused(expect, landing, 'invalid_request', 'invalid_scope')
  },
)

check(
  'AUTHZ-OPENID-SCOPE',
  'a scope without openid is refused',
  login,
  async ({ authorization, expect, target }) => {
    const others = target.scope.split(' ').filter((scope) => scope !== 'openid')
    expect.sending('a good request whose scope lacks openid')
    const { landing } = await authorization.authorize('signed-in', { scope: others.join(' ') || 'profile' })
    expectRefused(expect, landing, 'invalid_request', 'invalid_scope')
  },
)

check(
  'AUTHZ-OPENID-SCOPE',
  'a scope in which openid is only part of a word is refused',
  login,
  async ({ authorization, expect, target }) => {
    const scope = target.scope.split(' ').map((one) => (one === 'openid' ? 'xopenidx' : one))
    expect.sending('a good request with xopenidx in the place of openid')
    const { landing } = await authorization.authorize('signed-in', { scope: scope.join(' ') })
    expectRefused(expect, landing, 'invalid_request', 'invalid_scope')
  },
)

check(
  'AUTHZ-SCOPE-INVALID',
  'an unknown scope, where it is refused, is called invalid_scope',
  login,
  async ({ authorization, expect, target, note, notApplicable }) => {
    expect.sending('a good request with one more scope, which nobody knows')
    const { landing } = await authorization.authorize('passive', {
      scope: `${target.scope} plumbline-no-such-scope`,
    })
    const error = errorOf(landing)
    if (error === undefined) {
      note('an unknown scope is not refused')
      return notApplicable('an unknown scope is not refused with an error here', 'target')
    }
    expectErrorNamed(expect, landing, 'invalid_scope', 'invalid_request')
    if (error === 'invalid_request') note('an unknown scope is called invalid_request')
  },
)
