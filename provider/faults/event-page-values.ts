import { type Alter, withSurface } from '../alteration.ts'
import type { HubBehaviour } from '../hub/behaviour.ts'

const parsers = { page: 'parsePage', pageSize: 'parsePageSize' } as const satisfies Record<
  string,
  keyof HubBehaviour
>

/** Replaces the text of a parameter before the hub parses it. */
function rewrite(parameter: keyof typeof parsers, edit: (text: string) => string): Alter {
  return ({ hub }) => {
    const parse = hub[parsers[parameter]]
    hub[parsers[parameter]] = (text) => parse(edit(text))
  }
}

const leadingDigits = (text: string) => /^(\d+)[a-z]/.exec(text)?.[1] ?? text
const roundedDown = (text: string) => /^(\d+)\.\d+$/.exec(text)?.[1] ?? text
const lettersAs = (instead: string) => (text: string) => (/^[a-z]+$/i.test(text) ? instead : text)
const anyTextAs = (instead: string) => (text: string) => (/^-?\d+$/.test(text) ? text : instead)

/** Accepted values of `page` and `pageSize` that must be refused. */
export const eventPageValueFaults = withSurface(
  'hub',
  [
    {
      name: 'page-read-as-far-as-it-is-a-number',
      summary: 'Parses only the leading digits of a `page` that begins with digits.',
      alter: rewrite('page', leadingDigits),
    },
    {
      name: 'page-rounded-down',
      summary: 'Rounds a `page` with a fraction down.',
      alter: rewrite('page', roundedDown),
    },
    {
      name: 'page-size-rounded-down',
      summary: 'Rounds a `pageSize` with a fraction down.',
      alter: rewrite('pageSize', roundedDown),
    },
    {
      name: 'page-of-letters-accepted',
      summary: 'Interprets a `page` of letters as 0.',
      alter: rewrite('page', lettersAs('0')),
    },
    {
      name: 'page-size-of-letters-accepted',
      summary: 'Interprets a `pageSize` of letters as 10.',
      alter: rewrite('pageSize', lettersAs('10')),
    },
    {
      name: 'page-text-accepted',
      summary: 'Interprets a `page` that is not a number as 0.',
      alter: rewrite('page', anyTextAs('0')),
    },
    {
      name: 'page-size-text-accepted',
      summary: 'Interprets a `pageSize` that is not a number as 10.',
      alter: rewrite('pageSize', anyTextAs('10')),
    },
  ].map((fault) => ({ ...fault, violates: ['EVENT-PAGINATION-MALFORMED'] })),
)
