import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  type Attachment,
  ContentType,
  type Label,
  type Link,
  LinkType,
  Severity,
  Stage,
  Status,
  type StepResult,
  type TestResult,
} from 'allure-js-commons'
import type { Level } from '../../check/requirement.ts'
import type { Observation } from '../../check/result.ts'
import { reasonText } from '../../check/result.ts'
import type { Verdict } from '../../check/verdict.ts'
import type { Exchange } from '../../evidence/exchange.ts'
import { outcomeOf } from '../../results/check-record.ts'
import type { CheckRecord, RequirementResult } from '../../results/results.ts'
import { findingLines } from '../finding.ts'
import { description } from './description.ts'
import { httpExchange } from './http-exchange.ts'

/** A check as the Allure report shows it, with the files that go with it. */
export interface AllureCheck {
  readonly result: TestResult
  /** Contents by file name. */
  readonly attachments: ReadonlyMap<string, Buffer>
}

/** Facts about the requirement a check belongs to. */
export type RequirementFacts = Pick<RequirementResult, 'id' | 'area' | 'section' | 'level' | 'statement'>

/** How Allure calls what Plumbline says. */
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
  silent: Severity.TRIVIAL,
}

/**
 * One check as an Allure test result. Its id is the same in every run, so that writing it twice
 * replaces it and the report knows its history.
 * @param exchanges those that the check rests on
 * @param endedAt milliseconds since the epoch
 * @param contentOf reads a file of the run by its path there
 */
export function allureCheck(
  requirement: RequirementFacts,
  check: CheckRecord,
  observations: readonly Observation[],
  exchanges: readonly Exchange[],
  endedAt: number,
  contentOf: (path: string) => Buffer = () => Buffer.of(),
): AllureCheck {
  const id = stableId(requirement.id, check.name)
  const attachments = new Map<string, Buffer>()
  // Checks share exchanges, but Allure shows a file with the first that names it only.
  const attach = (name: string, type: string, file: string, content: string): Attachment => {
    const source = `${id}-${file}`
    attachments.set(source, Buffer.from(content))
    return { name, type, source }
  }
  const steps = exchanges.map((exchange) =>
    step(exchange, [
      attach(
        'exchange',
        ContentType.HTTP_EXCHANGE,
        `${exchange.number}.httpexchange`,
        JSON.stringify(httpExchange(exchange)),
      ),
      ...(exchange.curl === undefined
        ? []
        : [attach('curl', ContentType.TEXT, `${exchange.number}.txt`, exchange.curl)]),
    ]),
  )
  const files = (check.attachments ?? []).map(({ name, mediaType, path }): Attachment => {
    const source = `${id}-${basename(path)}`
    attachments.set(source, contentOf(path))
    return { name, type: mediaType, source }
  })
  const result: TestResult = {
    uuid: id,
    historyId: id,
    testCaseId: id,
    name: check.name,
    fullName: `${requirement.id}: ${check.name}`,
    titlePath: [requirement.area, requirement.id],
    status: allureStatuses[check.verdict],
    stage: Stage.FINISHED,
    statusDetails: statusDetails(requirement, check),
    descriptionHtml: description(requirement, check),
    start: endedAt - check.durationMs,
    stop: endedAt,
    labels: labels(requirement, check.verdict, check.cause),
    links: links(requirement),
    parameters: observations.map(({ key, value }) => ({
      name: shortKey(key),
      value: Array.isArray(value) ? value.join(', ') : String(value),
      // With another value it is still the same check, with the same history.
      excluded: true,
    })),
    steps,
    attachments: files,
  }
  return { result, attachments }
}

/** A requirement nobody checks, as a skipped result that says why. */
export function allureUnchecked(requirement: RequirementResult, at: number): AllureCheck {
  const id = stableId(requirement.id)
  const undecided = requirement.verdict === 'inconclusive'
  const reason = undecided ? 'the run ended before its checks did' : (requirement.reason ?? '')
  const result: TestResult = {
    uuid: id,
    historyId: id,
    testCaseId: id,
    name: requirement.statement,
    fullName: requirement.id,
    titlePath: [requirement.area, requirement.id],
    status: allureStatuses[requirement.verdict],
    stage: Stage.FINISHED,
    statusDetails: { message: reason },
    descriptionHtml: description({ ...requirement, reason }),
    start: at,
    stop: at,
    labels: labels(requirement, requirement.verdict, undecided ? 'environment' : null),
    links: links(requirement),
    parameters: [],
    steps: [],
    attachments: [],
  }
  return { result, attachments: new Map() }
}

/**
 * Writes the files that go with a result, before the result itself. Allure's own writer would have the disk flushed
 * for each of thousands.
 */
export function writeAttachments(folder: string, { attachments }: AllureCheck): void {
  for (const [name, content] of attachments) writeFileSync(join(folder, name), content)
}

/** The requirement's row in the traceability matrix, which the script of the page makes a link. */
function links({ id }: RequirementFacts): Link[] {
  return [
    { name: `${id} in the traceability matrix`, url: `requirements.html#${id}`, type: LinkType.DEFAULT },
  ]
}

/** Area and requirement make the tree; the tags are what the report can be filtered by. */
function labels(requirement: RequirementFacts, verdict: Verdict, cause: string | null): Label[] {
  const label = (name: string, value: string): Label => ({ name, value })
  return [
    label('epic', requirement.area),
    label('feature', requirement.section),
    label('story', requirement.id),
    label('severity', severities[requirement.level]),
    label('verdict', verdict),
    label('tag', requirement.level),
    ...(verdict === 'observed' ? [label('tag', 'observed')] : []),
    ...(cause === null ? [] : [label('tag', cause), label('cause', cause)]),
  ]
}

/** Without what the name of a probe says already: the report cuts long names. */
function shortKey(key: string): string {
  return key.replace(/^limits\.[^.]+\.[^.]+\./, '')
}

/** The four parts of a finding, or why there is none: the first thing the report shows. */
function statusDetails(requirement: RequirementFacts, check: CheckRecord): TestResult['statusDetails'] {
  const lines = findingLines(check)
  if (check.finding === null) return lines.length === 0 ? {} : { message: reasonText(check) }
  const { id, section, statement } = requirement
  const rows = [['requirement', `${statement} (${id}, ${section})`], ...lines]
  return { message: rows.map(([label, text]) => `${`${label}:`.padEnd(13)}${text}`).join('\n') }
}

function step(exchange: Exchange, attachments: Attachment[]): StepResult {
  // Not read as a URL: what stands for a masked value has characters that an address would encode.
  const withoutOrigin = exchange.request.url.replace(/^\w+:\/\/[^/]+/, '')
  return {
    name: `${exchange.request.method} ${withoutOrigin} → ${outcomeOf(exchange)}`,
    status: exchange.response ? Status.PASSED : Status.BROKEN,
    stage: Stage.FINISHED,
    statusDetails: exchange.failure === undefined ? {} : { message: exchange.failure },
    start: exchange.sentAt,
    stop: exchange.sentAt + exchange.durationMs,
    steps: [],
    parameters: [],
    attachments,
  }
}

/**
 * What the report calls a check, in its address too; without a check's name, a requirement that has none. The same
 * in every run.
 */
export function pageId(requirement: string, check = ''): string {
  // Allure takes its own digest of ids that it is given.
  return createHash('md5').update(stableId(requirement, check)).digest('hex')
}

function stableId(requirement: string, check = ''): string {
  return createHash('sha256').update(`${requirement}\n${check}`).digest('hex').slice(0, 32)
}
