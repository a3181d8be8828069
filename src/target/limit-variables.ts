import { optionalEffects } from './profiles.ts'
import { limit, setting } from './variable-rows.ts'

/** The variables that limit a run: its effects, requests, logins, rates and times. */
export const limits = {
  ENABLE: setting(
    'slow',
    `Effects to allow beyond those of the profile: ${optionalEffects.join(', ')}.`,
    (v) => v.effectList.default([]),
    'none',
  ),
  REQUESTS_PER_SECOND: limit('requestsPerSecond', 'The pace of a check run, in requests per second.', (v) =>
    v.positive.optional(),
  ),
  REQUEST_BUDGET: limit('requestBudget', 'Maximum requests of a check run.', (v) => v.count.optional()),
  LOGIN_BUDGET: limit(
    'loginBudget',
    'Maximum logins of a check run; each typed password counts as one.',
    (v) => v.count.optional(),
  ),
  LONGEST_LIFETIME: limit(
    'longestLifetime',
    'With ENABLE=slow: checks wait for a code or an access token to expire if its lifetime is at most this number of seconds.',
    (v) => v.count.optional(),
  ),
  CODE_LIFETIME: setting(
    '600',
    'With ENABLE=slow: a check waits this number of seconds before it exchanges a code that should have expired. RFC 6749 recommends a lifetime of at most 600 s.',
    (v) => v.count.default(600),
  ),
  LOAD_MAX_RATE: limit('loadMaxRate', 'Maximum requests per second of load probes.', (v) =>
    v.positive.optional(),
  ),
  LOAD_MAX_REQUESTS: limit('loadMaxRequests', 'Maximum requests of load probes.', (v) => v.count.optional()),
  LOAD_MAX_SECONDS: limit('loadMaxSeconds', 'Maximum seconds of load probes.', (v) => v.positive.optional()),
  ALLOW_PRODUCTION_LOAD: setting(
    'login.example.com,api.example.com',
    'The production hosts that load probes may send requests to.',
    (v) => v.hostList.optional(),
    'none',
  ),
  LOAD_SOURCE_ADDRESSES: setting(
    '192.0.2.10,192.0.2.11',
    'IP addresses of this machine, so that load probes recognise a limit per address; the usual one first.',
    (v) => v.addressList.optional(),
  ),
  SEED: setting(
    '1',
    'The random seed of a run, which determines, for example, which pages of events it reads again. Set it to repeat a run.',
    (v) => v.count.optional(),
    'different in each run',
  ),
}
