import {
  exchangeOfSecond,
  secondExchangeWithOtherSecret,
  wrongCredentialsOfSecond,
} from './flawed-exchanges.ts'
import { check } from './requirements.ts'

check(
  'TOKEN-VERIFIER-WRONG',
  'a code exchange of the second application with the verifier of another request is refused',
  exchangeOfSecond,
  async ({ secondClient, expect }) => {
    expect.describeRequest(
      'an otherwise valid code exchange of the second application, with the verifier of another request',
    )
    expect.refused(await secondClient.invalidExchange('verifier'))
  },
)

check(
  'TOKEN-CLIENT-SECRET',
  'a wrong secret of the second application is refused',
  wrongCredentialsOfSecond,
  async ({ secondClient, expect }) => {
    expect.describeRequest(secondExchangeWithOtherSecret)
    expect.refused(await secondClient.invalidExchange('secret'))
  },
)
