import { describe, expect, test } from 'vitest'
import { targetFrom } from '../../src/target/config.ts'
import { SetupError } from '../../src/target/problem.ts'
import type { TargetName } from '../../src/target/profiles.ts'

function refusal(name: TargetName, variables: Readonly<Record<string, string>>): SetupError {
  try {
    targetFrom(name, variables)
  } catch (error) {
    if (error instanceof SetupError) return error
    throw error
  }
  throw new Error('targetFrom accepts it')
}

describe('missing variables are reported at once', () => {
  const needed = ['IDP_BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URI']

  test('with the other half of a pair, and the hosts of production', () => {
    const { problems, message } = refusal('production', { TEST_USER: 'somebody' })
    expect(problems.map(({ name }) => name)).toEqual([...needed, 'TEST_PASSWORD', 'PRODUCTION_HOSTS'])
    expect(message).toContain('Put missing variables into .env.production in this directory')
  })

  test('together with wrong ones', () => {
    const { problems } = refusal('uat', { IDP_BASE_URL: 'login.example.com' })
    expect(problems.map(({ name }) => name)).toEqual([...needed, 'PRODUCTION_HOSTS'])
    expect(problems[0]?.what).toBe('is not an absolute URL')
  })

  test.each([
    ['uat', 'https://login.uat.example.com'],
    ['production', 'https://login.example.com'],
    ['embedded', 'http://127.0.0.1:4000'],
  ] as const)('with examples of %s', (name, example) => {
    expect(refusal(name, {}).problems[0]).toMatchObject({ name: 'IDP_BASE_URL', example })
  })

  test('and the example of PRODUCTION_HOSTS has the hosts of the addresses', () => {
    const { problems } = refusal('production', {
      IDP_BASE_URL: 'https://login.acme.test',
      PARTNER_API_URL: 'https://api.acme.test/partner',
    })
    expect(problems).toContainEqual(
      expect.objectContaining({ name: 'PRODUCTION_HOSTS', example: 'login.acme.test,api.acme.test' }),
    )
  })

  test('without a missing variable, no file is named', () => {
    const variables = {
      IDP_BASE_URL: 'https://login.acme.test',
      PARTNER_API_URL: 'https://api.acme.test',
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'secret',
      REDIRECT_URI: 'https://app.acme.test/callback',
      PRODUCTION_HOSTS: 'none',
    }
    expect(refusal('uat', { ...variables, REQUEST_BUDGET: 'many' }).advice).toBeUndefined()
  })
})
