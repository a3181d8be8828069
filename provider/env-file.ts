import { readFile, writeFile } from 'node:fs/promises'

/** By this first line a provider knows a file that one has written. */
const mark = '# Variables of an embedded provider; each one writes its own over them.'

/** The variables as a dotenv file that a shell can read too. */
export function dotenv(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${/[^\w.:/@,-]/.test(value) ? `'${value}'` : value}\n`)
    .join('')
}

/** Whether a file holds what somebody else wrote, such as the variables of a real deployment. */
export async function isForeign(file: string): Promise<boolean> {
  try {
    return !(await readFile(file, 'utf8')).startsWith(mark)
  } catch (error) {
    // What cannot be read for another reason cannot be written either, or should not be.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

export async function writeVariables(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  await writeFile(file, `${mark}\n${dotenv(variables)}`, { mode: 0o600 })
}
