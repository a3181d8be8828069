import { styleText } from 'node:util'
import { counted, type Style, wrap } from '../text/format.ts'
import type { ShownVariable } from './configuration.ts'
import { candidatesOf, exitCodeOf, type Finding, type Severity } from './finding.ts'

const styles: Readonly<Record<Severity, Style>> = {
  ok: 'green',
  warning: 'yellow',
  error: ['bold', 'red'],
  unanswered: 'yellow',
  skipped: 'dim',
}

/** Findings on a terminal: one or a few lines each. */
export class DoctorText {
  readonly #stream: NodeJS.WriteStream
  readonly #width: number

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    this.#width = Math.min(Math.max(stream.columns ?? 110, 60), 110)
  }

  /**
   * Which variables are set, where, and what their values look like.
   * @param needsNone the target is the embedded provider, which is started
   */
  variables(all: readonly ShownVariable[], needsNone: boolean): void {
    const set = all.filter(({ source }) => source !== null)
    const unset = all.filter(({ source }) => source === null).map(({ name }) => name)
    const widthOf = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length)) + 2
    const names = widthOf(set.map(({ name }) => name))
    const sources = widthOf(set.map(({ source }) => source ?? ''))
    const lines = set.map(
      ({ name, source, shape }) =>
        `  ${name.padEnd(names)}${this.#dim((source ?? '').padEnd(sources))}${shape}`,
    )
    const others = needsNone
      ? 'the embedded provider is started, which needs no configuration'
      : `not set: ${unset.join(', ')}`
    this.#write([...lines, ...wrap(`  ${others}`, this.#width, 4).map((line) => this.#dim(line)), ''])
  }

  finding({ topic, severity, variables, what, advice }: Finding, all: readonly ShownVariable[]): void {
    const mark = `  ${severity.padEnd(10)}`
    const label = `${mark}  ${topic.padEnd(13)}  `
    const hang = label.length
    const [first = '', ...rest] = wrap(label + what, this.#width, hang)
    const painted = styleText(styles[severity], mark, { stream: this.#stream })
    const lines = [painted + first.slice(mark.length), ...rest]
    if (severity === 'error' || severity === 'warning' || severity === 'unanswered') {
      const indent = ' '.repeat(hang)
      if (advice !== null) lines.push(...wrap(`${indent}${advice}`, this.#width, hang))
      for (const name of variables) {
        const shown = all.find((one) => one.name === name)
        const shape = shown?.shape ? `${shown.shape} (${shown.source})` : 'not set'
        lines.push(
          ...wrap(`${indent}${name}: ${shape}`, this.#width, hang + 2).map((line) => this.#dim(line)),
        )
      }
    }
    this.#write(lines)
  }

  /**
   * The sentence at the end, and what it took.
   * @param advice what holds for all that has to be changed
   * @param stopped whether it was interrupted
   */
  summary(
    findings: readonly Finding[],
    used: { readonly requests: number; readonly logins: number },
    { advice, stopped }: { readonly advice?: string | undefined; readonly stopped: boolean },
  ): void {
    const errors = findings.filter(({ severity }) => severity === 'error')
    const warnings = findings.filter(({ severity }) => severity === 'warning').length
    const changes = [...new Set(errors.map((error) => candidatesOf(error, findings).join(' or ')))]
    const sentence = {
      0: 'All is well: plumbline check can begin.',
      2: 'Nothing is known to be wrong with the configuration, but not everything was answered.',
      3: `${counted(changes.length, 'thing')} to change: ${changes.join('; ')}.`,
    }[exitCodeOf(findings)]
    const also = warnings > 0 ? ` ${counted(warnings, 'warning')}.` : ''
    this.#write([
      '',
      `${stopped && errors.length === 0 ? 'Interrupted: not everything was looked at.' : sentence}${also}`,
      ...(advice === undefined ? [] : [advice]),
      this.#dim(`${counted(used.requests, 'request')}, ${counted(used.logins, 'login')}`),
    ])
  }

  #dim(text: string): string {
    return styleText('dim', text, { stream: this.#stream })
  }

  #write(lines: readonly string[]): void {
    this.#stream.write(`${lines.join('\n')}\n`)
  }
}
