import { describe, expect, test } from 'vitest'
import { targetFrom } from '../../src/target/config.ts'
import { optionalEffects, profiles, targetNames } from '../../src/target/profiles.ts'
import { examples, problems, uat } from './example-variables.ts'

describe('ENABLE', () => {
  test.each(targetNames)('on %s adds the effects that the profile may enable, and no other', (name) => {
    const { allowed, mayEnable } = profiles[name]
    const hosts = {
      PRODUCTION_HOSTS: name === 'production' ? 'login.uat.example.com,api.uat.example.com' : '',
    }
    const local = { IDP_BASE_URL: 'http://localhost:1', PARTNER_API_URL: 'http://localhost:1/api' }
    const base = { ...uat, ...(name === 'embedded' && local), ...(name === 'production' && hosts) }
    for (const effect of optionalEffects) {
      const env = { ...base, ENABLE: effect }
      if (mayEnable.includes(effect)) {
        expect(targetFrom(name, env).allowedEffects).toEqual([...new Set([...allowed, effect])])
      } else {
        expect(problems(env, name)).toEqual([
          {
            name: 'ENABLE',
            what: expect.stringContaining('never allowed'),
            advice: 'remove it',
            example: examples.ENABLE,
          },
        ])
      }
    }
  })

  test('on production adds neither token-destruction nor credential-probes', () => {
    expect(profiles.production.mayEnable).toEqual(['slow'])
  })
})
