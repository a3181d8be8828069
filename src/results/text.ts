import type { Observation } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import { counted, duration, minuteOf, type Style } from '../text/format.ts'
import { wallTime } from './queries.ts'
import type { CheckRecord, RunResults } from './results.ts'

// Texts that every report shares.

/** The meaning of each verdict, in the order in which they need attention. */
export const verdictTexts: Readonly<Record<Verdict, string>> = {
  fail: 'the target contradicts the requirement',
  inconclusive: 'Plumbline could not judge; the cause and the reason state why',
  pass: 'the target behaves as the requirement states',
  observed: 'recorded, never judged',
  'not-applicable': 'not checked in this run; the reason states why',
}

export const verdictStyles: Readonly<Record<Verdict, Style>> = {
  fail: ['bold', 'red'],
  inconclusive: 'yellow',
  pass: 'green',
  observed: 'cyan',
  'not-applicable': 'dim',
}

/** Verdicts, those that need attention first. */
export const verdicts = Object.keys(verdictTexts) as Verdict[]

export function valueText(value: Observation['value']): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  if (value === null) return 'absent'
  return value === '' ? 'empty' : String(value)
}

/**
 * Names of observations whose keys are ambiguous. The keys stay the same, so that runs can be compared with older runs.
 */
const observationNames: Readonly<Record<string, string>> = {
  'token.older-refresh-tokens-refused': 'token.refresh-refused-after-newer-login',
}

/** The name of an observation in reports: its key, unless the key is ambiguous. */
export function observationName(key: string): string {
  return observationNames[key] ?? key
}

/** A section of the specification: `section "Authentication", item 5`. */
export function sectionText(section: string): string {
  return `section ${sectionName(section)}`
}

/** The name of a section of the specification: `"Authentication", item 5`. */
export function sectionName(section: string): string {
  const [, heading = section, item] = /^(.*), (\d+)$/.exec(section) ?? []
  return `"${heading}"${item === undefined ? '' : `, item ${item}`}`
}

/** A target with its hosts: `uat (idp.example)`. */
function targetText({ target, hosts }: RunResults['run']): string {
  return `${target}${hosts.length === 0 ? '' : ` (${hosts.join(', ')})`}`
}

/** `check run of uat (idp.example)` */
export function runSubject(run: RunResults['run']): string {
  return `${run.kind} run of ${targetText(run)}`
}

const verbs = { check: 'Checked', probe: 'Probed' } as const satisfies Record<
  RunResults['run']['kind'],
  string
>

/** `Checked uat (idp.example), 2026-11-20 03:00 UTC, took 44.3 s, Plumbline 0.1.0` */
export function runFacts(run: RunResults['run']): string {
  const time = wallTime(run)
  return [
    `${verbs[run.kind]} ${targetText(run)}`,
    minuteOf(run.startedAt),
    ...(time === undefined ? [] : [`took ${duration(time)}`]),
    `Plumbline ${run.version}`,
  ].join(', ')
}

/** What a report states about a run that was not completed. */
export const endedEarly = 'The run ended early: it contains the results until then.'

/** The selection of a run: globs and areas; empty if it selected everything. */
export function selectionParts({ only, areas }: RunResults['run']['selection']): string[] {
  return [...only, ...areas.map((area) => `area ${area}`)]
}

/** What the request budget of a run counts. Load probes count a reconnect like a request. */
export function requestsName({ run }: RunResults): string {
  return run.kind === 'probe' ? 'requests and reconnects' : 'requests'
}

/** `12 of 500 requests, 1 of 15 logins, never throttled`. */
export function budgetUsed(results: RunResults): string {
  const { budget } = results
  const throttled =
    budget.throttled === 0
      ? 'never throttled'
      : `throttled ${counted(budget.throttled, 'time')}${budget.pace === undefined ? '' : `; ${paceText(budget.pace)}`}`
  return `${budget.requests} of ${budget.requestCap} ${requestsName(results)}, ${budget.logins} of ${counted(budget.loginCap, 'login')}, ${throttled}`
}

/** `Plumbline slowed down to 2.13 requests/s` */
export function paceText(pace: number): string {
  return `Plumbline slowed down to ${pace} requests/s`
}

/**
 * The amount of data behind a verdict: `120 events, 3 pages`. If the check itself sent no request, the text says so:
 * `29 pages, from requests sent before this check`. Empty if the check did not apply.
 */
export function basisOf(check: CheckRecord): string {
  const { basis, secondsSince = {}, timingsMs = {}, requests, exchanges, judgedAreas, verdict } = check
  if (verdict === 'not-applicable') return ''
  const sentNone = requests === 0
  const counts = Object.entries(basis)
  const times = [
    ...Object.entries(timingsMs).map(([interval, ms]) => `${ms} ms ${interval}`),
    ...Object.entries(secondsSince).map(([event, count]) => `${counted(count, 'second')} since ${event}`),
  ]
  if (counts.length + times.length === 0 && sentNone && exchanges.length > 0)
    return `${counted(exchanges.length, 'request')} sent before this check`
  const amounts = counts.map(([unit, count]) => `${count} ${unitOf(unit, count)}`)
  const senders = sentNone
    ? ['from requests sent before this check']
    : judgedAreas
      ? [`from ${counted(requests, 'request')} of this check and earlier requests`]
      : []
  return [...amounts, ...(amounts.length > 0 ? senders : []), ...times].join(', ')
}

/** The unit after a count: `1 event`, `2 key sets`, `1 search`. The basis stores units as plurals. */
function unitOf(plural: string, count: number): string {
  return count === 1 ? plural.replace(/(?<=ch|sh|ss|x)es$|(?<=[^s])s$/, '') : plural
}
