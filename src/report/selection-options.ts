import type { RunResults } from '../results/results.ts'

/** Up to this number, the globs of a selection are repeated; more, such as those of `--rerun-failed`, become areas. */
const maxGlobs = 4

/**
 * The options with which another command selects the requirements of a run, with a leading space; empty if the run
 * selected all. Without them, a command would need the variables of areas that the run did not select.
 */
export function selectionOptions({ run: { selection }, requirements }: RunResults): string {
  const { only, areas } = selection
  if (only.length > maxGlobs)
    return optionText('--area', [[...new Set(requirements.map(({ area }) => area))].join()])
  return optionText('--area', areas.length === 0 ? [] : [areas.join()]) + optionText('--only', only)
}

/** The command that lists the requirements without a check among those that the run selected. */
export function uncheckedCommand({ run: { selection } }: RunResults): string {
  const globs = selection.only.length > maxGlobs ? [] : selection.only.map(quoted)
  const words = ['npx plumbline list', ...globs, '--unchecked'].join(' ')
  return words + optionText('--area', selection.areas.length === 0 ? [] : [selection.areas.join()])
}

function optionText(option: string, values: readonly string[]): string {
  return values.length === 0 ? '' : ` ${option} ${values.map(quoted).join(' ')}`
}

/** A word of a shell command. */
function quoted(word: string): string {
  return /^[\w,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
