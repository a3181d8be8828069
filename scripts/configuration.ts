import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/project.ts'
import * as valueSchemas from '../src/target/value-schemas.ts'
import type { Variable } from '../src/target/variable-rows.ts'
import { variableGroups } from '../src/target/variables.ts'
import { wrap } from '../src/text/format.ts'

// Writes .env.example and docs/configuration.md from the table of variables.
//   node scripts/configuration.ts

const width = 118

/** The files, by their paths from the root of the project. */
export function configurationFiles(): Readonly<Record<string, string>> {
  return { '.env.example': exampleFile(), 'docs/configuration.md': page() }
}

function exampleFile(): string {
  const about =
    'Copy this file to .env (for every target), or to .env.uat or .env.production (for one target). Remove the # in front of each variable that you set. The process environment takes precedence over .env.<target>, which takes precedence over .env. The embedded target needs no variable. Git ignores files named .env*: put secrets there, not here. docs/configuration.md lists the same variables in tables.'
  const parts = Object.entries(variableGroups).map(([heading, variables]) => {
    const entries = Object.entries(variables).map(([name, variable]) => {
      const byDefault = defaultOf(variable)
      const suffix = { required: ' Required.', none: '' }[byDefault] ?? ` Default: ${byDefault}.`
      return `${comment(variable.meaning + suffix)}\n#${name}=${variable.example}`
    })
    return [`# --- ${heading} `.padEnd(width, '-'), '', ...entries].join('\n')
  })
  return `${[comment(about), ...parts].join('\n\n')}\n`
}

function comment(text: string): string {
  return wrap(text, width - 2, 0)
    .map((line) => `# ${line}`)
    .join('\n')
}

function page(): string {
  const parts = Object.entries(variableGroups).map(([heading, variables]) => {
    const rows = Object.entries(variables).map(([name, variable]) => {
      const meaning = variable.meaning.replaceAll(/docs\/([\w-]+\.md)/g, '[$&]($1)')
      return `| \`${name}\` | ${meaning} | ${defaultOf(variable)} | \`${variable.example}\` |`
    })
    return `## ${heading}\n\n| variable | meaning | default | example |\n|---|---|---|---|\n${rows.join('\n')}`
  })
  return `<!-- Written by scripts/configuration.ts from src/target/variables.ts. -->

# Configuration

Plumbline reads each variable from the process environment, then from \`.env.<target>\`, then from \`.env\`, and takes the
first value. An empty value counts as not set. It validates all values before it sends anything; an error states the
variable, what is wrong with it, and an example. The target \`embedded\` needs no variable. With \`--area\` or \`--only\`, a
required variable may be missing if no selected area needs it. The event search needs no application; discovery and the
key set need only \`IDP_BASE_URL\` and, on uat and production, \`PRODUCTION_HOSTS\`.

[.env.example](../.env.example) has the same variables as a file to copy. [The first run](first-run.md) explains where to
get the values, and [safety rules](safety.md) explains what the limits protect.

${parts.join('\n\n')}
`
}

function defaultOf({ schema, default: byDefault }: Variable): string {
  if (byDefault !== '') return byDefault
  const { success, data } = schema(valueSchemas).safeParse(undefined)
  if (!success) return 'required'
  return data === undefined || data === '' ? 'none' : String(data)
}

if (import.meta.main)
  for (const [path, text] of Object.entries(configurationFiles()))
    writeFileSync(join(projectRoot, path), text)
