import { problemFindings, shownVariables, valueFindings } from '../doctor/configuration.ts'
import { examine } from '../doctor/doctor.ts'
import { exitCodeOf, type Finding, finding } from '../doctor/finding.ts'
import { DoctorText } from '../doctor/text.ts'
import { withTarget } from '../run/chosen-target.ts'
import { targetNameFrom } from '../target/config.ts'
import { SetupError } from '../target/problem.ts'
import { variableSources } from '../target/sources.ts'
import { untilStopped } from './signals.ts'

export interface DoctorOptions {
  readonly target?: string
  readonly json?: boolean
  /** False with --no-login. */
  readonly login: boolean
}

/** `plumbline doctor`: what has to be changed before a target can be checked. */
export async function doctor({ json, login, ...options }: DoctorOptions): Promise<void> {
  const directory = process.cwd()
  const name = targetNameFrom(options.target, process.env, directory)
  const sources = variableSources(name, process.env, directory)
  const variables = shownVariables(sources)
  const text = json ? undefined : new DoctorText(process.stdout)
  const findings: Finding[] = []
  const onFinding = (found: Finding) => {
    findings.push(found)
    text?.finding(found, variables)
  }
  text?.variables(variables, name === 'embedded' && !sources.has('IDP_BASE_URL'))
  valueFindings(sources, process.env).forEach(onFinding)
  const used = { requests: 0, logins: 0 }
  let hosts: readonly string[] = []
  let advice: string | undefined
  const stopped = await untilStopped('Stopping after what is being looked at', async (signal) => {
    try {
      await withTarget(options, async (target) => {
        hosts = target.hosts
        const { requests, logins } = await examine(target, sources, { login, onFinding, signal })
        Object.assign(used, { requests, logins })
      })
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      problemFindings(error.problems).forEach(onFinding)
      advice = error.advice
      onFinding(finding('network', 'skipped', 'nothing was sent, since the configuration comes first'))
    }
    return signal.aborted
  })
  const exitCode = stopped ? 130 : exitCodeOf(findings)
  process.exitCode = exitCode
  text?.summary(findings, used, { advice, stopped })
  if (json)
    console.log(JSON.stringify({ target: name, hosts, exitCode, variables, findings, ...used }, null, 2))
}
