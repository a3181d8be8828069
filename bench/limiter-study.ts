import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Figure, figure, median } from './figure.ts'
import { type Row, type StudyResult, study, studyRows } from './limiter/rows.ts'

// Measures in virtual time how well unknown limiters are identified: hundreds of random limiters, whose code is
// independent of the fitted models.
//   node bench/limiter-study.ts [SHARE [SEED]]     SHARE 0.1: a tenth of each row; SEED 1000: other limiters

/** Number of workers, which divide the limiters of each row among them. Each limiter has its own seed. */
const workerCount = 2

/**
 * Runs the study.
 * @param share the share of each row that is studied; 1 for the whole row
 * @param print receives the lines of the table
 * @param seed selects other limiters, to show that the models are not fitted to the limiters of seed 0
 */
export async function limiterStudy(
  share: number,
  print: (line: string) => void,
  seed = 0,
): Promise<Figure[]> {
  const parts = await Promise.all(
    Array.from({ length: workerCount }, (_, part) => inWorker({ part, share, seed })),
  )
  const figures: Figure[] = []
  print(`Limiters in virtual time; seeds 100003 · (row + ${seed}) + index.`)
  print(`${'row'.padEnd(54)}     n  kind  wrong  not id.  capacity  rate±10%  median requests  (n-10)/C`)
  for (const [index, row] of studyRows.entries()) {
    const results = parts.flatMap((part) => part[index] ?? [])
    const summary = summarise(results)
    print(tableLine(row.name, results.length, summary))
    figures.push(...figuresOf(row, summary))
  }
  return figures
}

interface Part {
  readonly part: number
  readonly share: number
  readonly seed: number
}

function inWorker(workerData: Part): Promise<StudyResult[][]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function runPart({ part, share, seed }: Part): Promise<StudyResult[][]> {
  const rows: StudyResult[][] = []
  for (const row of studyRows) {
    const results: StudyResult[] = []
    const count = Math.ceil(row.count * share)
    // Pairs go to the same worker, because a row may treat odd and even limiters differently.
    for (let index = 0; index < count; index += 1) {
      if (Math.floor(index / 2) % workerCount === part) results.push(await study(row, index, seed))
    }
    rows.push(results)
  }
  return rows
}

interface Summary {
  /** `kind` to `rate` are percentages of the limiters of the row. */
  readonly kind: number
  readonly wrong: number
  readonly notIdentified: number
  readonly capacity: number
  readonly rate: number
  readonly medianRequests: number
  /** The median of (requests - 10) / capacity: the requests in multiples of the capacity, without a fixed part of 10. */
  readonly medianRatio: number
  /** Number of requests before Retry-After had elapsed. */
  readonly early: number
}

function summarise(results: readonly StudyResult[]): Summary {
  const percent = (test: (result: StudyResult) => boolean) =>
    Math.round((1000 * results.filter(test).length) / Math.max(1, results.length)) / 10
  return {
    kind: percent(({ kindRight }) => kindRight),
    wrong: percent(({ result, kindRight }) => result === 'identified' && !kindRight),
    notIdentified: percent(({ result }) => result === 'not-identified'),
    capacity: percent(({ capacityExact }) => capacityExact),
    rate: percent(({ rateWithinTenth }) => rateWithinTenth),
    medianRequests: median(results.map(({ requests }) => requests)),
    medianRatio:
      Math.round(100 * median(results.map(({ requests, capacity }) => (requests - 10) / capacity))) / 100,
    early: results.reduce((sum, { early }) => sum + early, 0),
  }
}

function tableLine(name: string, count: number, summary: Summary): string {
  const cells = [
    summary.kind,
    summary.wrong,
    summary.notIdentified,
    summary.capacity,
    summary.rate,
    summary.medianRequests,
  ]
  const [kind, wrong, not, capacity, rate, requests] = cells.map((cell) => String(cell))
  return `${name.padEnd(54)} ${String(count).padStart(5)} ${kind?.padStart(5)} ${wrong?.padStart(6)} ${not?.padStart(8)} ${capacity?.padStart(9)} ${rate?.padStart(9)} ${requests?.padStart(16)} ${`${summary.medianRatio} C`.padStart(9)}`
}

function figuresOf({ name, aims }: Row, summary: Summary): Figure[] {
  const studied = (what: string, value: number, unit: string, most?: number) =>
    figure(`limiters, ${name}: ${what}`, value, unit, most)
  const atLeast = (what: string, value: number, aim: number) => ({
    ...studied(what, value, '%'),
    aim: `>= ${aim}`,
    holds: value >= aim,
  })
  const early = studied('requests before Retry-After', summary.early, 'requests', 0)
  if (aims === 'accuracy') {
    return [
      atLeast('kind', summary.kind, 95),
      atLeast('capacity exact', summary.capacity, 97),
      atLeast('rate within 10 %', summary.rate, 95),
      studied('median of (requests - 10) / capacity', summary.medianRatio, 'ratio', 4),
      studied('wrong conclusions', summary.wrong, '%'),
      early,
    ]
  }
  const aim = aims && { kind: { kind: 90, wrong: 2 }, 'other-traffic': { kind: 70, wrong: 1 } }[aims]
  return [
    aim ? atLeast('kind', summary.kind, aim.kind) : studied('kind', summary.kind, '%'),
    studied('wrong conclusions', summary.wrong, '%', aim?.wrong),
    studied('not identified', summary.notIdentified, '%'),
    studied('capacity exact', summary.capacity, '%'),
    studied('rate within 10 %', summary.rate, '%'),
    early,
  ]
}

if (!isMainThread && workerData?.part !== undefined) {
  parentPort?.postMessage(await runPart(workerData))
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now()
  const figures = await limiterStudy(Number(process.argv[2] ?? 1), console.log, Number(process.argv[3] ?? 0))
  console.log(`\n${Math.round((performance.now() - started) / 1000)} s`)
  for (const { figure, value, unit, aim, holds } of figures) {
    if (aim !== null) console.log(`  ${figure}: ${value} ${unit}, aim ${aim}: ${holds ? 'holds' : 'missed'}`)
  }
}
