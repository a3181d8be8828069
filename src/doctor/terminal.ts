import { exitCodes } from '../exit-codes.ts'
import { variablesOf } from '../target/parts.ts'
import { type Effect, enabling } from '../target/profiles.ts'
import { counted, type Style, someOf, wrap } from '../text/format.ts'
import type { Terminal } from '../text/terminal.ts'
import type { ShownVariable } from './configuration.ts'
import { changeText, type Diagnosis, errorsOf, exitCodeOfDiagnoses, type Severity } from './diagnosis.ts'

const styles: Readonly<Record<Severity, Style>> = {
  ok: 'green',
  warning: 'yellow',
  error: ['bold', 'red'],
  unexpected: 'yellow',
  unanswered: 'yellow',
  skipped: 'dim',
}

/**
 * The variables that are set, with their sources and the shapes of their values.
 * @param needsNone whether Plumbline starts the embedded provider, which needs no variables
 */
export function variablesText(
  all: readonly ShownVariable[],
  needsNone: boolean,
  { width, paint }: Terminal,
): string {
  const set = all.flatMap(({ name, source, shape }) => (source === null ? [] : [{ name, source, shape }]))
  const names = Math.max(0, ...set.map(({ name }) => name.length)) + 2
  const sources = Math.max(0, ...set.map(({ source }) => source.length)) + 2
  const embedded = '  Plumbline starts its embedded provider, which needs no configuration'
  return [
    ...set.map(
      ({ name, source, shape }) => `  ${name.padEnd(names)}${paint('dim', source.padEnd(sources))}${shape}`,
    ),
    ...(needsNone ? wrap(embedded, width, 4).map((line) => paint('dim', line)) : []),
    '',
  ].join('\n')
}

/** Variables that some checks need. */
const ofParts: ReadonlySet<string> = new Set(Object.values(variablesOf).flat())
/** Variables that only planned checks need. */
const ofPlanned: ReadonlySet<string> = new Set(variablesOf.webhookReceiver)

interface UnusedNames {
  /** Variables that a diagnosis already reports as not set. */
  readonly reported: readonly string[]
  /** Whether ENABLE has `planned`. */
  readonly planned: boolean
  /** Names that are not variables of Plumbline, by file. */
  readonly foreign: ReadonlyMap<string, readonly string[]>
}

/** The variables that are not set, and the names that are not variables: shown last, because diagnoses matter more. */
export function unusedText(
  all: readonly ShownVariable[],
  { reported, planned, foreign }: UnusedNames,
  { width, paint }: Terminal,
): string {
  const unset = all.flatMap(({ name, source }) => (source === null && !reported.includes(name) ? [name] : []))
  const { needed = [], optional = [] } = Object.groupBy(unset, (name) =>
    ofParts.has(name) && (planned || !ofPlanned.has(name)) ? 'needed' : 'optional',
  )
  const lines = [
    ...(needed.length === 0 ? [] : [`needed by some checks, not set: ${needed.join(', ')}`]),
    ...(optional.length === 0
      ? []
      : [
          `optional, not set: ${counted(optional.length, 'variable')} (docs/configuration.md describes them; npx plumbline doctor --json lists them)`,
        ]),
    ...[...foreign].map(
      ([file, names]) =>
        `ignored, since they are not variables of Plumbline: ${someOf(names, '', 8)} (${file})`,
    ),
  ]
  const wrapped = lines.flatMap((line) => wrap(`  ${line}`, width, 4)).map((line) => paint('dim', line))
  return (wrapped.length === 0 ? [] : ['', ...wrapped]).join('\n')
}

const topicWidth = 'second application'.length

export function diagnosisText(
  { topic, severity, variables, what, advice }: Diagnosis,
  all: readonly ShownVariable[],
  { width, paint }: Terminal,
): string {
  const mark = `  ${severity.padEnd(10)}`
  const label = `${mark}  ${topic.padEnd(topicWidth)}  `
  const hang = label.length
  const [first = '', ...rest] = wrap(label + what, width, hang)
  const lines = [paint(styles[severity], mark) + first.slice(mark.length), ...rest]
  if (severity === 'ok' || severity === 'skipped') return lines.join('\n')
  const indent = ' '.repeat(hang)
  if (advice !== null) lines.push(...wrap(indent + advice, width, hang))
  for (const name of variables) {
    const shown = all.find((one) => one.name === name)
    // A misspelt name or a file has no value to show. The text may already state that the variable is not set.
    if (shown === undefined || (shown.shape === null && what.includes(name))) continue
    const shape = shown.shape ? `${shown.shape} (${shown.source})` : 'not set'
    lines.push(...wrap(`${indent}${name}: ${shape}`, width, hang + 2).map((line) => paint('dim', line)))
  }
  return lines.join('\n')
}

/**
 * The result of the whole examination.
 * @param advice one sentence of advice that applies to all errors
 * @param target the name of the target
 * @param enabled the effects that ENABLE adds, for the advised command
 * @param areas the areas that the advised command must select; undefined for all
 * @param stopped whether the examination was interrupted
 */
export function summaryText(
  all: readonly Diagnosis[],
  used: { readonly requests: number; readonly logins: number },
  {
    target,
    enabled,
    advice,
    areas = [],
    stopped,
  }: {
    readonly target: string
    readonly enabled: readonly Effect[]
    readonly advice: string | undefined
    readonly areas: readonly string[] | undefined
    readonly stopped: boolean
  },
  { paint }: Terminal,
): string {
  const errors = errorsOf(all)
  const selection = areas.length === 0 ? '' : ` --area ${areas.join(' --area ')}`
  const next = `Next: ${enabling(enabled)}npx plumbline check --target ${target}${selection}`
  const warnings = all.filter(({ severity }) => severity === 'warning').length
  const warned = warnings === 0 ? '' : counted(warnings, 'warning')
  const changes = [...new Set(errors.map((error) => changeText(error, all)))]
  const result = {
    [exitCodes.ok]: `No errors${warned && `, ${warned}`}. ${next}`,
    [exitCodes.inconclusive]: `No errors in the configuration, but ${openText(all)}.${warned && ` ${warned}.`} ${next}`,
    [exitCodes.setup]: `${counted(changes.length, 'thing')} to change: ${changes.join('; ')}.${warned && ` ${warned}.`}`,
  }[exitCodeOfDiagnoses(all)]
  return [
    '',
    stopped && errors.length === 0 ? 'Interrupted before the doctor finished.' : result,
    ...(advice === undefined ? [] : [advice]),
    paint('dim', `${counted(used.requests, 'request')}, ${counted(used.logins, 'login')}`),
  ].join('\n')
}

/** `1 result is unexpected, 2 topics are skipped`: results that neither prove nor refute the configuration. */
function openText(all: readonly Diagnosis[]): string {
  const part = (severity: Severity, noun: string) => {
    const count = all.filter((one) => one.severity === severity).length
    return count === 0 ? [] : [`${counted(count, noun)} ${count === 1 ? 'is' : 'are'} ${severity}`]
  }
  return [
    ...part('unexpected', 'result'),
    ...part('unanswered', 'request'),
    ...part('skipped', 'topic'),
  ].join(', ')
}
