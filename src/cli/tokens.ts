import { styleText } from 'node:util'
import { obstacleOf } from '../check/obstacle.ts'
import { exitCodes } from '../exit-codes.ts'
import { type TargetOptions, withTarget } from '../run/chosen-target.ts'
import { exitCodeOfSignIn, loginFailureText, withSignIn } from '../run/sign-in.ts'
import { wrap } from '../text/format.ts'
import { widthOf } from '../text/terminal.ts'
import { withInterruptedExitCode } from './signals.ts'
import { claimText, equalDigests, type ShownToken, shownTokens } from './token-table.ts'

interface TokensOptions extends TargetOptions {
  readonly reveal?: boolean
  readonly json?: boolean
}

/** `plumbline tokens`: signs in, exchanges the code, and shows header and claims of the tokens. */
export async function tokens({ reveal = false, json, ...options }: TokensOptions): Promise<void> {
  await withInterruptedExitCode('Stopping', (signal) =>
    withTarget(options, (target) =>
      withSignIn(target, { signal }, async ({ signIn, context, authorization }) => {
        let trouble = signIn.trouble
        let shown: readonly ShownToken[] = []
        if (authorization) {
          try {
            shown = await shownTokens(context, reveal)
          } catch (error) {
            trouble = obstacleOf(error)
          }
        }
        const isRejected = shown.some(({ accepted }) => accepted === false)
        process.exitCode =
          exitCodeOfSignIn({ ...signIn, trouble }, authorization) ||
          (isRejected ? exitCodes.violated : exitCodes.ok)
        if (json) {
          console.log(JSON.stringify({ target: target.name, tokens: shown, trouble }, null, 2))
          return
        }
        for (const token of shown) print(token)
        const width = widthOf(process.stdout)
        if (trouble) console.log(wrap(`No tokens ${loginFailureText(trouble)}`, width, 2).join('\n'))
        else if (!reveal) {
          const lines = wrap(`${equalDigests} Use --reveal to show masked values`, width, 0)
          console.log(styleText('dim', ['', ...lines].join('\n')))
        }
      }),
    ),
  )
}

function print({ name, compact, header, claims, lifetime, signature, believed }: ShownToken): void {
  console.log(`\n${styleText('bold', name)}  ${styleText('dim', compact)}`)
  const line = (label: string, text: string) =>
    console.log(`  ${styleText('dim', label.padEnd(12))}  ${text}`)
  if (!header || !claims) {
    line('format', 'not a JWT: it has no readable claims')
    if (believed !== null) line('validation', believed)
    return
  }
  const rows = [
    ...Object.entries(header).map(([member, value]) => ['header', member, claimText(member, value)] as const),
    ...Object.entries(claims).map(([claim, value]) => ['claim', claim, claimText(claim, value)] as const),
  ]
  const width = Math.max(...rows.map(([, member]) => member.length))
  for (const [kind, member, text] of rows) line(kind, `${member.padEnd(width)}  ${text}`)
  if (lifetime !== null) line('lifetime', lifetime)
  if (signature !== null) line('signature', signature)
  if (believed !== null) line('validation', believed)
}
