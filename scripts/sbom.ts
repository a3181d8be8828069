import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { projectRoot } from '../src/project.ts'

// Writes a software bill of materials (CycloneDX) and the licences of all packages.
//   node scripts/sbom.ts

interface LockedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Installed for development only. */
  readonly isDev: boolean
  readonly hasInstallScript: boolean
}

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly version?: string
        readonly license?: string
        readonly dev?: boolean
        readonly hasInstallScript?: boolean
      }
    >
  >
}

/** The distinct packages of package-lock.json. */
export function lockedPackages(): LockedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as Lock
  const installed = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version = '', license = 'unknown', dev = false, hasInstallScript = false }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      isDev: dev,
      hasInstallScript,
    }))
  const unique = new Map(installed.map((one) => [`${one.name}@${one.version}`, one]))
  return [...unique.values()].sort((a, b) => a.name.localeCompare(b.name))
}

function licenceList(): string {
  const byLicence = Map.groupBy(lockedPackages(), ({ licence }) => licence)
  const parts = [...byLicence]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([licence, packages]) => {
      const rows = packages.map(
        ({ name, version, isDev }) => `| ${name} | ${version} | ${isDev ? 'yes' : ''} |`,
      )
      return `## ${licence}\n\n| package | version | development only |\n|---|---|---|\n${rows.join('\n')}`
    })
  return `# Licences of all packages\n\n${parts.join('\n\n')}\n`
}

if (import.meta.main) {
  const folder = join(projectRoot, 'reports')
  mkdirSync(folder, { recursive: true })
  const sbom = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: projectRoot,
    maxBuffer: 64 * 1024 * 1024,
  })
  const files = { 'sbom.cdx.json': sbom, 'licences.md': licenceList() }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content)
    console.log(relative(process.cwd(), join(folder, name)))
  }
}
