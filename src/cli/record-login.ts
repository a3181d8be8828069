import { platform } from 'node:os'
import { relative } from 'node:path'
import { styleText } from 'node:util'
import { describeLocator, type LoginRecipe } from '../browser/index.ts'
import { type RecordedLogin, recordLogin } from '../recording/record-login.ts'
import { withTarget } from '../run/chosen-target.ts'
import { readEnvironment, targetNameFrom } from '../target/environment.ts'
import { SetupError } from '../target/problem.ts'
import type { Target } from '../target/target.ts'
import { counted } from '../text/format.ts'
import { inWords } from './login.ts'
import { untilInterrupted } from './signals.ts'

interface RecordLoginCommandOptions {
  readonly target?: string
  readonly out?: string
  readonly force?: boolean
  readonly cancel?: boolean
  readonly host?: readonly string[]
}

/** `plumbline record-login`: writes a login recipe from one login by hand. */
export async function recordLoginByHand(options: RecordLoginCommandOptions): Promise<void> {
  const { target: named, out: given, host: hosts = [], cancel = false, force = false } = options
  hosts.forEach(checkHost)
  checkTarget(named)
  checkScreen()
  await untilInterrupted((signal) =>
    withTarget(named === undefined ? {} : { target: named }, async (target) => {
      const out = given ?? target.loginRecipe ?? 'login-recipe.json'
      const onStage = (stage: 'recording' | 'proving', recipe: LoginRecipe) =>
        stage === 'recording' ? invite(target, cancel) : announce(recipe, cancel)
      const recorded = await recordLogin(target, { out, force, cancel, hosts, signal, onStage })
      conclude(recorded, target)
      process.exitCode = recorded.trouble?.exitCode ?? 0
    }),
  )
}

function checkHost(host: string): void {
  if (/^[a-z0-9.-]+(:[0-9]{1,5})?$/.test(host)) return
  throw new SetupError([
    {
      name: '--host',
      what: `${JSON.stringify(host)} is no host as an address writes it, such as login.example.com or login.example.com:8443`,
    },
  ])
}

/** Nobody knows the password of a provider that is started for this command alone. */
function checkTarget(named: string | undefined): void {
  const name = targetNameFrom(named, process.env, process.cwd())
  if (name !== 'embedded' || readEnvironment(name, process.env, process.cwd()).IDP_BASE_URL) return
  throw new SetupError([
    {
      name: '--target',
      what: 'is embedded, whose password nobody knows; to try this out: plumbline provider --env .env.uat, then plumbline record-login --target uat',
    },
  ])
}

function checkScreen(): void {
  if (platform() !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return
  throw new SetupError([
    {
      name: 'DISPLAY',
      what: 'is not set, so there is no screen to sign in on: record on a machine with one, and take the recipe over; or write it by hand (docs/login-recipes.md)',
    },
  ])
}

function invite({ issuer, loginBudget }: Target, cancel: boolean): void {
  console.log(`A window shows the login page of ${new URL(issuer).host}.`)
  console.log(
    cancel
      ? 'Give the login up there, as a user would who changed their mind. Type nothing.'
      : 'Sign in there once with TEST_USER and TEST_PASSWORD, and consent where you are asked.',
  )
  console.log(
    `The recording ends where the application would be called, which is not. ${
      cancel ? '' : `What you type stays in the page. It uses 2 of ${counted(loginBudget, 'login')}. `
    }Close the window to stop.`,
  )
}

function announce(recipe: LoginRecipe, cancel: boolean): void {
  console.log('\nRecorded:')
  for (const name of ['signIn', 'consent', 'cancel'] as const) {
    if ((name === 'cancel') !== cancel || !recipe[name]) continue
    console.log(styleText('dim', name))
    for (const step of recipe[name]) {
      const what = step.do === 'fill' ? step.value : step.do === 'totp' ? 'totp' : null
      const words = inWords({ did: step.do, what, where: describeLocator(step.at) })
      console.log(`  ${words}${step.optional ? ', if it comes' : ''}`)
    }
  }
  console.log(
    `\nTrying it without a window${cancel ? '' : ', which is one more login; it waits for a new one-time password where one is needed'}.`,
  )
}

function conclude(recorded: RecordedLogin, target: Target): void {
  const { file, proved, trouble, missing, remarks, requests, logins } = recorded
  for (const sentence of missing) console.log(`Missing: ${sentence}`)
  for (const sentence of remarks) console.log(`To look at: ${sentence}`)
  const shown = file === null ? null : relative(process.cwd(), file) || file
  if (shown === null) console.log(`Nothing was written: ${trouble?.reason}`)
  else if (!proved) {
    console.log(`Not proved: ${trouble?.reason}`)
    console.log(
      `Written to ${shown}, for you to correct (docs/login-recipes.md) and to try: LOGIN_RECIPE=${shown} plumbline login --target ${target.name}`,
    )
  } else {
    console.log(`It works. Written to ${shown}.`)
    if (target.loginRecipe !== file)
      console.log(`Put this into .env.${target.name}:\n\n  LOGIN_RECIPE=${shown}\n`)
  }
  console.log(styleText('dim', `${counted(requests, 'request')}, ${counted(logins, 'login')}`))
}
