import { expectRefused } from '../../src/check/landing.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check('AUTHZ-RESPONSE-TYPE', 'response_type=token is refused', login, async ({ authorization, expect }) => {
  expect.sending('a good request with response_type=token')
  const { landing } = await authorization.refused()
  expectRefused(expect, landing, 'unsupported_response_type')
})

check(
  'AUTHZ-RESPONSE-TYPE-ID-TOKEN',
  'response_type=id_token is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request with response_type=id_token')
    const { landing } = await authorization.authorize('signed-in', { response_type: 'id_token' })
    expectRefused(expect, landing, 'unsupported_response_type')
  },
)

check(
  'AUTHZ-RESPONSE-TYPE-HYBRID',
  'response_type=code id_token is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request with response_type=code id_token')
    const { landing } = await authorization.authorize('signed-in', { response_type: 'code id_token' })
    expectRefused(expect, landing, 'unsupported_response_type')
  },
)

check(
  'AUTHZ-RESPONSE-TYPE-REQUIRED',
  'a request without response_type is refused',
  login,
  async ({ authorization, expect }) => {
    expect.sending('a good request without response_type')
    const { landing } = await authorization.authorize('signed-in', { response_type: null })
    expectRefused(expect, landing, 'invalid_request', 'unsupported_response_type')
  },
)
