import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

export const { version } = packageJson

/** The folder of package.json. */
export const projectRoot = join(import.meta.dirname, '..')
