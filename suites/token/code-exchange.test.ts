import { describe, kindOf, quoted } from '../../src/check/expect.ts'
import { check } from './requirements.ts'

const login = { effects: ['login'], needs: ['user'] } as const

check(
  'TOKEN-CODE-EXCHANGE',
  'a code exchange brings an access token',
  login,
  async ({ identity, expect, note }) => {
    expect.sending('a complete code exchange')
    const { response, request } = await identity.exchangeAnswer()
    // 401 for the own credentials is reported as a matter of configuration.
    if (response.status === 401) identity.tokensOf(response, request)
    expect.status(response, 200)
    expect.text(expect.object(response).access_token, 'access_token')
    if (response.mediaType !== 'application/json')
      note('the token response is not labelled application/json (RFC 6749, 5.1)')
  },
)

check(
  'TOKEN-RESPONSE-SHAPE',
  'members of the token response have their types',
  login,
  async ({ identity, expect }) => {
    const { response } = await identity.tokens()
    const body = expect.object(response)
    expect.text(body.scope, 'scope')
    expect.text(body.token_type, 'token_type')
    const { expires_in: lifetime } = body
    expect.that(
      Number.isInteger(lifetime) && Number(lifetime) > 0,
      'expires_in as a positive whole number',
      `it was ${typeof lifetime === 'number' ? lifetime : kindOf(lifetime)}`,
    )
  },
)

check('TOKEN-TYPE-BEARER', 'token_type is bearer', login, async ({ identity, expect, note }) => {
  const { response } = await identity.tokens()
  const type = response.object?.token_type
  expect.that(
    typeof type === 'string' && type.toLowerCase() === 'bearer',
    'token_type bearer, in any case',
    `it was ${quoted(type)}`,
  )
  if (type !== 'bearer') note(`token_type is written ${quoted(type)}`)
})

check(
  'TOKEN-REFRESH-TOKEN-ISSUED',
  'a code exchange brings a refresh token',
  login,
  async ({ identity, expect }) => {
    const { response } = await identity.tokens()
    expect.text(response.object?.refresh_token, 'refresh_token')
  },
)

check('TOKEN-ID-TOKEN-ISSUED', 'a code exchange brings an ID token', login, async ({ identity, expect }) => {
  const { response } = await identity.tokens()
  expect.text(response.object?.id_token, 'id_token')
})

const burning = { effects: ['login', 'burns-codes'], needs: ['user'] } as const

check(
  'TOKEN-CODE-VERIFIER',
  'a code is refused with a wrong verifier',
  burning,
  async ({ identity, expect, observe, note }) => {
    await identity.exchangeControl()
    const code = await identity.code()
    expect.sending('a good code exchange with the verifier of another request')
    const { request: other } = await identity.firstCode()
    const response = await identity.exchange(code, { code_verifier: other.verifier })
    expect.refused(response)
    note(`a wrong verifier is answered ${describe(response)}`)
    observe('token.wrong-verifier.status', response.status)
  },
)

check(
  'TOKEN-CODE-VERIFIER',
  'a code is refused without a verifier',
  burning,
  async ({ identity, expect }) => {
    await identity.exchangeControl()
    const code = await identity.code()
    expect.sending('a good code exchange without code_verifier')
    expect.refused(await identity.exchange(code, { code_verifier: null }))
  },
)

check(
  'TOKEN-REDIRECT-URI-MATCH',
  'a code is refused with another redirect URI',
  burning,
  async ({ identity, expect }) => {
    await identity.exchangeControl()
    const code = await identity.code()
    expect.sending('a good code exchange with a redirect URI that has one more path segment')
    const response = await identity.exchange(code, { redirect_uri: `${code.request.redirectUri}/more` })
    expect.refusedWith(response, 400, 'invalid_grant')
  },
)

check(
  'TOKEN-CODE-OTHER-CLIENT',
  "another application's code is refused",
  { effects: ['login', 'burns-codes'], needs: ['user', 'secondApplication'] },
  async ({ identity, expect, target }) => {
    await identity.exchangeControl()
    const code = await identity.code()
    expect.sending('a good code exchange with the credentials of the second application')
    expect.refused(await identity.exchange(code, {}, target.secondApplication))
  },
)
