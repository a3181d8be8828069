import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { projectRoot } from '../../src/project.ts'

const folder = join(projectRoot, 'schemas')
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'))
const files = readdirSync(folder).filter((file) => file.endsWith('.schema.json'))

// Commands compile the schemas without this validation, which takes longer than their use.
test.each(files)('%s is a valid JSON Schema', (file) => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
  formats.default(ajv)
  for (const other of files.filter((name) => name !== file)) ajv.addSchema(read(other))
  expect(() => ajv.compile(read(file))).not.toThrow()
})
