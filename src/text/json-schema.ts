import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { ValidateFunction } from 'ajv/dist/2020.js'

interface SchemaOptions {
  /** Whether a validation reports all errors; by default only the first. */
  readonly allErrors?: boolean
  /** Names of other schemas to which this one refers. */
  readonly references?: readonly string[]
}

const load = createRequire(import.meta.url)
const validators = new Map<string, ValidateFunction>()

/**
 * The validator of a JSON Schema in schemas/. Compiled on first use, because loading Ajv takes longer than most
 * commands need.
 * @param name the file name without `.schema.json`
 */
export function schemaValidator(name: string, options: SchemaOptions): ValidateFunction {
  const validator = validators.get(name) ?? compile(name, options)
  validators.set(name, validator)
  return validator
}

function compile(name: string, { allErrors = false, references = [] }: SchemaOptions): ValidateFunction {
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const formats = load('ajv-formats') as typeof import('ajv-formats')
  // A test validates the schemas, because validation takes longer than everything else here. Optimising the code of
  // the validator would take longer than it saves.
  const quickToCompile = { validateSchema: false, meta: false, inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ allErrors, verbose: true, strict: false, ...quickToCompile })
  formats.default(ajv)
  for (const reference of references) ajv.addSchema(schemaOf(reference))
  return ajv.compile(schemaOf(name))
}

function schemaOf(name: string): object {
  const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}
