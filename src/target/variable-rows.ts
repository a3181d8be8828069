import type { z } from 'zod'
import { type Limit, profiles, targetNames } from './profiles.ts'

type ValueSchemas = typeof import('./value-schemas.ts')

/** The kind of a value. Only settings are shown literally. */
type VariableKind = 'setting' | 'address' | 'identifier' | 'secret'

/** A row of the table of variables. */
export interface Variable {
  readonly kind: VariableKind
  /** A valid value. */
  readonly example: string
  /** One or more sentences. */
  readonly meaning: string
  /**
   * Chooses the schema, whose messages follow the name of the variable. Schemas are loaded only to validate: most commands
   * need the names alone.
   */
  readonly schema: (schemas: ValueSchemas) => z.ZodType
  /** What applies if the variable is not set and the schema has no default value. */
  readonly default: string
}

const row =
  (kind: VariableKind) =>
  <Schema extends z.ZodType>(
    example: string,
    meaning: string,
    schema: (schemas: ValueSchemas) => Schema,
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
  schema: (schemas: ValueSchemas) => Schema,
) {
  const defaults = targetNames.map((name) =>
    `${profiles[name][member]} (${name})`.replace('Infinity', 'no limit'),
  )
  return setting(`${profiles.uat[member]}`, meaning, schema, defaults.join(', '))
}
