import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lockedPackages } from '../../scripts/sbom.ts'
import { projectRoot } from '../../src/project.ts'

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>

describe('packages of Plumbline', () => {
  test.each(['dependencies', 'devDependencies', 'optionalDependencies'])('%s have exact versions', (kind) => {
    const loose = Object.entries(manifest[kind] ?? {}).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    )
    expect(loose).toEqual([])
  })

  test('no package runs a program at its installation', () => {
    expect(lockedPackages().filter(({ hasInstallScript }) => hasInstallScript)).toEqual([])
  })

  test('every licence allows redistribution of the tool', () => {
    const known =
      /^\(?(?:MIT|ISC|0BSD|Unlicense|Zlib|BlueOak-1\.0\.0|Python-2\.0|Apache-2\.0|MPL-2\.0|BSD-[23]-Clause)(?: (?:OR|AND) [\w.-]+)*\)?$/
    expect(lockedPackages().filter(({ licence }) => !known.test(licence))).toEqual([])
  })
})
