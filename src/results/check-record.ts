import type { CheckResult } from '../check/result.ts'
import type { Exchange } from '../evidence/exchange.ts'
import { enabling } from '../target/profiles.ts'
import type { CheckRecord } from './results.ts'

/**
 * The command that repeats a check, for reports and `explain`: with `--only` and its requirement, or with `--area` if
 * the check judges requests of other checks.
 * @param target if undefined, the command has no `--target`
 * @param effectsBeyondDefault the effects that ENABLE must allow
 * @param judgedAreas the areas whose requests the check judges
 */
export function repeatCommand(
  requirement: string,
  target: string | undefined,
  { effectsBeyondDefault, judgedAreas }: Pick<CheckResult, 'effectsBeyondDefault' | 'judgedAreas'>,
): string {
  const targetOption = target === undefined ? '' : `--target ${target} `
  const selection = judgedAreas ? `--area ${judgedAreas.join(',')}` : `--only ${requirement}`
  return `${enabling(effectsBeyondDefault)}npx plumbline check ${targetOption}${selection}`
}

/** The status of an exchange, or why it has no response. */
export function exchangeStatus(exchange: Exchange): string {
  return exchange.response ? String(exchange.response.status) : (exchange.failure ?? 'no response')
}

/** The record of a finished check in results.json. */
export function recordOf(result: CheckResult, target: string): CheckRecord {
  const { requirement, observations, exchanges, effectsBeyondDefault, reproduce, ...kept } = result
  return {
    ...kept,
    evidence: exchanges.map(
      (exchange) => `${exchange.request.method} ${exchange.request.url} ${exchangeStatus(exchange)}`,
    ),
    exchanges: exchanges.map(({ number }) => number),
    reproduce: reproduce ?? repeatCommand(requirement, target, result),
  }
}

/** The result of a check that crashed, or that had not begun when the run ended. */
export function inconclusiveResult(
  {
    requirement,
    name,
    file = '',
    durationMs = 0,
  }: Pick<CheckResult, 'requirement' | 'name'> & Partial<Pick<CheckResult, 'file' | 'durationMs'>>,
  cause: 'environment' | 'harness',
  reason: string,
): CheckResult {
  return {
    requirement,
    name,
    file,
    verdict: 'inconclusive',
    cause,
    reason,
    advice: null,
    dependsOn: [],
    finding: null,
    notes: [],
    observations: [],
    exchanges: [],
    durationMs,
    requests: 0,
    logins: 0,
    basis: {},
    effectsBeyondDefault: [],
  }
}
