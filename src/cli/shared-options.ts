import { Option } from 'commander'

/** Collects the values of a list option. The user may repeat the option, or separate values by commas. */
export const several = (value: string, previous: readonly string[] = []): string[] => [
  ...previous,
  ...value.split(','),
]

export function targetOption(): Option {
  return new Option('--target <target>', 'embedded, uat or production (default: TARGET, or embedded)')
}

export function onlyOption(): Option {
  return new Option('--only <id-glob...>', 'select requirements by id or glob').argParser(several)
}

export function areaOption(): Option {
  return new Option('--area <area...>', 'select areas').argParser(several)
}

export function failOnOption(): Option {
  return new Option(
    '--fail-on <what>',
    'drift: exit 1 if a verdict or an observation changed, or if a requirement is no longer checked',
  ).choices(['drift'])
}

/** How an argument selects a run. */
export const runForms = 'path or id of a run, latest, or previous (also latest~1: the run before the latest)'
