import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename } from 'node:path'

/** Start of each file that a provider has written. */
const MARK = '# Variables of an embedded provider;'
const FIRST_LINE = `${MARK} after it has stopped, the next command "provider --env" with this file overwrites them.`

/** The variables as a dotenv file that a shell can also read. */
export function dotenv(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${/[^\w.:/@,-]/.test(value) ? `'${value}'` : value}\n`)
    .join('')
}

/** Whether a file exists that no provider wrote, such as the configuration of a real deployment. */
export async function isForeign(file: string): Promise<boolean> {
  try {
    return !(await readFile(file, 'utf8')).startsWith(MARK)
  } catch (error) {
    // A file that exists but cannot be read must not be overwritten.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Maximum time in which a running provider accepts a connection, in milliseconds. */
const ACCEPT_MS = 1000

/**
 * The address of the provider that wrote a file, if it is still running.
 * @returns undefined if there is no such file, or nothing listens at its address
 */
export async function runningOwner(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const address = /^IDP_BASE_URL=(http:\/\/127\.0\.0\.1:\d+\S*)$/m.exec(text)?.[1]
  return address !== undefined && (await isListening(new URL(address))) ? address : undefined
}

function isListening({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const end = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.setTimeout(ACCEPT_MS, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

/** The variables for a file, without TARGET if the file name names the target, as `.env.uat` does. */
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
