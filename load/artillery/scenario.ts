import { stringify } from 'yaml'
import { counted } from '../../src/text/format.ts'
import type { EndpointName } from '../endpoints.ts'
import type { WorkerShare } from './division.ts'
import type { ScenarioRequest } from './scenario-request.ts'

/** Longest wait for an answer, in seconds. */
const timeoutSeconds = 10

/** probe.yml: a constant arrival rate of one worker, past the budget of processor.mjs. */
export function scenarioYaml(name: EndpointName, request: ScenarioRequest, share: WorkerShare): string {
  const { workers, arrivalCount, maxVusers, seconds } = share
  const scenario = {
    config: {
      target: request.url.origin,
      http: { timeout: timeoutSeconds, pool: maxVusers },
      phases: [{ name, duration: seconds, arrivalCount, maxVusers }],
      processor: './processor.mjs',
      variables: {
        endpoint: name,
        share: arrivalCount,
        seconds,
        connections: maxVusers,
        needs: request.needs.join(','),
      },
    },
    scenarios: [
      {
        name,
        beforeScenario: 'arrive',
        onError: 'fail',
        flow: [
          {
            get: {
              url: request.url.pathname + request.url.search,
              ...(request.query && { qs: request.query }),
              headers: request.headers,
              // Whatever it answers is the answer: a redirect that is followed would be one request more.
              followRedirect: false,
              beforeRequest: 'admit',
              afterResponse: 'record',
            },
          },
        ],
      },
    ],
  }
  return [
    `# For ${counted(workers, 'worker')}: ${workers} x ${arrivalCount} requests at most, in ${seconds} s. More workers or a`,
    '# second run would exceed the budget: export anew.',
    stringify(scenario, { lineWidth: 0 }),
  ].join('\n')
}
