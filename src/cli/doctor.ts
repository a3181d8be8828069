import { partsToRequire } from '../doctor/areas.ts'
import { shownVariables, valueDiagnoses } from '../doctor/configuration.ts'
import {
  type Diagnosis,
  diagnosesOf,
  exitCodeOfDiagnoses,
  withoutConfiguration,
} from '../doctor/diagnosis.ts'
import { examine } from '../doctor/doctor.ts'
import { diagnosisText, summaryText, unusedText, variablesText } from '../doctor/terminal.ts'
import { exitCodes } from '../exit-codes.ts'
import { withTarget } from '../run/chosen-target.ts'
import { foreignNames, targetNameFrom, variableSources } from '../target/environment.ts'
import { variablesOf } from '../target/parts.ts'
import { SetupError } from '../target/problem.ts'
import { type Effect, enabledEffects } from '../target/profiles.ts'
import { terminalOf } from '../text/terminal.ts'
import { withGracefulStop } from './signals.ts'

interface DoctorOptions {
  readonly target?: string
  readonly json?: boolean
  /** False with --no-login. */
  readonly login: boolean
}

/** `plumbline doctor`: reports what to change before a target can be checked. */
export async function doctor({ json, login, ...options }: DoctorOptions): Promise<void> {
  const name = targetNameFrom(options.target)
  const sources = variableSources(name)
  const variables = shownVariables(sources, options.target)
  const terminal = terminalOf(process.stdout)
  const print = json ? () => undefined : console.log
  const findings: Diagnosis[] = []
  const onDiagnosis = (diagnosis: Diagnosis) => {
    findings.push(diagnosis)
    print(diagnosisText(diagnosis, variables, terminal))
  }
  const required = partsToRequire(sources, name)
  const needed = [...required.keys()].flatMap((part): readonly string[] => variablesOf[part])
  const reported = name === 'embedded' ? needed : [...needed, 'PRODUCTION_HOSTS']
  const needsNoVariable = name === 'embedded' && !sources.has('IDP_BASE_URL')
  print(variablesText(variables, needsNoVariable, terminal))
  valueDiagnoses(sources, process.env).forEach(onDiagnosis)
  const used = { requests: 0, logins: 0 }
  let areas: readonly string[] | undefined
  let hosts: readonly string[] = []
  let enabled: readonly Effect[] = []
  let advice: string | undefined
  const stopped = await withGracefulStop('Stopping after the current step', async (signal) => {
    try {
      await withTarget({ ...options, required }, async (target) => {
        hosts = target.hosts
        enabled = enabledEffects(target)
        const examined = await examine(target, sources, { login, onDiagnosis, signal })
        areas = examined.areas
        Object.assign(used, { requests: examined.requests, logins: examined.logins })
      })
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      diagnosesOf('configuration', error, [], name).forEach(onDiagnosis)
      advice = error.advice
      withoutConfiguration().forEach(onDiagnosis)
    }
    return signal.aborted
  })
  const exitCode = stopped ? exitCodes.interrupted : exitCodeOfDiagnoses(findings)
  process.exitCode = exitCode
  const names = { reported, planned: enabled.includes('planned'), foreign: foreignNames(name) }
  const unused = needsNoVariable ? '' : unusedText(variables, names, terminal)
  if (unused !== '') print(unused)
  print(summaryText(findings, used, { target: name, enabled, advice, areas, stopped }, terminal))
  if (json)
    console.log(JSON.stringify({ target: name, hosts, exitCode, variables, findings, ...used }, null, 2))
}
