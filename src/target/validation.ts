import { z } from 'zod'
import * as valueSchemas from './value-schemas.ts'
import { type VariableName, type VariableTable, variableNames, variables } from './variables.ts'

/** Validates each variable separately. */
export const schema = z.object(
  Object.fromEntries(variableNames.map((name) => [name, variables[name].schema(valueSchemas)])) as {
    [Name in VariableName]: ReturnType<VariableTable[Name]['schema']>
  },
)

/** Valid values, with the defaults of the schemas. */
export type Values = z.infer<typeof schema>
