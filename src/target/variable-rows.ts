import type { z } from 'zod'
import { type Limit, profiles, targetNames } from './profiles.ts'

/** Chooses a schema. Only validation loads the schemas; most commands need only the names of variables. */
type ChooseSchema<Schema extends z.ZodType = z.ZodType> = (
  schemas: typeof import('./value-schemas.ts'),
) => Schema

/** The kind of a value. Only settings are shown literally. */
type VariableKind = 'setting' | 'address' | 'identifier' | 'secret'

/** A row of the table of variables. */
export interface Variable {
  readonly kind: VariableKind
  /** A valid value. */
  readonly example: string
  /** One or more sentences. */
  readonly meaning: string
  /** Messages of the schema follow the name of the variable. */
  readonly schema: ChooseSchema
  /** What applies if the variable is not set and its schema has no default; may be empty. */
  readonly default: string
}

const row =
  (kind: VariableKind) =>
  <Schema extends z.ZodType>(
    example: string,
    meaning: string,
    schema: ChooseSchema<Schema>,
    byDefault = '',
  ) =>
    ({ kind, example, meaning, schema, default: byDefault }) as const
export const setting = row('setting')
export const address = row('address')
export const id = row('identifier')
export const secret = row('secret')

/** A number with a default in each profile. */
export function limit<Schema extends z.ZodType>(
  member: Limit,
  meaning: string,
  schema: ChooseSchema<Schema>,
) {
  const defaults = targetNames.map((name) =>
    `${profiles[name][member]} (${name})`.replace('Infinity', 'no limit'),
  )
  return setting(`${profiles.uat[member]}`, meaning, schema, defaults.join(', '))
}
