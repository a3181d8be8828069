import type { ErrorObject } from 'ajv/dist/2020.js'
import { schemaValidator } from '../text/json-schema.ts'

export interface SchemaDeviation {
  /** Path of the member, joined by slashes; empty for the value itself. */
  readonly path: string
  /** The violated rule, for example "must be string". */
  readonly rule: string
  /** The actual value. Show only its type, because the value may contain personal data. */
  readonly value: unknown
}

/** Deviations of an event from schemas/event.schema.json. */
export function eventProblems(event: unknown): readonly SchemaDeviation[] {
  return problems('event', event)
}

/** Deviations of a page from schemas/event-page.schema.json, without those of its items. */
export function pageProblems(page: unknown): readonly SchemaDeviation[] {
  return problems('event-page', page)
}

const none: readonly SchemaDeviation[] = []

function problems(schema: string, value: unknown): readonly SchemaDeviation[] {
  const validate = schemaValidator(schema, { allErrors: true })
  if (validate(value)) return none
  // Ajv reports a failed `then` twice: for the member, and for the `if` above it.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(problemOf)
}

function problemOf({ instancePath, keyword, params, message, data }: ErrorObject): SchemaDeviation {
  const path = instancePath.slice(1)
  return keyword === 'required'
    ? {
        path: [path, params.missingProperty].filter(Boolean).join('/'),
        rule: 'must be present',
        value: undefined,
      }
    : { path, rule: message ?? keyword, value: data }
}
