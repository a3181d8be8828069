import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'
import { SetupError } from '../target/problem.ts'

interface EmbeddedProvider {
  /** The variables that configure this provider as the target. */
  readonly variables: Readonly<Record<string, string>>
  close(): Promise<void>
}

export const embeddedClaimRecipe = join(projectRoot, 'provider', 'claim-recipe.json')

/**
 * The variables of an embedded provider, with placeholders for its port and secrets. They suffice to plan a run without
 * starting the provider.
 * @param planned whether the provider offers the features of level `planned`
 */
export function expectedVariables(planned: boolean): Readonly<Record<string, string>> {
  const origin = 'http://127.0.0.1'
  const placeholder = 'known-when-it-runs'
  return {
    TARGET: 'embedded',
    IDP_BASE_URL: origin,
    PARTNER_API_URL: `${origin}/partner/v1`,
    PRODUCTION_HOSTS: 'none',
    JWKS_URL: `${origin}/jwks`,
    CLIENT_ID: placeholder,
    CLIENT_SECRET: placeholder,
    CLIENT_AUTH_METHOD: 'client_secret_basic',
    REDIRECT_URI: 'https://partner.invalid/callback',
    SCOPE: 'openid profile email',
    PARTNER_CLIENT_ID: placeholder,
    PARTNER_CLIENT_SECRET: placeholder,
    TEST_USER: placeholder,
    TEST_PASSWORD: placeholder,
    SECOND_TEST_USER: placeholder,
    SECOND_TEST_PASSWORD: placeholder,
    LOAD_SOURCE_ADDRESSES: '127.0.0.1',
    REQUIRED_ACR: 'urn:level',
    ACR_ORDER: 'urn:level',
    EVENT_TIME_ZONE: 'Europe/Helsinki',
    CLAIM_RECIPE: embeddedClaimRecipe,
    SECOND_CLIENT_ID: `second-${placeholder}`,
    SECOND_CLIENT_SECRET: placeholder,
    SECOND_REDIRECT_URI: 'https://partner.invalid/callback',
    UNENTITLED_CLIENT_ID: placeholder,
    UNENTITLED_CLIENT_SECRET: placeholder,
    ...(planned && { WEBHOOK_CLOCK_URL: `${origin}/clock` }),
  }
}

/**
 * Starts the embedded provider in a child process.
 * @throws {SetupError} with the provider's error message if it does not start
 */
export function startEmbeddedProvider(options: readonly string[]): Promise<EmbeddedProvider> {
  const child = fork(join(projectRoot, 'provider', 'main.ts'), [...options], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errorOutput = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput += chunk
  })
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new SetupError({ name: 'The embedded provider', what: `did not start: ${reason}` }))
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code) => fail(errorOutput.trim() || `it ended with code ${code}`))
    child.once('message', (message) => {
      const { variables } = message as Pick<EmbeddedProvider, 'variables'>
      resolve({ variables, close: () => end(child) })
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
