import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import eventSchema from '../../schemas/event.schema.json' with { type: 'json' }
import pageSchema from '../../schemas/event-page.schema.json' with { type: 'json' }

/** One member that is not as its schema says. */
export interface Problem {
  /** Names from the top to the member, joined by slashes; empty for the value itself. */
  readonly path: string
  /** What the schema says of it, for example "must be string". */
  readonly rule: string
  /** What is there. May hold other people's data: show its kind only. */
  readonly value: unknown
}

let compiled: { readonly event: ValidateFunction; readonly page: ValidateFunction } | undefined

/** Loaded and compiled when they are first needed: commands that only list the checks never need them. */
function validators() {
  if (compiled) return compiled
  const load = createRequire(import.meta.url)
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, strictRequired: false })
  compiled = { event: ajv.compile(eventSchema), page: ajv.compile(pageSchema) }
  return compiled
}

/** Where an event departs from schemas/event.schema.json; empty where it does not. */
export function eventProblems(event: unknown): readonly Problem[] {
  return problems(validators().event, event)
}

/** Where a page departs from schemas/event-page.schema.json; what its items hold is not looked at. */
export function pageProblems(page: unknown): readonly Problem[] {
  return problems(validators().page, page)
}

const none: readonly Problem[] = []

function problems(validate: ValidateFunction, value: unknown): readonly Problem[] {
  if (validate(value)) return none
  // A failed `then` is reported twice: by the member that is wrong and by the `if` above it.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(problemOf)
}

function problemOf({ instancePath, keyword, params, message, data }: ErrorObject): Problem {
  const path = instancePath.slice(1)
  return keyword === 'required'
    ? {
        path: [path, params.missingProperty].filter(Boolean).join('/'),
        rule: 'must be there',
        value: undefined,
      }
    : { path, rule: message ?? keyword, value: data }
}
