import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Target } from '../../src/target/target.ts'
import type { EndpointName } from '../endpoints.ts'
import { divided, type WorkerShare } from './division.ts'
import { readme } from './readme.ts'
import { scenarioYaml } from './scenario.ts'
import { scenarioRequest } from './scenario-request.ts'

export interface ArtilleryExport {
  readonly endpoint: EndpointName
  /** How many will run the scenario, at once: Lambda functions, machines. */
  readonly workers: number
  /** How long each runs. */
  readonly seconds: number
}

const processor = fileURLToPath(new URL('processor.mjs', import.meta.url))

/**
 * Writes an Artillery scenario into a directory: probe.yml, processor.mjs, README.md. Nothing is sent, and no secret is
 * written: what is secret comes from the environment where it runs.
 * @throws {SetupError} for an endpoint that cannot be exported, and where LOAD_MAX_REQUESTS leaves too little for each
 */
export function exportArtillery(directory: string, target: Target, wishes: ArtilleryExport): WorkerShare {
  const share = divided(target.load, wishes.workers, wishes.seconds)
  const request = scenarioRequest(wishes.endpoint, target, new Date())
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'probe.yml'), scenarioYaml(wishes.endpoint, request, share))
  copyFileSync(processor, join(directory, 'processor.mjs'))
  writeFileSync(join(directory, 'README.md'), readme(wishes.endpoint, request, share))
  return share
}
