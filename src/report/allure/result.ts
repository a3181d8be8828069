import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import {
  type Attachment,
  ContentType,
  LinkType,
  Severity,
  Stage,
  Status,
  type TestResult,
} from 'allure-js-commons'
import type { Level } from '../../check/requirement.ts'
import { type Observation, reasonText } from '../../check/result.ts'
import type { Cause, Verdict } from '../../check/verdict.ts'
import type { Exchange } from '../../evidence/exchange.ts'
import {
  type CheckRecord,
  type RequirementFacts,
  type RequirementResult,
  requirementOutcome,
} from '../../results/results.ts'
import { observationName, valueText } from '../../results/text.ts'
import { findingText, type Row, recordedRows, repeatRows, requirementRow, rowsText } from '../finding.ts'
import { rowContent } from '../pages/components.ts'
import { html } from '../pages/html.ts'
import { exchangeStep, httpExchange, withVariablesNote } from './exchange-step.ts'

export interface AllureCheck {
  readonly result: TestResult
  readonly attachments: readonly AttachedFile[]
}

export interface AttachedFile {
  /** The file name. It contains the id of the check, because Allure shows a file with one check only. */
  readonly source: string
  /** The same key means the same content. */
  readonly key: string
  readonly content: () => string | Buffer
}

export const allureStatuses: Readonly<Record<Verdict, Status>> = {
  pass: Status.PASSED,
  fail: Status.FAILED,
  inconclusive: Status.BROKEN,
  'not-applicable': Status.SKIPPED,
  observed: Status.PASSED,
}

const severities: Readonly<Record<Level, Severity>> = {
  must: Severity.CRITICAL,
  client: Severity.NORMAL,
  planned: Severity.MINOR,
  reference: Severity.TRIVIAL,
  silent: Severity.TRIVIAL,
}

/**
 * One check as an Allure test result.
 * @param exchanges the exchanges on which the check is based
 * @param endedAt milliseconds since the epoch
 * @param contentOf reads a file of the run by its path in the run's directory
 */
export function allureCheck(
  requirement: RequirementFacts,
  check: CheckRecord,
  observations: readonly Observation[],
  exchanges: readonly Exchange[],
  endedAt: number,
  contentOf: (path: string) => Buffer = () => Buffer.of(),
): AllureCheck {
  const blank = testResult(requirement, check.name, check)
  const attachments: AttachedFile[] = []
  const attach = (name: string, type: string, key: string, content: AttachedFile['content']): Attachment => {
    const source = `${blank.uuid}-${key}`
    attachments.push({ source, key, content })
    return { name, type, source }
  }
  const steps = exchanges.map((exchange, index) => {
    const { number, curl } = exchange
    return exchangeStep(
      exchange,
      {
        isViolating: number === check.finding?.exchange,
        isEarlier: index < (check.earlierExchanges ?? 0),
      },
      [
        attach('request and response', ContentType.HTTP_EXCHANGE, `${number}.httpexchange`, () =>
          JSON.stringify(httpExchange(exchange)),
        ),
        ...(curl === undefined
          ? []
          : [attach('curl', ContentType.TEXT, `${number}.txt`, () => withVariablesNote(curl))]),
      ],
    )
  })
  const result: TestResult = {
    ...blank,
    fullName: `${requirement.id}: ${check.name}`,
    statusDetails: statusDetails(requirement, check),
    descriptionHtml: description(requirement, [
      verdictRow(check),
      ...recordedRows(check),
      ...stepsRows(check, steps.length),
      ...repeatRows([check]),
    ]),
    start: endedAt - check.durationMs,
    stop: endedAt,
    parameters: observations.map(({ key, value, measured }) => ({
      // Allure truncates long names. The figure is enough, because the name of the probe states the rest of the key.
      name: measured?.figure ?? observationName(key),
      value: valueText(value),
      // A check with another value keeps its history.
      excluded: true,
    })),
    steps,
    attachments: (check.attachments ?? []).map(({ name, mediaType, path }) =>
      attach(name, mediaType, basename(path), () => contentOf(path)),
    ),
  }
  return { result, attachments }
}

/**
 * A requirement without a finished check as an Allure test result: skipped or broken, with the reason.
 * @param at milliseconds since the epoch
 */
export function allureUnchecked(requirement: RequirementResult, at: number): AllureCheck {
  const outcome = requirementOutcome(requirement)
  const message = outcome.reason ?? ''
  const result: TestResult = {
    ...testResult(requirement, '', outcome),
    name: requirement.statement,
    fullName: requirement.id,
    statusDetails: { message },
    descriptionHtml: description(requirement, []),
    start: at,
    stop: at,
  }
  return { result, attachments: [] }
}

/** The common part of every result. Its id is the same in every run, so that Allure recognises its history. */
function testResult(
  { id, area, section, level }: RequirementFacts,
  name: string,
  { verdict, cause }: { readonly verdict: Verdict; readonly cause: Cause | null },
): TestResult {
  const stable = stableId(id, name)
  // Area and requirement form the tree; the tags filter the report.
  const labels = { epic: area, feature: section, story: id, severity: severities[level], verdict }
  const tags = [
    `level: ${level}`,
    verdict === 'observed' ? verdict : [],
    cause === null ? [] : `cause: ${cause}`,
  ].flat()
  return {
    uuid: stable,
    historyId: stable,
    testCaseId: stable,
    name,
    titlePath: [area, id],
    status: allureStatuses[verdict],
    statusDetails: {},
    stage: Stage.FINISHED,
    labels: [
      ...Object.entries({ ...labels, ...(cause && { cause }) }).map(([label, value]) => ({
        name: label,
        value,
      })),
      ...tags.map((value) => ({ name: 'tag', value })),
    ],
    // Allure shows this link as text; page.js makes it a link.
    links: [
      { name: `${id} on the page Requirements`, url: `requirements.html#${id}`, type: LinkType.DEFAULT },
    ],
    parameters: [],
    steps: [],
    attachments: [],
  }
}

/**
 * The finding of a violation, otherwise the reason of the verdict. Allure shows the text above the check, and again as
 * the last step. The text begins with the verdict, so that this step does not look like a request.
 */
function statusDetails(requirement: RequirementFacts, check: CheckRecord): TestResult['statusDetails'] {
  const details = check.finding === null ? reasonText(check) : findingText(requirement, check)
  return details === '' ? {} : { message: `${rowsText([verdictRow(check)])}\n${details}` }
}

/** `verdict: inconclusive, cause: throttled` */
function verdictRow({ verdict, cause }: Pick<CheckRecord, 'verdict' | 'cause'>): Row {
  return ['verdict', [verdict, cause ?? []].flat().join(', cause: ')]
}

/** For a check that judges requests of other checks: what its steps are. */
function stepsRows({ judgedAreas }: CheckRecord, count: number): Row[] {
  return judgedAreas === undefined || count === 0
    ? []
    : [['steps', 'the requests that this check judged, including those of other checks']]
}

/**
 * The id of a check in addresses of the report, the same in every run.
 * @param check the name of the check; empty for a requirement without a check
 */
export function pageId(requirement: string, check = ''): string {
  // Allure computes its own digest of the ids.
  return createHash('md5').update(stableId(requirement, check)).digest('hex')
}

function stableId(requirement: string, check: string): string {
  return createHash('sha256').update(`${requirement}\n${check}`).digest('hex').slice(0, 32)
}

/** Without this style, Allure keeps cells on one line and cuts them off. */
const cell = 'white-space: normal; text-align: left; vertical-align: top'

/** The facts of a check as HTML: its requirement and further rows. Allure shows the finding above them. */
function description(
  requirement: Pick<RequirementResult, 'id' | 'section' | 'level' | 'statement'>,
  rows: readonly Row[],
): string {
  const all: Row[] = [requirementRow(requirement), ['level', requirement.level], ...rows]
  const shown = all.map(
    ([label, content]) =>
      html`<tr><th style="${cell}">${label}</th><td style="${cell}">${rowContent(content)}</td></tr>`,
  )
  return html`<table>${shown}</table>`.markup
}
