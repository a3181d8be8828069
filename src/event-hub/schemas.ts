import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import eventSchema from '../../schemas/event.schema.json' with { type: 'json' }
import pageSchema from '../../schemas/event-page.schema.json' with { type: 'json' }

/** A deviation from a schema. */
export interface SchemaDeviation {
  /** Path of the member, joined by slashes; empty for the value itself. */
  readonly path: string
  /** The violated rule, for example "must be string". */
  readonly rule: string
  /** The actual value. It may contain personal data: show only its type. */
  readonly value: unknown
}

let compiled: { readonly event: ValidateFunction; readonly page: ValidateFunction } | undefined

/** Compiled on first use: commands that only list the checks do not need them. */
function validators() {
  if (compiled) return compiled
  const load = createRequire(import.meta.url)
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, strictRequired: false })
  compiled = { event: ajv.compile(eventSchema), page: ajv.compile(pageSchema) }
  return compiled
}

/** Deviations of an event from schemas/event.schema.json. */
export function eventProblems(event: unknown): readonly SchemaDeviation[] {
  return problems(validators().event, event)
}

/** Deviations of a page from schemas/event-page.schema.json, without those of its items. */
export function pageProblems(page: unknown): readonly SchemaDeviation[] {
  return problems(validators().page, page)
}

const none: readonly SchemaDeviation[] = []

function problems(validate: ValidateFunction, value: unknown): readonly SchemaDeviation[] {
  if (validate(value)) return none
  // Ajv reports a failed `then` twice: for the member, and for the `if` above it.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(problemOf)
}

function problemOf({ instancePath, keyword, params, message, data }: ErrorObject): SchemaDeviation {
  const path = instancePath.slice(1)
  return keyword === 'required'
    ? {
        path: [path, params.missingProperty].filter(Boolean).join('/'),
        rule: 'must be there',
        value: undefined,
      }
    : { path, rule: message ?? keyword, value: data }
}
