import { hostname, userInfo } from 'node:os'
import { relative } from 'node:path'
import { styleText } from 'node:util'
import type { Page } from 'playwright'
import { describeLocator, hasScreen, type LoginRecipe } from '../browser/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { type RecordedLogin, recordLogin } from '../recording/record-login.ts'
import { RemoteScreen } from '../recording/remote-screen.ts'
import { withTarget } from '../run/chosen-target.ts'
import { readEnvironment, targetNameFrom } from '../target/environment.ts'
import { issuerOf } from '../target/parts.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import { counted } from '../text/format.ts'
import { stepText } from './login.ts'
import { countOption } from './options.ts'
import { withInterruptedExitCode } from './signals.ts'

interface RecordLoginCommandOptions {
  readonly target?: string
  readonly out?: string
  readonly force?: boolean
  readonly cancel?: boolean
  readonly host?: readonly string[]
  /** True, or a port, with --remote. */
  readonly remote?: true | string
}

/** `plumbline record-login`: writes a login recipe from one manual login. */
export async function recordLoginByHand(options: RecordLoginCommandOptions): Promise<void> {
  const { target: targetOption, out: outOption, host: hosts = [], cancel = false, force = false } = options
  hosts.forEach(requireHost)
  requireKnownPassword(targetOption)
  requireScreen(options.remote !== undefined)
  const port = options.remote === true ? 0 : countOption('--remote', options.remote, 0, 6080)
  await withInterruptedExitCode('Stopping', (signal) =>
    withTarget({ target: targetOption }, async (target) => {
      const out = outOption ?? target.loginRecipe ?? 'login-recipe.json'
      const screen = port === undefined ? undefined : await RemoteScreen.open(port, taskText(cancel, 'here'))
      try {
        const onStage = (stage: 'recording' | 'verification', recipe: LoginRecipe) => {
          if (stage === 'recording') return printInstructions(target, cancel, screen)
          screen?.end('Recorded. Continue in the terminal; you can close this page.')
          printRecording(recipe, cancel)
        }
        const actor = screen && ((page: Page) => void screen.show(page).catch(() => undefined))
        const options = { out, force, cancel, hosts, signal, onStage, ...(actor && { actor }) }
        const recorded = await recordLogin(target, options)
        printResult(recorded, target)
        process.exitCode = recorded.trouble?.exitCode ?? exitCodes.ok
      } finally {
        screen?.end('The recording has ended. Continue in the terminal; you can close this page.')
        await screen?.close()
      }
    }),
  )
}

function requireHost(host: string): void {
  if (/^[a-z0-9.-]+(:[0-9]{1,5})?$/.test(host)) return
  throw new SetupError({
    name: '--host',
    what: `${JSON.stringify(host)} is not a host, for example login.example.com or login.example.com:8443`,
  })
}

/** Refuses an embedded provider that this command would start: you would not know its generated password. */
function requireKnownPassword(targetOption: string | undefined): void {
  const name = targetNameFrom(targetOption)
  if (name !== 'embedded' || readEnvironment(name).IDP_BASE_URL) return
  throw new SetupError({
    name: '--target',
    what: 'is embedded, and the embedded provider generates a password that you do not know; to try this command, run `npx plumbline provider --env .env.uat`, then `npx plumbline record-login --target uat`',
  })
}

function requireScreen(isRemote: boolean): void {
  if (isRemote || hasScreen()) return
  throw new SetupError({
    name: 'DISPLAY',
    what: 'is not set, so there is no screen to sign in on: --remote shows the login page in the browser of your own machine, through an SSH tunnel (docs/login-recipes.md)',
  })
}

function printInstructions(target: Target, cancel: boolean, screen: RemoteScreen | undefined): void {
  const { host } = new URL(issuerOf(target))
  if (screen) {
    console.log(`The login page of ${host} is shown to a browser on your own machine.`)
    console.log(`\n  1. Open a tunnel there:  ${tunnelTo(screen.port)}`)
    console.log(`  2. Open this address:    ${screen.url}\n`)
    console.log(
      'Keep the address to yourself: it gives access to the page until the recording ends. Typed values are not stored.',
    )
  } else console.log(`A browser window shows the login page of ${host}.`)
  console.log(taskText(cancel, 'there'))
  console.log(
    `The recording ends at the redirect to the application, which is not loaded. ${
      cancel
        ? ''
        : `${screen ? 'Typed values go only through the tunnel into the page' : 'Typed values never leave the page'}. Recording uses one of ${counted(target.loginBudget, 'login')} for each password that you submit, and trying the recipe uses one more. `
    }${screen ? 'Press Stop recording' : 'Close the window'} to stop.`,
  )
}

function taskText(cancel: boolean, where: 'here' | 'there'): string {
  return cancel
    ? `Cancel the login ${where}, as a user who changed their mind. Type nothing.`
    : `Sign in ${where} once with TEST_USER and TEST_PASSWORD, and consent if the page asks.`
}

/** The SSH command that opens a tunnel from the engineer's machine to a port of this machine. */
function tunnelTo(port: number): string {
  // SSH_CONNECTION is `CLIENT PORT SERVER PORT`.
  const [, , server, sshPort] = (process.env.SSH_CONNECTION ?? '').split(' ')
  const place = server === undefined ? hostname() : server
  const option = sshPort === undefined || sshPort === '22' ? '' : ` -p ${sshPort}`
  return `ssh -N${option} -L ${port}:127.0.0.1:${port} ${userInfo().username}@${place}`
}

function printRecording(recipe: LoginRecipe, cancel: boolean): void {
  console.log('\nRecorded:')
  for (const name of ['signIn', 'consent', 'cancel'] as const) {
    if ((name === 'cancel') !== cancel || !recipe[name]) continue
    console.log(styleText('dim', name))
    for (const step of recipe[name]) {
      const what = step.do === 'fill' ? step.value : step.do === 'totp' ? 'totp' : null
      const text = stepText({ did: step.do, what, where: describeLocator(step.at) })
      console.log(`  ${text}${step.optional ? ', if present' : ''}`)
    }
  }
  console.log(
    `\nTrying the recipe without a window${cancel ? '' : ', in a second login. If the login needs a one-time password, Plumbline waits for a new one'}.`,
  )
}

function printResult(recorded: RecordedLogin, target: Target): void {
  const { file, trouble, missing, remarks, requests, logins } = recorded
  for (const sentence of missing) console.log(`Missing: ${sentence}`)
  for (const sentence of remarks) console.log(`Please review: ${sentence}`)
  const shown = file === null ? null : relative(process.cwd(), file) || file
  if (shown === null) console.log(`Nothing was written: ${trouble?.reason}`)
  else if (trouble) {
    console.log(`The recipe did not work: ${trouble.reason}`)
    console.log(
      `Written to ${shown}. Correct it (docs/login-recipes.md) and try it: LOGIN_RECIPE=${shown} npx plumbline login --target ${target.name}`,
    )
  } else {
    console.log(`The recipe works. Written to ${shown}.`)
    if (target.loginRecipe !== file)
      console.log(`Add this line to .env.${target.name}:\n\n  LOGIN_RECIPE=${shown}\n`)
  }
  console.log(styleText('dim', `${counted(requests, 'request')}, ${counted(logins, 'login')}`))
}
