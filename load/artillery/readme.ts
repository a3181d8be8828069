import { counted } from '../../src/text/format.ts'
import type { EndpointName } from '../endpoints.ts'
import type { WorkerShare } from './division.ts'
import type { ScenarioRequest } from './scenario-request.ts'

/** README.md of an exported scenario: what it does at most, and how to run it. */
export function readme(name: EndpointName, { url, needs }: ScenarioRequest, share: WorkerShare): string {
  const { workers, arrivalCount, maxVusers, seconds } = share
  return `# Load probe of ${name} at ${url.host}

Each of ${counted(workers, 'worker')} sends at most ${counted(arrivalCount, 'request')} in ${seconds} s over ${counted(maxVusers, 'connection')}:
${workers * arrivalCount} in all. After a 429 or 503 a worker sends nothing before the wait that it was asked for is over.
Run it once, with ${counted(workers, 'worker')} and no more. For anything else export it again with the budget that is left.

${needs.length === 0 ? 'It needs no variables.' : `It needs ${needs.join(', ')} in the environment.`}

Here, as one worker:

    npx artillery run probe.yml

On AWS Lambda:

    npx artillery run-lambda --region eu-north-1 --count ${workers}${needs.length === 0 ? '' : ' --dotenv probe.env'} probe.yml

Every worker leaves a file \`records-<worker>.jsonl\` where it runs (or in PLUMBLINE_RECORDS); on Lambda the same lines are
in the function's log. Bring them back with

    npx plumbline probe --import records-*.jsonl

The form of the lines, and how to get them out of the log, is in Plumbline's docs/probes-artillery.md.
`
}
