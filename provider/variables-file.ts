import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** Start of the files that a provider writes, by which it recognises them. */
const MARK = '# Variables of an embedded provider;'
const FIRST_LINE = `${MARK} starting another one with this file overwrites them.`

/** The variables as a dotenv file that a shell can also read. */
export function dotenv(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${/[^\w.:/@,-]/.test(value) ? `'${value}'` : value}\n`)
    .join('')
}

/** Whether a file exists that no provider wrote, such as the variables of a real deployment. */
export async function isForeign(file: string): Promise<boolean> {
  try {
    return !(await readFile(file, 'utf8')).startsWith(MARK)
  } catch (error) {
    // A file that cannot be read for another reason must not be overwritten.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** The variables for a file: the name of `.env.uat` is the target, and TARGET has no effect in it. */
export function variablesFor(
  file: string | undefined,
  { TARGET, ...others }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isOfTarget = file !== undefined && /^\.env\../.test(basename(file))
  return isOfTarget || TARGET === undefined ? others : { TARGET, ...others }
}

export async function writeVariables(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  await writeFile(file, `${FIRST_LINE}\n${dotenv(variables)}`, { mode: 0o600 })
}
