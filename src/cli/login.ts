import { join, relative } from 'node:path'
import { styleText } from 'node:util'
import type { JourneyStep, StepInput } from '../browser/index.ts'
import { type TargetOptions, withTarget } from '../run/chosen-target.ts'
import { exitCodeOfSignIn, loginFailureText, withSignIn } from '../run/sign-in.ts'
import type { Target } from '../target/target.ts'
import { counted, duration, wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'
import { countOption } from './options.ts'
import { withInterruptedExitCode } from './signals.ts'
import { equalDigests } from './token-table.ts'

interface LoginOptions extends TargetOptions {
  readonly headed?: boolean
  readonly slowMo?: string
  readonly json?: boolean
}

/** `plumbline login`: signs in through the login page and prints each step, without typed values. */
export async function login({ headed = false, slowMo, json, ...options }: LoginOptions): Promise<void> {
  const display = { headed, slowMo: countOption('--slow-mo', slowMo, 0, 500) ?? 0 }
  await withInterruptedExitCode('Stopping', (signal) =>
    withTarget(options, (target) =>
      withSignIn(
        target,
        { ...display, signal, screenshot: pictureOf(target) },
        async ({ signIn, authorization }) => {
          process.exitCode = exitCodeOfSignIn(signIn, authorization)
          if (json) {
            console.log(
              JSON.stringify({ target: target.name, ...signIn, exitCode: process.exitCode }, null, 2),
            )
            return
          }
          const { steps, landed, trouble, durationMs, requests, screenshot } = signIn
          let page = ''
          for (const step of steps) {
            if (step.page !== page) console.log(styleText('dim', step.page))
            page = step.page
            console.log(`  ${stepText(step)}`)
          }
          const outcome = trouble ? `Not signed in ${loginFailureText(trouble)}` : `Result: ${landed}`
          console.log(wrap(outcome, widthOf(process.stdout), 2).join('\n'))
          if (screenshot !== null)
            console.log(
              `The page, with its fields covered: ${relative(process.cwd(), screenshot) || screenshot}`,
            )
          if (steps.some(({ pageHasDigests }) => pageHasDigests)) console.log(styleText('dim', equalDigests))
          console.log(styleText('dim', `${duration(durationMs)}, ${counted(requests, 'request')}`))
        },
      ),
    ),
  )
}

/** The file for a picture of the page that Plumbline did not recognise. */
function pictureOf({ reportDir, name }: Target): string {
  return join(reportDir, `login-${name}.png`)
}

const inputTexts: Readonly<Record<StepInput, string>> = {
  user: 'the user name (TEST_USER)',
  username: 'the user name (TEST_USER)',
  password: 'the password (TEST_PASSWORD)',
  totp: 'a one-time password (TEST_TOTP_SECRET)',
  submit: 'the sign-in button',
  accept: 'the consent button',
  cancel: 'the cancel button',
  loginMethod: 'the button that leads to the password',
  account: 'the account of the session',
  skip: 'the button that declines an offer',
  withoutPassword: 'the button for the login without a password',
  box: 'a check box',
  option: 'a radio button',
  Enter: 'Enter',
}

/** Describes a step in one line, without typed values. */
export function stepText({ did, what, where }: Pick<JourneyStep, 'did' | 'what' | 'where'>): string {
  const named = what === null ? '' : inputTexts[what]
  const place = where === null ? '' : named === '' ? ` ${where}` : ` at ${where}`
  const verb =
    did === 'fill' || did === 'totp'
      ? 'typed'
      : did === 'wait'
        ? 'waited for'
        : did === 'select'
          ? 'selected an option'
          : 'pressed'
  // For example `selected an option in label="Branch"`.
  const within = did === 'select' && place !== '' && named === '' ? ' in' : ''
  return `${verb}${named === '' ? '' : ` ${named}`}${within}${place}`
}
