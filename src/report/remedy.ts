import type { Selection } from '../check/selection.ts'
import type { Cause } from '../check/verdict.ts'
import type { RunResults } from '../results/results.ts'
import { runCommand } from '../results/run-command.ts'

/** Who has to act on a violation: one sentence. */
export const violationRemedy = "The provider's operator has to act: the target contradicts the specification."

/** Who has to act on a violation with advice: a wrong configuration may explain the violation. */
const adviceFirst =
  "You have to act first: follow the advice. If the violation remains, the provider's operator has to act: the target contradicts the specification."

/**
 * Who has to act on violations.
 * @param advices the advice of each violation; null for a violation without advice
 */
export function remedyOfViolations(advices: readonly (string | null)[]): string {
  const advised = advices.filter((advice) => advice !== null).length
  if (advised === 0) return violationRemedy
  if (advised === advices.length) return adviceFirst
  return `${violationRemedy} Where a violation has advice, you have to act first: follow it.`
}

/** Who has to act on an inconclusive check of each cause, and how: one sentence. */
export const remedies: Readonly<Record<Cause, string>> = {
  target:
    'Nothing else to do: once the operator has fixed the violation, the next run can judge these requirements.',
  configuration: 'You have to act: change the configuration as the reasons state.',
  throttled: 'You have to act: set a lower REQUESTS_PER_SECOND, or check again later.',
  environment: 'You have to act: check again, since the reason may be temporary.',
  harness: 'The maintainers of Plumbline have to act: report the defect, with results.json of this run.',
}

/** Who has to act on an inconclusive check if the run lacked requirements on which the check depends. */
export const missingDependencyRemedy =
  'You have to act: also select the requirements on which the verdict depends.'

/** A command names up to this many requirements. A longer list is replaced by the areas of the requirements. */
const maxIds = 8

/**
 * The command that checks the given requirements in one run; undefined for a probe run. For a long list with an unknown
 * area, the command checks everything.
 * @param areaOf returns the area of a requirement; undefined if the area is unknown
 */
export function commandForAll(
  { run }: RunResults,
  ids: readonly string[],
  areaOf: (id: string) => string | undefined,
): string | undefined {
  if (run.kind !== 'check') return undefined
  if (ids.length <= maxIds) return runCommand('check', run, ` --only ${ids.join(',')}`)
  const areas = ids.map(areaOf)
  const isKnown = areas.every((area) => area !== undefined)
  return runCommand('check', run, isKnown ? ` --area ${[...new Set(areas)].join(',')}` : '')
}

const budgets: ReadonlySet<string> = new Set(['REQUEST_BUDGET', 'LOGIN_BUDGET'])

/**
 * The command of a remedy; undefined if the remedy has no command.
 * @param variables names of the variables that may be wrong
 */
export function remedyCommand(
  cause: Cause,
  results: RunResults,
  variables: ReadonlySet<string>,
): string | undefined {
  const { kind } = results.run
  // `doctor` has its own budget and does not know which effects a run needs, so it finds no mistake in these variables.
  const isBeyondDoctor =
    variables.size > 0 && [...variables].every((name) => budgets.has(name) || name === 'ENABLE')
  if (cause === 'configuration') return isBeyondDoctor ? undefined : runCommand('doctor', results.run)
  const isRepeated = cause === 'throttled' || cause === 'environment'
  return isRepeated && kind === 'check'
    ? runCommand('check', results.run, ` --rerun-failed${selectionOptions(results)}`)
    : undefined
}

/** A command repeats up to this many globs of a selection. For a longer list, it names areas. */
const maxGlobs = 4

/**
 * The options with which another command selects the requirements of a run: ` --area token`. Empty if the run selected
 * everything. Without the options, a command would need the variables of further areas.
 */
export function selectionOptions({ run: { selection }, requirements }: RunResults): string {
  const { only, areas } = selection
  if (only.length > maxGlobs) return areaOption([...new Set(requirements.map(({ area }) => area))])
  return areaOption(areas) + optionText('--only', only)
}

/** The command that lists which of the selected requirements have no check. */
export function uncheckedCommand({ only, areas }: Selection): string {
  const globs = only.length > maxGlobs ? [] : only.map(shellWord)
  const words = ['npx plumbline list', ...globs, '--unchecked'].join(' ')
  return words + areaOption(areas)
}

function areaOption(areas: readonly string[]): string {
  return optionText('--area', areas.length === 0 ? [] : [areas.join()])
}

function optionText(option: string, values: readonly string[]): string {
  return values.length === 0 ? '' : ` ${option} ${values.map(shellWord).join(' ')}`
}

function shellWord(word: string): string {
  return /^[\w,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
