import { styleText } from 'node:util'
import type { JourneyStep } from '../browser/index.ts'
import { type TargetOptions, withTarget } from '../run/chosen-target.ts'
import { exitCodeOfSignIn, withSignIn } from '../run/sign-in.ts'
import { counted, duration } from '../text/format.ts'
import { countOption } from './options.ts'
import { untilInterrupted } from './signals.ts'

interface LoginOptions extends TargetOptions {
  readonly headed?: boolean
  readonly slowMo?: string
  readonly json?: boolean
}

/** `plumbline login`: signs in through the login page and prints each step, without values. */
export async function login({ headed = false, slowMo, json, ...options }: LoginOptions): Promise<void> {
  const watching = { headed, slowMo: countOption('--slow-mo', slowMo, 0) ?? 0 }
  await untilInterrupted((signal) =>
    withTarget(options, (target) =>
      withSignIn(target, { ...watching, signal }, async (signIn, _session, authorization) => {
        process.exitCode = exitCodeOfSignIn(signIn, authorization)
        if (json) {
          console.log(JSON.stringify({ target: target.name, ...signIn, exitCode: process.exitCode }, null, 2))
          return
        }
        const { steps, landed, trouble, durationMs, requests } = signIn
        let page = ''
        for (const step of steps) {
          if (step.page !== page) console.log(styleText('dim', step.page))
          page = step.page
          console.log(`  ${stepText(step)}`)
        }
        console.log(trouble ? `Not signed in (${trouble.cause}): ${trouble.reason}` : `Result: ${landed}`)
        console.log(styleText('dim', `${duration(durationMs)}, ${counted(requests, 'request')}`))
      }),
    ),
  )
}

const names: Readonly<Record<string, string>> = {
  user: 'the user name (TEST_USER)',
  username: 'the user name (TEST_USER)',
  password: 'the password (TEST_PASSWORD)',
  totp: 'a one-time password (TEST_TOTP_SECRET)',
  submit: 'the sign-in button',
  accept: 'the consent button',
  cancel: 'the cancel button',
}

/** Describes a step in one line, without values. */
export function stepText({ did, what, where }: Omit<JourneyStep, 'page'>): string {
  const named = what === null ? '' : (names[what] ?? what)
  const place = where === null ? '' : named === '' ? ` ${where}` : ` at ${where}`
  const verb =
    did === 'fill' || did === 'totp'
      ? 'typed'
      : did === 'wait'
        ? 'waited for'
        : did === 'select'
          ? 'selected an option'
          : 'pressed'
  return `${verb}${named === '' ? '' : ` ${named}`}${place}`
}
