import { fileURLToPath } from 'node:url'
import { characterise } from '../load/limiter/index.ts'
import type { Figure } from './figure.ts'
import { RealExperiment } from './limiter/real-experiment.ts'
import { nginxMissing, type RealServer, realServers } from './limiter/real-servers.ts'

// Identifies third-party limiters behind servers on loopback in real time, all in parallel.
//   node bench/limiter-real.ts

export async function realLimiters(print: (line: string) => void): Promise<Figure[]> {
  const servers = await realServers()
  const exact = await Promise.all(servers.map((server) => isExact(server, print)))
  await Promise.all(servers.map((server) => server.close()))
  if (nginxMissing !== undefined) print(nginxMissing)
  const right = exact.filter(Boolean).length
  return [
    {
      figure: 'limiters, real ones: kind, capacity and rate exact',
      value: right,
      unit: `of ${servers.length}`,
      aim: `${servers.length}`,
      holds: right === servers.length,
    },
  ]
}

async function isExact({ name, url, truth }: RealServer, print: (line: string) => void): Promise<boolean> {
  const experiment = new RealExperiment(url)
  const conclusion = await characterise(experiment, { maxRequests: 400, maxMs: 180_000 })
  await experiment.close()
  const seconds = Math.round(conclusion.elapsedMs / 1000)
  if (conclusion.result !== 'identified') {
    const why = conclusion.result === 'not-identified' ? conclusion.reason : conclusion.sentence
    print(`${name}: ${conclusion.result}, ${why} (${conclusion.requests} requests, ${seconds} s)`)
    return false
  }
  print(
    `${name}: ${conclusion.kind}, capacity ${conclusion.capacity ?? 'not visible'}, ${conclusion.rate}/s; ${conclusion.proof.sentence} (${conclusion.requests} requests, ${seconds} s)`,
  )
  const isRateExact = Math.abs(conclusion.rate / truth.rate - 1) < 0.001
  return conclusion.kind === truth.kind && conclusion.capacity === truth.capacity && isRateExact
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const figures = await realLimiters(console.log)
  for (const { figure, value, unit, aim, holds } of figures) {
    console.log(`  ${figure}: ${value} ${unit}, aim ${aim}: ${holds ? 'holds' : 'missed'}`)
  }
}
