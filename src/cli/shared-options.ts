import { Option } from 'commander'

/** Appends to a list option that may be given again or hold several words. */
export const several = (value: string, previous: readonly string[] = []): string[] => [
  ...previous,
  ...value.split(','),
]

export function targetOption(): Option {
  return new Option('--target <target>', 'embedded, uat or production (TARGET)')
}

export function failOnOption(): Option {
  return new Option(
    '--fail-on <what>',
    'drift: exit 1 where the target behaves otherwise than before',
  ).choices(['drift'])
}
