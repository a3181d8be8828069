import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { startProvider } from '../provider/index.ts'
import { applies } from '../src/check/applicability.ts'
import { loadSuites } from '../src/check/suites.ts'
import { projectRoot } from '../src/project.ts'
import { checkCostsOf, checkKey } from '../src/run/costs.ts'
import { runChecks } from '../src/run/run-checks.ts'
import { targetFrom } from '../src/target/config.ts'

// Measures the requests and logins of each check, and writes them to src/run/costs.json for `plumbline plan`.
//   npm run costs

const directory = await mkdtemp(join(tmpdir(), 'plumbline-costs-'))
const provider = await startProvider({ variants: ['webhooks'] })
const target = targetFrom('embedded', { ...provider.variables, ENABLE: 'planned', REPORT_DIR: directory })
const { results, exitCode } = await runChecks({
  target,
  selection: { only: [], areas: [] },
  report: false,
  output: new Writable({ write: (_chunk, _encoding, done) => done() }) as NodeJS.WriteStream,
})
await provider.close()
await rm(directory, { recursive: true, force: true })
if (exitCode !== 0) throw new Error(`the run ended with exit code ${exitCode}, so it measures nothing`)
const subscribing = new Set(
  results.exchanges
    .filter(({ request }) => request.url.includes('/events/subscriptions'))
    .map(({ number }) => number),
)
const ran = (await loadSuites()).checks.filter((check) => applies(check, target)).map(checkKey)
const costs = checkCostsOf(
  { ...results, requirements: results.requirements.map(withoutWebhooks) },
  new Set(ran),
)
const checks = Object.entries(costs.checks).map(
  ([key, numbers]) => `    ${JSON.stringify(key)}: [${numbers}]`,
)
const notApplicable = Object.entries(costs.notApplicable).map(
  ([reason, keys]) =>
    `    ${JSON.stringify(reason)}: [\n${keys.map((key) => `      ${JSON.stringify(key)}`).join(',\n')}\n    ]`,
)
await writeFile(
  join(projectRoot, 'src', 'run', 'costs.json'),
  `{\n  "beforehand": ${costs.beforehand},\n  "logins": [${costs.logins}],\n  "pages": [${costs.pages}],\n  "checks": {\n${checks.join(',\n')}\n  },\n  "notApplicable": {\n${notApplicable.join(',\n')}\n  }\n}\n`,
)
console.log(`${checks.length} checks, ${results.budget.requests} requests, ${results.budget.logins} logins`)

/** Removes subscription requests: the shared claim change sends them only if webhooks are checked. */
function withoutWebhooks<T extends (typeof results.requirements)[number]>(requirement: T): T {
  if (requirement.id.startsWith('WEBHOOK-')) return requirement
  const checks = requirement.checks.map((check) => ({
    ...check,
    exchanges: check.exchanges.filter((number) => !subscribing.has(number)),
  }))
  return { ...requirement, checks }
}
